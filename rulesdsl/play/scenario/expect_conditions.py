"""Conditions that must hold at the end of a scenario, of the game and of its features."""

from __future__ import annotations

from collections.abc import Mapping as MappingType

from rulesdsl.diagnostics import Report
from rulesdsl.diagnostics.wording import listed
from rulesdsl.model.checked import Compare, Const, Expr
from rulesdsl.model.nodes import Mapping, Node, Scalar
from rulesdsl.model.nodes import Sequence as SequenceNode
from rulesdsl.model.types import BOOL, FEATURE, Type
from rulesdsl.model.values import Feature, Value
from rulesdsl.pipeline.stages import expression
from rulesdsl.play.game import State
from rulesdsl.play.move import text
from rulesdsl.play.scenario.failure import Failed
from rulesdsl.play.scenario.findings import Edit, Findings
from rulesdsl.play.scenario.vocabulary import segment_mistake
from rulesdsl.play.written import is_segment
from rulesdsl.run.engine import PlayError

_SHOWN = 6


def holds(state: State, node: Node, found: Findings) -> None:
    """Every condition must be true."""
    for item in _scalars(node):
        _condition(state, item, {}, {}, found)


def features(state: State, node: Node, found: Findings) -> None:
    """By the name of a segment: every condition about its feature, `f`, must be true."""
    for key, conditions in node.entries if isinstance(node, Mapping) else ():
        called = _features(state, str(key.value))
        if not called:
            found.wrong(key.span, *segment_mistake(str(key.value), state))
        elif len(called) > 1:
            shown = listed([f"`{state.names.short(each)}`" for each in called][:_SHOWN], "and")
            message = f"{len(called)} features hold a segment `{key.value}`"
            found.wrong(key.span, message, [f"name one with its cell, as {shown} are"])
        else:
            for item in _scalars(conditions):
                _condition(state, item, {"f": FEATURE}, {"f": called[0]}, found)


def _features(state: State, name: str) -> list[Feature]:
    return [
        feature
        for feature, segments in state.position.features()
        if any(is_segment(name, segment, state.names) for segment in segments)
    ]


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
        found.add(Failed.by(error, "this cannot be computed: ", item.span).diagnostic())


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
