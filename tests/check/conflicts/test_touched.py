"""The table of what forms of rules touch is that of the programs, and nothing can be left out."""

from __future__ import annotations

from pathlib import Path

import pytest

from rulesdsl.base.records import dataclass
from rulesdsl.engine.build.stages import build
from rulesdsl.engine.runtime.declare import state
from rulesdsl.language import builtins
from rulesdsl.language.check.conflicts.touched import Touched, touched
from rulesdsl.language.diagnostics import Report
from rulesdsl.language.model import checked as tree
from rulesdsl.language.model.types import FEATURE, INT, TOKEN
from tests.engines.worlds import plain
from tools import touched as tool

RULESETS = Path(__file__).parents[2] / "rulesets"
GAMES = sorted(
    path
    for path in (Path(__file__).parents[2] / "games").glob("*.yaml")
    if ".test." not in path.name and path.stem != "invariants"
)
ON_BASE = sorted(
    path.name.partition(".")[0]
    for path in RULESETS.glob("*.game.jsonl")
    if path.name.partition(".")[0] not in ("all", "base", "card_game", "dice_game")
)
BESIDE = Touched(
    frozenset({"contents", "decisions", "place", "queue", tool.STATES}),
    frozenset({"decisions", "end", "queue", tool.STATES}),
)
"""What is done beside all nodes: asking and queueing are found by the calls, and a condition of
`always` is asked like a loop."""


def test_the_table_is_current() -> None:
    written = tool.TABLE.read_text(encoding="utf-8")
    assert written == tool.text(tool.recorded()), "run `python3 -m tools touched`"


@pytest.mark.parametrize("game", [*GAMES, "base", "card_game", "dice_game"], ids=str)
def test_what_a_node_touches_is_in_the_table(game: Path | str) -> None:
    made = build(game, ON_BASE if game == "base" else [], report=Report())
    assert made is not None
    record = tool.Record(made)
    for node in record.nodes.values():
        if not isinstance(node, tree.ReadState | tree.SetState | tree.Later):  # they name it
            assert record.of(node) <= touched(node), node.span.text
    for name in record.rules & record.beside.keys():
        assert record.beside_of(name) <= BESIDE, name


def test_no_table_of_the_state_is_without_a_column() -> None:
    with pytest.raises(TypeError):
        state("1", "0", "1")  # type: ignore[call-arg]


@dataclass(frozen=True)
class Invented(tree.Typed):
    thing: tree.Expr


def test_nothing_new_is_taken_for_harmless(monkeypatch: pytest.MonkeyPatch) -> None:
    """A builtin or node that nobody recorded touches everything, until the table is written."""
    span = plain().roles.span
    thing = tree.Local(span, TOKEN, "t")
    everything = {"board", "contents", "features", "links", "place", "standing"}
    assert everything <= touched(Invented(span, INT, thing)).loads
    assert everything | {"noted", "queue"} <= touched(tree.CallBuiltin(span, INT, "new", ())).loads
    signature = builtins.BuiltinSignature((FEATURE,), INT, "ends")
    row = builtins.Builtin("invented", (signature,), "")
    monkeypatch.setitem(builtins.FUNCTIONS, "invented", row)
    called = ("invented", "feature", "int")
    monkeypatch.setitem(builtins.RUNTIME, called, ("ends", ()))
    found = tool.recorded()
    assert found["invented(feature) -> int"] == found["ends(feature) -> int"]
    assert "features" in found["ends(feature) -> int"].loads
