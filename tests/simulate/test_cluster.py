"""On a cluster the same games are played, also when a worker dies."""

from __future__ import annotations

import logging
import os
import signal
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from distributed import Client, LocalCluster

from rulesdsl.study.playing import Block, NoScheduler, OtherRulesets, Study, local, on_cluster
from rulesdsl.study.report import as_json
from rulesdsl.study.simulate import GameStore, simulate
from tests.simulate.studies import hamlets
from tests.simulate.test_store import content

GAMES = 250


@pytest.fixture(scope="module")
def cluster() -> Iterator[LocalCluster]:
    """Two worker processes."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=logging.CRITICAL
        ) as made:
            yield made


def test_a_worker_that_is_killed_changes_nothing(tmp_path: Path, cluster: LocalCluster) -> None:
    study, address = hamlets(GAMES), str(cluster.scheduler_address)
    *_, wanted = simulate(study, local(1), GameStore(tmp_path / "local", study))
    killed = list[int]()

    def deadly(study: Study, games: Iterable[range]) -> Iterator[Block]:
        for block in on_cluster(address)(study, games):
            if not killed:
                with Client(address, set_as_default=False) as client:
                    killed.append(next(iter(client.run(os.getpid).values())))
                os.kill(killed[0], signal.SIGKILL)
            yield block

    *_, found = simulate(study, deadly, GameStore(tmp_path / "cluster", study))
    assert len(killed) == 1
    assert as_json(found) == as_json(wanted)
    assert content(tmp_path / "cluster") == content(tmp_path / "local")


def test_workers_with_other_rulesets_are_found_out(cluster: LocalCluster) -> None:
    study = hamlets(5)
    other = replace(study, kinds=(replace(study.kinds[0], digest="0" * 64),))
    with pytest.raises(OtherRulesets):
        list(simulate(other, on_cluster(str(cluster.scheduler_address))))


def test_nobody_answers() -> None:
    for address in ("tcp://127.0.0.1:1", "nowhere.invalid", "tcp://127.0.0.1:port"):
        with pytest.raises(NoScheduler):
            list(simulate(hamlets(5), on_cluster(address)))
