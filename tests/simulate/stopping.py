"""A program for the tests: simulates into a folder, and kills itself after some blocks."""

from __future__ import annotations

import os
import signal
import sys

from rulesdsl.study.playing import local
from rulesdsl.study.simulate import GameStore, simulate
from tests.simulate.studies import hamlets


def main(folder: str, games: int, after: int) -> None:
    """Play so many games, and die after so many of them."""
    study = hamlets(games)
    for summary in simulate(study, local(1), GameStore(folder, study)):
        if summary.games >= after:
            os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
