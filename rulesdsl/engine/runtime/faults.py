"""The limits of running rules, and the errors that a running program can raise, by number.

The limits are those that `docs/reference/language.md` promises: an engine lets rules go at least as
far. A fault stops the program at once; the machine that runs it restores the state from before. The
message here is the fallback for cases where `engines.words.faults` has no better words.
"""

from __future__ import annotations

from typing import NoReturn

STEPS = 200_000
"""Rounds of loops, calls, and iterated set members between two decisions."""

APPLICATIONS = 10_000
"""Applications of `always` rules after one step."""

WAITING = 1000
"""Calls that wait for the end of a step at the same time."""

NESTED = 1000
"""Depth of nested calls and blocks."""

VALUES = 200
"""Depth of nested calls of values."""

NUMBERS = 100_000
"""Numbers of an iterated range."""

SUBSETS = 12_000
"""Subsets of one set that are ranged over, and the beginnings of their lists of members."""


class Fault(Exception):
    """The fault `code` of a running program.

    `again` says that the same call would fault again, unless something outside the program
    stopped it.
    """

    again = True

    def __init__(self, code: int) -> None:
        super().__init__(f"fault {code}: {MESSAGES[code]}")
        self.code = code


NO_STEPS = 1
NO_SPACE = 2
INDEX = 3
RANGE = 4
ZERO = 5
NONE = 6
NOT_LAID = 7
NOT_SHOWN = 8
HIDDEN = 9
EMPTY = 10
ELSEWHERE = 11
FULL = 12
NOT_HELD = 13
MISFIT = 14
STOOD_ON = 15
OUTSIDE = 16
TRACK_END = 17
OTHER_TRACK = 18
JOINT = 19
NO_ENTRY = 20
NO_RULE = 21
NO_RESULT = 22
OVERFLOW = 23
TOO_DEEP = 24
TOO_MANY_LATER = 25
TOO_MANY_ALWAYS = 26
PRECONDITION = 27
PROCEED = 28
STUCK = 29
NOBODY = 30
NOT_ONE = 31
NOTHING = 32
ABSENT = 33
FACE = 34
NO_LIMIT = 35
NO_ORDER = 36
NO_HOME = 37
RECURSION = 38
WIDE_RANGE = 39
ENDLESS = 40
BROKEN = 41
MANY_SUBSETS = 42
NOT_KNOWN = 43

MESSAGES: dict[int, str] = {
    NO_STEPS: "the rules ran too long without asking anyone: this does not seem to end",
    NO_SPACE: "the rules use more memory at once than there is",
    INDEX: "an index is out of range",
    RANGE: "the number is outside of the declared range",
    ZERO: "a division by zero",
    NONE: "none has no such property",
    NOT_LAID: "the piece does not lie on a grid",
    NOT_SHOWN: "the piece does not show that segment now",
    HIDDEN: "the pieces there are hidden: they can only be counted and taken",
    EMPTY: "the zone is empty",
    ELSEWHERE: "the piece is elsewhere",
    FULL: "the zone is full",
    NOT_HELD: "the place does not hold such pieces",
    MISFIT: "the piece cannot lie there",
    STOOD_ON: "something stands on the piece",
    OUTSIDE: "the cell is outside of the grid",
    TRACK_END: "that is past the end of the track",
    OTHER_TRACK: "the space is on another track",
    JOINT: "the segments cannot be joined or separated",
    NO_ENTRY: "there is no such entry",
    NO_RULE: "no rule gives the value",
    NO_RESULT: "this rule ends without a result",
    OVERFLOW: "the number does not fit in 32 bits",
    TOO_DEEP: "too many calls run inside each other",
    TOO_MANY_LATER: "too many calls wait for the end of the step",
    TOO_MANY_ALWAYS: "`always` applied too often after one step: this does not seem to end",
    PRECONDITION: "a precondition does not hold",
    PROCEED: "`proceed` for a second time",
    STUCK: "no option is open",
    NOBODY: "there is nobody to ask",
    NOT_ONE: "`the` needs exactly one element",
    NOTHING: "`max` or `min` of an empty set",
    ABSENT: "there is no such thing in this game",
    FACE: "the die cannot lie like that",
    NO_LIMIT: "the zone has no limit, or the grid no size",
    NO_ORDER: "the zone keeps no order",
    NO_HOME: "the piece did not begin in a zone",
    RECURSION: "the action runs too many times at once",
    WIDE_RANGE: "a range of too many numbers",
    ENDLESS: "the game has not ended after too many decisions",
    BROKEN: "the position does not belong to this game",
    MANY_SUBSETS: f"more than {SUBSETS} subsets, or one of too many members",
    NOT_KNOWN: "a subset to choose may hold a piece that the player does not know",
}
"""The message of each fault."""


def fault(code: int) -> NoReturn:
    """Stop with fault `code`. In the IR this is a `Trap`."""
    raise Fault(code)
