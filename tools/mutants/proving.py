"""Effects of missed mistakes on games: none, or ones that scenarios show."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from typing import Any

from rulesdsl import Game, load
from rulesdsl.engine.build.stages import build
from rulesdsl.engine.run.interface import PlayError, Playout
from rulesdsl.language.diagnostics import Report, RulesError, Source
from rulesdsl.language.model.game import LinkedGame as Box
from rulesdsl.language.model.geometry import Outline, rotate
from rulesdsl.language.read.files import overlaid
from rulesdsl.play.scenario import read_scenarios
from tools.mutants.checking import games, source_of
from tools.mutants.mutant import Mutant
from tools.mutants.shipped import FOLDER, rulesets

GAMES = 200
"""Number of games for each choice of settings and each number of players."""
SEED = 7
_READ = re.compile(r"settings\.(\w+)")
DRAWINGS = ("swapped", "crossed")
"""The sorts of mistakes that change only drawings."""
UNPLAYED = (*DRAWINGS, "label")
"""The sorts of mistakes that random games cannot show.

These are texts, and drawings: a piece with another drawing differs even where few games notice.
"""


def only_turned(mutant: Mutant) -> bool:
    """Return whether every drawing is the same up to order and rotation.

    Pieces are rotated when they are laid in games, so such a mistake has no effect.
    """
    if mutant.sort not in DRAWINGS:
        return False
    return _outlines(_box(mutant)) == _outlines(rulesets()[mutant.ruleset].checked.game)


def failing(mutant: Mutant) -> bool:
    """Return whether a shipped scenario fails: one of the ruleset, or of those that build on it."""
    mine = [mutant.ruleset, *(id for id, r in rulesets().items() if mutant.ruleset in r.loaded)]
    with _with(mutant):
        return any(_fails(FOLDER / f"{id}.test.yaml") for id in dict.fromkeys(mine))


def _fails(path: Path) -> bool:
    source = Source(str(path), path.read_text(encoding="utf-8"))
    scenarios = read_scenarios(source, engine="python")
    return any(not scenario.run().passed for scenario in scenarios)


@contextmanager
def _with(mutant: Mutant) -> Iterator[None]:
    """Apply the mistake within the context."""
    path = os.path.realpath(FOLDER / mutant.file)
    with overlaid({path: mutant.of(source_of(mutant)).encode()}):
        yield


def _box(mutant: Mutant) -> Box | None:
    with _with(mutant):
        found = build(FOLDER / f"{mutant.ruleset}.yaml", mutant.beside, report=Report())
    return None if found is None else found.game


def _outlines(box: Box | None) -> object:
    """Return the drawings of all pieces, independent of order and rotation."""
    if box is None:
        return None
    return [
        [None if each is None else _drawn(each) for each in (kind.outline, *faces)]
        for kind in box.kinds
        for faces in [tuple(face.outline for face in kind.faces)]
    ]


def _drawn(outline: Outline) -> Any:
    """Return the segments of a piece in the rotation that sorts first."""
    return min(_turned(outline, turns) for turns in range(4))


def _turned(outline: Outline, turns: int) -> list[Any]:
    size = outline.size
    names = [
        (s.kind, sorted(tuple(vars(rotate(port, turns, size)).values()) for port in s.ports))
        for s in outline.segments
    ]
    return sorted(
        [
            *names[at],
            sorted((key, str(value)) for key, value in segment.attributes.items()),
            sorted(names[n] for n in segment.borders),
            [] if segment.over is None else [names[segment.over]],
        ]
        for at, segment in enumerate(outline.segments)
    )


def replayed(mutant: Mutant) -> bool:
    """Return whether the same random games have the same course with and without the mistake.

    These are games of the smallest game, under all choices of the settings on the changed lines,
    and games of the one with all that extends it.
    """
    return mutant.sort not in UNPLAYED and all(
        _same(mutant, others, choice) for others in games(mutant) for choice in _choices(mutant)
    )


def _same(mutant: Mutant, others: Sequence[str], choice: Mapping[str, int | bool | str]) -> bool:
    try:
        before = _game(mutant, others, choice)
    except RulesError:
        return True  # settings that are refused
    try:
        with _with(mutant):
            after = _game(mutant, others, choice)
        seats = {before.players[0], before.players[-1]}
        return all(_told(before, count) == _told(after, count) for count in seats)
    except (RulesError, PlayError):
        return False


def _game(mutant: Mutant, others: Sequence[str], choice: Mapping[str, int | bool | str]) -> Game:
    return load(FOLDER / f"{mutant.ruleset}.yaml", others, choice, engine="wasm")


def _told(game: Game, players: int) -> list[Playout]:
    return list(game.playouts(range(GAMES), players, SEED))


def _choices(mutant: Mutant) -> list[dict[str, int | bool | str]]:
    source = source_of(mutant)
    start = source.text.rfind("\n", 0, mutant.start) + 1
    read = set(_READ.findall(source.text[start : mutant.end]))
    game = rulesets()[mutant.ruleset].checked.game
    settings = [each for each in game.settings if each.name in read]
    few = [each.values if len(each.values) <= 4 else each.values[:2] for each in settings]
    names = [f"{each.ruleset}.{each.name}" for each in settings]
    return [dict(zip(names, values, strict=True)) for values in product(*few)]
