"""Games that are stopped right before a call of an action, to set a scene there."""

from __future__ import annotations

from rulesdsl.engine.run.playing import PreparedGame
from rulesdsl.engine.run.position import start
from rulesdsl.engine.run.python.machine import PythonMachine


class _Reached(Exception):
    """Raised where the call begins."""


def rewound(
    game: PreparedGame, action: str, times: int, seed: int | None
) -> tuple[PythonMachine, int]:
    """Begin a game and stop right before the `times`-th call of an action.

    The game is one that can be stopped there. Every decision takes its first candidate. Returns the
    machine and the number of calls that are missing if the game ends before. Raises PlayError.
    """
    machine = game.blank.clone()
    assert isinstance(machine, PythonMachine), "it is printed as Python"
    entry, function = next(
        (number, routine.function)
        for number, routine in enumerate(game.lowered.plan.routines)
        if (routine.kind, routine.key, routine.inner) == ("action", action, 0)
    )
    left, functions = times, machine.instance.functions
    run, kept = functions[function], machine.keep()

    def routine(frame: int, point: int) -> None:
        nonlocal left, kept
        left -= point == entry
        if not left:
            kept = machine.keep()
            raise _Reached
        run(frame, point)

    functions[function] = routine
    try:
        begun = start(game.lowered, machine, seed)
        while begun.outlook.weights:
            begun.play(0)
    except _Reached:
        machine.restore(kept)
    finally:
        functions[function] = run
    return machine, left
