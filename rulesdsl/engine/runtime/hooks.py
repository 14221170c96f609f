"""Callbacks from the runtime to the rules of a game.

These bodies hold for a game without rules. `lower` replaces the functions by those of a game.
"""

from __future__ import annotations

# --- likeness ------------------------------------------------------------------------------------


def mark_states() -> None:
    """Mark the pieces that states name, with `name_piece` and `name_segment`."""


def mark_queue() -> None:
    """Mark the pieces that queued calls name."""


def same_states(a: int, b: int) -> bool:
    """Return whether two pieces of one kind, and their segments one by one, have equal states."""
    return True


def states_key(piece: int) -> int:
    """Return a hash of the states of a piece and its segments."""
    return 0


def stateful() -> int:
    """Return the mask of the classes of pieces that may have states, they or their segments.

    Drawing a piece of another class is quicker.
    """
    return -1


# --- the machine ---------------------------------------------------------------------------------


def prepare_states() -> None:
    """Reset every state to its initial value."""


def begin_game() -> None:
    """Start the action that plays the game."""


def begin_option(row: int) -> None:
    """Start the option of a row of the moves, in `moves` or as `listed`."""


def begin_finish() -> None:
    """Start the action that ends the game."""


def finishing() -> bool:
    """Return whether the action that ends the game is running."""
    return False


def step(frame: int, point: int) -> None:
    """Continue the innermost frame from its point."""


def settle_rest() -> None:
    """Start settling the calls that were queued outside of any step."""


def list_moves(frame: int) -> None:
    """Fill `moves` for the choice of a frame."""


def forget_depths() -> None:
    """Reset all counters of nesting depth, when nothing runs any more."""


def final_score(seat: int) -> int:
    """Return the score of a player, 0 in a game without points."""
    return 0


def standing(seat: int) -> int:
    """Return the number by which players compare, the best of which is the largest.

    It is the score, negated where the fewest points win; without points it is 1 for winners.
    """
    return 0
