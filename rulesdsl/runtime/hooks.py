"""What the rules of a game do when the runtime asks them to.

These bodies hold for a game without rules. `lower` replaces the functions by those of a game.
"""

from __future__ import annotations

# --- likeness ------------------------------------------------------------------------------------


def mark_states() -> None:
    """Name what states name, with `name_piece` and `name_segment`."""


def mark_queue() -> None:
    """Name what calls that wait name."""


def same_states(a: int, b: int) -> bool:
    """Have two pieces of one kind equal states, they and their segments one by one?"""
    return True


def stateless() -> bool:
    """Is it sure that neither pieces nor segments have states?

    Then drawing one is quicker.
    """
    return False


# --- the machine ---------------------------------------------------------------------------------


def prepare_states() -> None:
    """Let every state be as in the beginning."""


def begin_game() -> None:
    """Begin to run the action that plays the game."""


def begin_option(row: int) -> None:
    """Begin to run what a row of the moves stands for, in `moves` or as `listed`."""


def begin_finish() -> None:
    """Begin to run the action that ends the game."""


def finishing() -> bool:
    """Does the action that ends the game run?"""
    return False


def step(frame: int, point: int) -> None:
    """Go on with the innermost frame from its point."""


def settle_rest() -> None:
    """Begin to settle what was queued outside of any step."""


def list_moves(frame: int) -> None:
    """Fill `moves` for the choice of a frame."""


def forget_depths() -> None:
    """Nothing runs any more: whatever counts how deep things run begins anew."""


def final_score(seat: int) -> int:
    """Return the score of a player."""
    return 0
