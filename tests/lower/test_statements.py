"""Blocks that change states: the lowered program leaves them as the plain evaluator does."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import pytest
import yaml

from rulesdsl.engine.lower.bodies.statements import Locals, LocalTypes, Statements
from rulesdsl.engine.lower.context import Lowering
from rulesdsl.engine.lower.emit import Builder
from rulesdsl.engine.lower.expressions.expressions import ExpressionLowering
from rulesdsl.engine.run.interface import PlayError
from rulesdsl.engine.runtime import faults
from rulesdsl.language.diagnostics import Span
from rulesdsl.language.model import checked, ir
from rulesdsl.language.model.types import UNIT
from tests.engines.machine_games import game
from tests.ir.evaluate import Stopped
from tests.lower.machine import Machine
from tests.oracle.evaluate import Scope, run_block

CASES = yaml.safe_load((Path(__file__).parent / "test_statements_cases.yaml").read_text("utf-8"))
IDLE = "action game(): end_game(players)\n"


class Quiet:
    """Calls of a block that makes none."""

    def __init__(self, builder: Builder) -> None:
        self.builder = builder

    def perform(self, node: checked.Perform) -> None:
        raise AssertionError(node)

    def later(self, node: checked.Later) -> None:
        raise AssertionError(node)

    def inside(self, span: Span) -> AbstractContextManager[None]:
        return nullcontext()

    def leave(self, node: checked.Leave) -> None:
        raise AssertionError(node)

    def returned(self, node: checked.Return) -> None:
        self.builder.emit(ir.Return(None, node.span))


def change(lowering: Lowering) -> ir.Function:
    """The body of the action `change`."""
    body = lowering.checked.actions["t/change"].body
    builder = Builder()
    types = LocalTypes(lowering.checked, UNIT).of(body)
    expressions = ExpressionLowering(lowering, builder, Locals(builder, types))
    Statements(expressions, Quiet(builder)).block(body)
    return builder.function("change", "")


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_case(case: dict[str, Any]) -> None:
    machine = Machine(game(case["rules"] + IDLE), 2, change)
    machine.compare_states()
    body = machine.checked.actions["t/change"].body
    if "fails" in case:
        if not case.get("only_lowered"):
            with pytest.raises(PlayError):
                run_block(machine.context, body, Scope())
        with pytest.raises(Stopped) as caught:
            machine.call("change")
        assert caught.value.code == getattr(faults, case["fails"])
        return
    run_block(machine.context, body, Scope())
    top = machine.tables["heap_top"][0]
    machine.call("change")
    machine.compare_states()
    assert machine.context.states, "nothing has changed"
    assert case["name"] == "blocks" or machine.tables["heap_top"][0] == top
