"""Conditions that must hold at the end of a scenario, of the game and of its features."""

from __future__ import annotations

from collections.abc import Mapping as MappingType

from rulesdsl.diagnostics import Report
from rulesdsl.diagnostics.wording import did_you_mean
from rulesdsl.model.checked import Compare, Const, Expr
from rulesdsl.model.nodes import Mapping, Node, Scalar
from rulesdsl.model.nodes import Sequence as SequenceNode
from rulesdsl.model.types import BOOL, FEATURE, Type
from rulesdsl.model.values import Feature, Value
from rulesdsl.pipeline.stages import expression
from rulesdsl.play.game import State
from rulesdsl.play.move import text
from rulesdsl.play.scenario.findings import Edit, Findings
from rulesdsl.play.scenario.steps import segment_names
from rulesdsl.run.engine import PlayError


def holds(state: State, node: Node, found: Findings) -> None:
    """Every condition must be true."""
    for item in _scalars(node):
        _condition(state, item, {}, {}, found)


def features(state: State, node: Node, found: Findings) -> None:
    """By the name of a segment: every condition about its feature, `f`, must be true."""
    for key, conditions in node.entries if isinstance(node, Mapping) else ():
        feature = _feature(state, str(key.value))
        if feature is None:
            known = [str(name) for name in segment_names(state) if "(" in name]
            help = did_you_mean(str(key.value), known)
            found.wrong(key.span, f"no feature holds `{key.value}`", help)
            continue
        for item in _scalars(conditions):
            _condition(state, item, {"f": FEATURE}, {"f": feature}, found)


def _feature(state: State, name: str) -> Feature | None:
    names = state.names
    for feature, segments in state.position.features():
        if any(names.full(segment) == name for segment in segments):
            return feature
    return None


def _condition(
    state: State,
    item: Scalar,
    types: MappingType[str, Type],
    values: MappingType[str, Value],
    found: Findings,
) -> None:
    report = Report()
    checked = expression(item.span, state.game.checked, BOOL, types, report)
    for each in report:
        found.add(each)
    if checked is None:
        return
    try:
        if state.position.evaluate(checked, values) is not True:
            sides = _sides(state, checked, values)
            help = [f"`{written}` is {value}" for written, value in sides if written != value]
            found.wrong(item.span, "this does not hold", help, _edits(state, checked, values))
    except PlayError as error:
        found.wrong(item.span, f"this cannot be computed: {error.message}")


def _sides(
    state: State, checked: Expr, values: MappingType[str, Value]
) -> dict[tuple[str, str], None]:
    """What is compared and its value, where the condition compares: ``f.cells` is 3`."""
    if not isinstance(checked, Compare):
        return {}
    return {
        (side.span.text, _value(state, side, values)): None
        for side in (checked.left, checked.right)
        if not isinstance(side, Const)
    }


def _edits(state: State, checked: Expr, values: MappingType[str, Value]) -> list[Edit]:
    """Where something is compared with a value that is written down: that value."""
    if not isinstance(checked, Compare) or checked.operator != "==":
        return []
    match checked.left, checked.right:
        case (Const() as constant, other) | (other, Const() as constant):
            if constant.setting is None and not isinstance(other, Const):
                return [Edit(constant.span, _value(state, other, values))]
    return []


def _value(state: State, side: Expr, values: MappingType[str, Value]) -> str:
    return text(state.names.short(state.position.evaluate(side, values)))


def _scalars(node: Node) -> list[Scalar]:
    items = node.items if isinstance(node, SequenceNode) else ()
    return [item for item in items if isinstance(item, Scalar)]
