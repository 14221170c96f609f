"""Hostile rules: every decision of theirs ends within ten seconds of processor time, on any engine.

Each file in `hostile/` is the rules of the game that `hostile/hostile.yaml` declares.
"""

from __future__ import annotations

from pathlib import Path
from time import thread_time

import pytest

from rulesdsl.engine.run import ENGINES, engine_of, watch
from rulesdsl.engine.run.interface import PlayError
from rulesdsl.play import load

FOLDER = Path(__file__).parent / "hostile"
RULES = sorted(path.stem for path in FOLDER.glob("*.rules"))
MANIFEST = (FOLDER / "hostile.yaml").read_text(encoding="utf-8")

MOST = 10.0
"""So many seconds of processor time a decision may take."""
FEW = ("chance", "moves", "reach_sets", "sums")
"""Rules whose steps are long in different ways: a set, all moves, what is drawn."""


def seconds(name: str, engine: str, folder: Path) -> float:
    """The processor time of the decision of these rules that takes longest."""
    (folder / "hostile.yaml").write_text(MANIFEST.replace("RULES", f"{name}.rules"))
    (folder / f"{name}.rules").write_text((FOLDER / f"{name}.rules").read_text(encoding="utf-8"))
    game = load(folder / "hostile.yaml", engine=engine)
    # What makes a program of the rules is no decision.
    list(engine_of(engine).playouts(game.checked, 2, 0, range(0), 1))
    begun = thread_time()
    longest = 0.0
    try:
        state = game.start(2, 1)
        while state.mover is not None and longest < MOST:
            state.play(state.moves()[-1])
            longest, begun = max(longest, thread_time() - begun), thread_time()
    except PlayError:
        pass
    return max(longest, thread_time() - begun)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", FEW)
def test_a_step_that_is_long_is_stopped(
    name: str, engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watch, "LONGEST", 0.3)
    assert seconds(name, engine, tmp_path) < MOST / 2


@pytest.mark.long
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", RULES)
def test_a_decision_ends(name: str, engine: str, tmp_path: Path) -> None:
    assert seconds(name, engine, tmp_path) < MOST
