"""One component as text: what lies on it, in characters, and what its attributes say."""

from __future__ import annotations

from collections.abc import Iterator

from rulesdsl.cli.board import Painter, joined
from rulesdsl.cli.cells import HEIGHT, WIDTH, Picture, draw_piece
from rulesdsl.cli.console import Console, Styled
from rulesdsl.cli.words import Words
from rulesdsl.geometry.picture import draw
from rulesdsl.model.game import FaceDef, KindDef
from rulesdsl.model.names import short_name

_ROUND, _PLAIN = "╭─╮│╰╯", "+-+|++"
"""The rim of a card."""


def portrait(kind: KindDef, words: Words, painter: Painter, console: Console) -> None:
    """Write a component under its name: a tile with the ports of its segments, a card as a card, a
    die face by face."""
    game = words.game.checked.game
    index = game.kinds.index(kind)
    count = sum(piece.kind == index for piece in game.pieces)
    label = words.game.labels.find(kind.key, words.language)
    title = f"{kind.ruleset}/{kind.text}"
    console.say((title, "title"), f"  {label}  x{count}" if label else f"  x{count}")
    if kind.outline is not None:
        console.write(_beside(draw_piece(kind.outline, 0, painter.look), draw(kind.outline)))
    elif kind.faces:
        faces = [(face.name, _face(face, painter)) for face in kind.faces]
        console.write([["  ", *line] for line in painter.pieces(faces)])
    else:
        console.write(_card(label or kind.name, kind, words, console.symbols))
    console.say()


def _beside(picture: Picture, told: list[str]) -> Iterator[Styled]:
    """A picture of a piece, and to its right its ports with the legend of its segments."""
    wide = picture.size[0] * WIDTH
    blank: list[tuple[str, str]] = [(" " * wide, "fill")]
    shown = [blank, *([*joined(row)] for row in picture.chars)]
    rim = next(number for number, line in enumerate(told[1:], 1) if line.startswith("+")) + 1
    for number in range(max(rim, len(shown))):
        line = told[number] if number < rim else ""
        yield ["  ", *(shown[number] if number < len(shown) else blank), f"   {line}"]
    for line in told[rim:]:
        yield [f"  {line}"]


def _face(face: FaceDef, painter: Painter) -> Picture:
    """A face of a die; where nothing lies on it its name stands above all the same."""
    if face.outline is not None:
        return draw_piece(face.outline, 0, painter.look)
    blank = [(" ", "fill")] * WIDTH
    return Picture((1, 1), [[*blank] for _ in range(HEIGHT)])


def _card(title: str, kind: KindDef, words: Words, symbols: bool) -> Iterator[Styled]:
    """A frame around a title and attributes."""
    said = {short_name(key): value for key, value in kind.attributes.items()}
    names = max((len(name) for name in said), default=0)
    rows = [f"{name.ljust(names)}  {words.value(value)}" for name, value in said.items()]
    wide = max(len(row) for row in (title, *rows))
    left, line, right, side, below, corner = tuple(_ROUND if symbols else _PLAIN)
    yield [f"  {left}{line * (wide + 2)}{right}"]
    yield [f"  {side} ", (title.ljust(wide), "choice"), f" {side}"]
    for row in rows:
        yield [f"  {side} {row.ljust(wide)} {side}"]
    yield [f"  {below}{line * (wide + 2)}{corner}"]
