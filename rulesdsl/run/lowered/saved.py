"""Positions from the bytes that they were saved as."""

from __future__ import annotations

from rulesdsl.core.faults import MESSAGES, Fault
from rulesdsl.run.lowered.machine import Machine
from rulesdsl.run.lowered.moves import write_asked
from rulesdsl.run.lowered.pack import refused
from rulesdsl.run.lowered.position import LoweredPosition
from rulesdsl.run.lowered.shared import Lowered


def from_bytes(lowered: Lowered, machine: Machine, data: bytes) -> LoweredPosition:
    """The position that `to_bytes` gave `data` for, on a machine that may be in any state; raises
    `SavedError` for data that is not one of this game with this number of players."""
    twins, tables = lowered.twins, machine.tables
    snapshot, runtime = twins.pack.from_bytes(data)
    expected = twins.readable(runtime).decision
    position = LoweredPosition(lowered, machine)
    try:
        twins.snapshots.write(tables, snapshot)
        position.rebuild()
        write_asked(lowered.plan, tables, expected)
        found = position.decision
    except OverflowError as error:
        raise refused(str(error)) from None
    except Fault as fault:
        raise refused(MESSAGES[fault.code]) from None
    assert found == expected, "the engines disagree"
    return position
