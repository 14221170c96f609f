"""The first files of a game: a small but complete game that plays as it is."""

from __future__ import annotations

import os
from collections.abc import Sequence
from tempfile import TemporaryDirectory

from rulesdsl.diagnostics import RulesError
from rulesdsl.edition import EDITION
from rulesdsl.engines.engines import READY_ENGINE
from rulesdsl.play import load
from rulesdsl.scaffold.expansion import modeline
from rulesdsl.scaffold.files import check_free, check_name, holds, plays, refused, title
from rulesdsl.writing import create_all

_MANIFEST = """\
# What is in the box of TITLE. How it is played stands in NAME.rules.
ruleset: NAME
edition: EDITION
version: 0.1.0
rules: NAME.rules

players: {min: 2, max: 4, colours: [red, blue, green, yellow]}
game: {play: game, finish: finish, score: player.score}

# What is drawn on tiles: areas take whole sides, lines the middle of one; the rest is filled.
features:
  garden: {shape: area}
  path:   {shape: line}
  meadow: {shape: fill}

# What lies side by side on the board must be alike along the side.
grids:
  board: {holds: tile, match: all}

zones:
  bag:   {holds: tile, visible: none, initial: true}
  first: {holds: tile}
  box:   {holds: tile}

# Draw them with: rulesdsl show tile NAME.yaml
tiles:
  - {id: gate, garden: [N], path: [E-W], in: first}
  - {id: hedge, count: 6, garden: [N]}
  - {id: corner, count: 5, garden: [N-E], path: [S-W]}
  - {id: park, garden: [N-E-S-W]}
  - {id: lawn, count: 3, garden: [N-S]}
  - {id: bend, count: 5, path: [N-E]}

labels:
  en:
    NAME: TITLE
    lay: Where does the tile go?
    lay.at: lay it at
    score: points
"""

_RULES = """\
# TITLE: lay a tile, and score the gardens that it closes.

state game.active: player = first(players)
state player.score: int 0..9999 = 0

action game():
    place(the(t in first), centre(board))
    while count(bag) > 0:
        turn()
        active = next(active)
    finish()

# A tile that fits nowhere leaves the game.
action turn():
    let t = take(bag)
    if not any(spot in placements(board, t)):
        move(t, box)
        return
    lay(t)
    for f in features(t) where f is garden and closed(f): score(active, worth(f))

choice lay(t: tile) by active:
    option at(spot in placements(board, t)):
        place(t, spot)

action score(p: player, n: int):
    p.score += n

# Expansions can refine it.
value worth(f: feature) -> int:
    f.cells

action finish():
    end_game(most(p in players by p.score))
"""

_SCENARIOS = """\
# What a player of TITLE may rely on. Add one for every rule, before you write the rule.
scenarios: NAME
edition: EDITION
tests:

  - name: who closes a garden gets a point for each of its tiles
    board:
      - {piece: gate, at: [0, 0]}
    zones: {bag: [hedge, bend], box: rest}
    moves: [take hedge, 'at 0,-1,180']
    expect:
      scores: {red: 2, blue: 0}
      mover: blue

  - name: an open garden gives nothing
    board:
      - {piece: gate, at: [0, 0]}
    zones: {bag: [lawn, bend], box: rest}
    moves: [take lawn, 'at 0,-1,0']
    expect:
      scores: {red: 0, blue: 0}

  - name: a tile that fits nowhere leaves the game
    board:
      - {piece: gate, at: [0, 0]}
      - {piece: hedge, at: [0, -1], rotation: 180}
    zones: {bag: [park, bend], box: rest}
    moves: [take park]
    expect:
      mover: blue
      asked: lay
      holds:
        - any(t in box where t is park)

  - name: the game ends with the last tile, and most points win
    board:
      - {piece: gate, at: [0, 0]}
    zones: {bag: [bend, hedge], box: rest}
    state: {blue.score: 3}
    moves: [take bend, 'at 1,0,180', 'at 0,-1,180']
    expect:
      scores: {red: 0, blue: 5}
      winners: [blue]
      mover: nobody
"""

_PAGE = """\
# TITLE

Say here in two sentences what the game is about.

    rulesdsl run NAME.yaml --human red

## In the box

21 tiles with gardens and paths. One of them is laid first.

## How it is played

- The players take turns. Who has the turn draws a tile and lays it so that its sides match.
- Who closes a garden scores a point for each of its tiles. Most points win when no tile is left.

## Work on it

1. Say what should happen in `NAME.test.yaml`, as a scenario: a board, moves, and what must hold.
2. Put what it needs into the box, `NAME.yaml`: features, tiles, figures, settings.
3. Write the rule into `NAME.rules`.
4. See what is wrong, and what no scenario shows at work:

        rulesdsl check NAME.yaml
        rulesdsl test NAME.test.yaml --coverage

`rulesdsl new expansion another_name --of NAME.yaml` begins an expansion of it.
"""


def new_game(name: str, folder: str = "", paths: Sequence[str] = ()) -> dict[str, str]:
    """Return the files, as texts by name, of a game called `name`, for `folder`.

    They have no finding, their scenarios hold, and a game was played. Raises RulesError if `name`
    is not an id, is taken, or is a word that the game itself uses, or if one of the files exists.
    """
    check_name(name)
    check_free(name, folder, paths)
    files = {
        f"{name}.yaml": modeline("ruleset", folder) + _named(_MANIFEST, name),
        f"{name}.rules": _named(_RULES, name),
        f"{name}.test.yaml": modeline("scenarios", folder) + _named(_SCENARIOS, name),
        f"{name}.md": _named(_PAGE, name),
    }
    if not _proved(name, files):
        raise refused(f"`{name}` is a word of the game that would be made", "try another name")
    return files


def _named(text: str, name: str) -> str:
    words = {"TITLE": title(name), "NAME": name, "EDITION": str(EDITION)}
    for word, meant in words.items():
        text = text.replace(word, meant)
    return text


def _proved(name: str, files: dict[str, str]) -> bool:
    with TemporaryDirectory() as place:
        create_all(place, {file: text.encode() for file, text in files.items()})
        try:
            game = load(os.path.join(place, f"{name}.yaml"), engine=READY_ENGINE)
        except RulesError:
            return False
        scenarios = files[f"{name}.test.yaml"]
        return not len(game.report) and plays(game) and holds(scenarios, place, (), READY_ENGINE)
