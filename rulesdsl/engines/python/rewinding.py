"""Games that are stopped right before a call of an action, to set a scene there."""

from __future__ import annotations

from rulesdsl.engines.lowered import Lowered
from rulesdsl.engines.position import fault_error, write_generator
from rulesdsl.engines.python.games import printed_game
from rulesdsl.engines.python.machine import PythonMachine
from rulesdsl.engines.rng import Rng
from rulesdsl.runtime.faults import Fault


class _Reached(Exception):
    """Raised where the call begins."""


def rewound(
    lowered: Lowered, action: str, times: int, seed: int | None
) -> tuple[Lowered, PythonMachine, int]:
    """Begin a game and stop right before the `times`-th call of an action.

    Every decision takes its first candidate. Returns the game, its machine and the number of calls
    that are missing if it ends before. Raises PlayError.
    """
    game = printed_game(lowered.checked, lowered.players, paused=action)
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
    return game.lowered, machine, left
