"""Playout statistics of the running game: options offered, the lead, points by source."""

from __future__ import annotations

from rulesdsl.runtime.hooks import final_score
from rulesdsl.runtime.tables import *


def open_account() -> None:
    """Reset the statistics at the start of a game."""
    for row in range(SOURCES[0] * PLAYERS[0]):
        gained[row] = 0
    offered[0] = 0
    lead[0] = -1
    leads[0] = 0
    scored[0] = 1


def note_options() -> None:
    """Count the moves offered, if a player decides; call it before the move is played."""
    if waiting[0] == 1:
        offered[0] += move_count[0]


def note_lead() -> None:
    """Record a change of the lead after a move.

    The lead passes to a player who alone has the most points, and stays until another one does.
    """
    if scored[0] == 0:
        return
    scored[0] = 0
    best = final_score(0)
    leader = 0
    for seat in range(1, PLAYERS[0]):
        score = final_score(seat)
        if score > best:
            best = score
            leader = seat
        elif score == best:
            leader = -1
    if leader >= 0 and leader != lead[0]:
        if lead[0] >= 0:
            leads[0] += 1
        lead[0] = leader
