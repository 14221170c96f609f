"""Many spoilt files: each ends in findings or can be used, soon and in little memory."""

from __future__ import annotations

import pytest

from tests.fuzz.trial import MEMORY, SECONDS, Tally, run


def check(found: dict[str, Tally]) -> None:
    total = Tally()
    for name, tally in found.items():
        print(f"{name}: {tally}")
        total.add(tally)
    print(f"all: {total}")
    assert not total.failures, "\n".join(total.failures[:10])
    assert total.slowest[0] <= SECONDS, total.slowest
    assert total.largest[0] <= MEMORY, total.largest
    # Neither are all refused: then nothing would be tried but the reading.
    assert 0 < total.used < total.tried


def test_spoilt_files() -> None:
    check(run(40, processes=1))


@pytest.mark.long
def test_a_hundred_thousand_spoilt_files() -> None:
    check(run(100_000))
