"""What each builtin reads of what changes while a game is played.

`board` stands for all that lies on grids and how it is joined, `faces` for the faces of dice, the
name of a class of components for where those are. Nothing: it is the same all the game.
"""

from __future__ import annotations

from rulesdsl.builtins.catalogue import FUNCTIONS, PROPERTIES
from rulesdsl.model.types import PIECE_CLASSES

BOARD = "board"
FACES = "faces"

_FIXED = (
    "abs cell_at centre div_up forward half_up home index kind max min next owned owner "
    "placement_at players seat steps x y"
)
_OF_THE_BOARD = (
    "ahead beside borders cell cells closed ends feature features joined occupied placements ring "
    "rotation segments sides tile"
)
_OF_ALL_PLACES = "kinds on_board one position room zone"

READS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(_FIXED.split(), ()),
    **dict.fromkeys(_OF_THE_BOARD.split(), (BOARD,)),
    **dict.fromkeys(_OF_ALL_PLACES.split(), (BOARD, *PIECE_CLASSES)),
    "face": (FACES,),
    "cards": ("card",),
    "dice": (BOARD, "die"),
    "figures": (BOARD, "figure"),
    "segment": ("figure", "token"),
    "space": ("figure", "token"),
    "tiles": (BOARD, "tile"),
    "tokens": (BOARD, "token"),
}
assert READS.keys() == FUNCTIONS.keys() | PROPERTIES.keys(), "every builtin says what it reads"
