"""Measurement of `rulesdsl index` with many drawn expansions of one game."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import monotonic

from rulesdsl.base.processes import cores
from rulesdsl.cli.main import main as run
from tools.strangers.drawing import host, manifest, rules
from tools.strangers.renaming import write

SEED = 7


def shelf(game: str, count: int) -> dict[str, str]:
    """Return the files of a game and of so many unrelated expansions."""
    luck, drawn = Random(SEED), host(game)
    made = {"host.yaml": drawn["manifest"], "host.rules": drawn["rules"]}
    for name in (f"x{at:03}" for at in range(count)):
        made[f"{name}.rules"] = rules(drawn, luck, name)
        made[f"{name}.yaml"] = manifest(drawn, luck, name, made[f"{name}.rules"])
    return made


def measured(game: str, count: int) -> Iterator[str]:
    """Yield lines with the times of an index: at first, unchanged, and after one has changed."""
    with TemporaryDirectory() as folder:
        rulesets = write(Path(folder) / "rulesets", shelf(game, count))
        yield f"{count} expansions of `{game}`, {count * (count - 1) // 2:,} pairs, {cores()} cores"
        for what in ("first", "unchanged", "one changed"):
            if what == "one changed":
                with (rulesets / "x000.rules").open("a", encoding="utf-8") as file:
                    file.write("# changed\n")
            begun, said = monotonic(), StringIO()
            with redirect_stdout(said):
                run(["index", str(rulesets), "--to", str(Path(folder) / "site")])
            yield f"{what}: {monotonic() - begun:.1f} s; {said.getvalue().strip()}"
