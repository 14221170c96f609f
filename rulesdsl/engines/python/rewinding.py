"""Games that are stopped right before a call of an action, to set a scene there."""

from __future__ import annotations

from rulesdsl.engines.playing import PreparedGame
from rulesdsl.engines.position import fault_error, write_generator
from rulesdsl.engines.python.machine import PythonMachine
from rulesdsl.engines.rng import Rng
from rulesdsl.runtime.faults import Fault


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
    run = functions[function]

    def routine(frame: int, point: int) -> None:
        nonlocal left
        left -= point == entry
        if not left:
            raise _Reached
        run(frame, point)

    write_generator(machine.tables, None if seed is None else Rng.seeded(seed))
    functions[function] = routine
    try:
        machine.call("start")
        while machine.first("waiting"):
            machine.call("play", 0)
    except _Reached:
        pass
    except Fault as fault:
        raise fault_error(fault, machine.place(fault)) from None
    finally:
        functions[function] = run
    return machine, left
