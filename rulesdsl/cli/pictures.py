"""Pictures of pieces and boards in files."""

from __future__ import annotations

from pathlib import Path

from rulesdsl.cli.console import Console
from rulesdsl.cli.output import write_output
from rulesdsl.cli.problems import bad_argument, package_missing
from rulesdsl.draw import Pieces, board_svg, piece_svg, png, samples_svg, sheet_svg
from rulesdsl.model.game import KindDef
from rulesdsl.play import Game, Place, State

FORMATS = (".svg", ".png")
_PIECE, _SHEET, _BOARD = 300.0, 100.0, 100.0

Chosen = list[tuple[Game, list[KindDef]]]
"""Pieces, by the game that they belong to."""


def check(to: str, size: int | None) -> None:
    """Raises RulesError for a file or a size that no picture can have."""
    if Path(to).suffix.lower() not in FORMATS:
        raise bad_argument(
            f"`{to}` is no name of a picture", f"it must end in {' or '.join(FORMATS)}"
        )
    if size is not None and not 4 <= size <= 2000:
        raise bad_argument(f"a cell cannot be {size} pixels wide", "4 to 2000 are possible")


def of_pieces(
    chosen: Chosen, to: str, size: int | None, copies: bool, language: str, console: Console
) -> None:
    """One piece as a picture, or several as a sheet."""
    if not copies and [len(kinds) for _, kinds in chosen] == [1]:
        ((game, (kind,)),) = chosen
        svg = piece_svg(game, kind, size or _PIECE, language=language)
    else:
        drawn = [(Pieces(game, language), kind) for game, kinds in chosen for kind in kinds]
        svg = sheet_svg(drawn, size or _SHEET, copies=copies)
    _write(svg, to, console)


def of_board(
    state: State, to: str, size: int | None, last: Place | None, language: str, console: Console
) -> None:
    """The boards of a state."""
    pieces = Pieces(state.game, language)
    _write(board_svg(pieces, state, size or _BOARD, last=last), to, console)


def of_samples(to: str, size: int | None, console: Console) -> None:
    """All icons and colours."""
    _write(samples_svg(size or _SHEET), to, console)


def _write(svg: str, to: str, console: Console) -> None:
    data = svg.encode()
    if to.lower().endswith(".png"):
        try:
            data = png(svg)
        except ImportError:
            raise package_missing("a picture as PNG", "resvg-py", "pictures") from None
        except ValueError as error:
            raise bad_argument(str(error), "choose a smaller `--size`, or write an SVG") from None
    write_output(to, data)
    console.tell(f"written to {to}")
