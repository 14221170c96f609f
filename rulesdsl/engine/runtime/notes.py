"""Notes: the steps of a move in their order, for programs that show them.

They are written while `noting` is 1. Each is a row of `notes`; its first column says what it is:

- DRAWN: a piece, and the zone it was taken from
- MOVED: a piece, its new `place` and `spot`, and 1 if all seats know the piece there
- ROLLED, TURNED: a die and its new face, an index of its own faces
- REVEALED: a piece
- SHOWN: a piece, the seat it was shown to, and all seats that know it
- SHUFFLED: a zone
- TOLD: a piece, the seats that were told (`EVERYBODY + 1` times their mask) and those that know it,
  the answers, and its position in a zone that keeps order, else 0
- GAINED: a row of `gained`, the points, the record of their terms, and their subject
- SAID: an action with a line, by its number among these; the values that it names follow
- VALUE: one of these values, and the seats that may see it
- VALUES: the number of values in the set that follows, -1 for none
"""

from __future__ import annotations

from rulesdsl.engine.runtime.faults import NO_SPACE, fault
from rulesdsl.engine.runtime.tables import *

MOVED = 0
ROLLED = 1
TURNED = 2
REVEALED = 3
SHUFFLED = 4
GAINED = 5
DRAWN = 6
SAID = 7
VALUE = 8
VALUES = 9
SHOWN = 10
TOLD = 11

PLAIN_VALUE = 0
PIECE_VALUE = 1
SEGMENT_VALUE = 2
"""Values that all seats may see, and those that only seats that know their piece may see."""


def note(what: int, first: int, second: int, third: int, last: int) -> None:
    """Write a note while notes are taken.

    Faults: NO_SPACE.
    """
    if noting[0] == 1:
        if noted[0] == NOTES:
            fault(NO_SPACE)
        row = noted[0] * NOTE
        notes[row] = what
        notes[row + 1] = first
        notes[row + 2] = second
        notes[row + 3] = third
        notes[row + 4] = last
        noted[0] += 1


def note_move(piece: int) -> None:
    """Note that a piece has a new place."""
    shown = 1 if known[piece] == EVERYBODY[0] else 0
    note(MOVED, piece, place[piece], spot[piece], shown)


def count_gain(row: int, points: int) -> None:
    """Count and note points of a seat and source, a row of `gained`."""
    gained[row] += points
    note(GAINED, row, points, given_terms[0], given_terms[1])


def note_line(line: int) -> None:
    """Note that an action says its line."""
    note(SAID, line, 0, 0, 0)


def note_value(value: int, sort: int) -> None:
    """Note a value that a line names; `sort` is one of the sorts above."""
    seats = EVERYBODY[0]
    if value >= 0:
        if sort == PIECE_VALUE:
            seats = known[value]
        elif sort == SEGMENT_VALUE:
            seats = known[segment_piece[value]]
    note(VALUE, value, seats, 0, 0)


def note_values(values: int, sort: int) -> None:
    """Note a set on the heap that a line names, and its values; -1 is none."""
    if values < 0:
        note(VALUES, -1, 0, 0, 0)
        return
    note(VALUES, heap[values], 0, 0, 0)
    for index in range(values + 1, values + 1 + heap[values]):
        note_value(heap[index], sort)
