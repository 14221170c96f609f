"""What must hold at the end of a scenario."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Mapping as MappingType

from rulesdsl.diagnostics import Report, Span
from rulesdsl.diagnostics.wording import did_you_mean
from rulesdsl.model.checked import Compare, Const, Expr
from rulesdsl.model.nodes import Mapping, Node, Scalar, plain
from rulesdsl.model.nodes import Sequence as SequenceNode
from rulesdsl.model.types import BOOL, FEATURE, Type
from rulesdsl.model.values import Feature, Value
from rulesdsl.pipeline.stages import expression
from rulesdsl.play.game import CHANCE, State
from rulesdsl.play.move import text
from rulesdsl.play.scenario.failure import Failed
from rulesdsl.play.scenario.steps import check_words, find, offered, segment_names
from rulesdsl.run.engine import PlayError

NOBODY = "nobody"


def check_expectations(
    state: State, expect: Mapping, failure: PlayError | None, report: Report
) -> None:
    """Report (`scenario-failed`) everything in `expect` that does not hold in `state`. `failure` is
    the error the last move ended with."""
    for key, node in expect.entries:
        if key.value == "fails":
            _fails(node, failure, report)
        else:
            _CHECKS[str(key.value)](state, node, report)


def _wrong(report: Report, span: Span, message: str) -> None:
    report.error("scenario-failed", message, span)


def _fails(node: Node, failure: PlayError | None, report: Report) -> None:
    wanted = str(plain(node))
    if failure is None:
        _wrong(report, node.span, "the last move does not fail")
    elif wanted not in failure.message:
        _wrong(report, node.span, f"the last move fails otherwise: {failure.message}")


def _mover(state: State, node: Node, report: Report) -> None:
    found, wanted = state.mover or NOBODY, str(plain(node))
    known = (*state.players, CHANCE, NOBODY)
    if wanted not in known:
        help_lines = did_you_mean(wanted, known)
        report.error("scenario-failed", f"no `{wanted}` takes part", node.span, help=help_lines)
    elif found != wanted:
        _wrong(report, node.span, f"it is {found}'s decision")


def _asked(state: State, node: Node, report: Report) -> None:
    if state.asked != plain(node):
        _wrong(report, node.span, f"what is asked is `{state.asked or NOBODY}`")


def _scores(state: State, node: Node, report: Report) -> None:
    scores = state.scores()
    for key, value in node.entries if isinstance(node, Mapping) else ():
        if key.value not in scores:
            _wrong(report, key.span, f"no player `{key.value}` takes part")
        elif scores[str(key.value)] != plain(value):
            _wrong(report, value.span, f"{key.value} has {scores[str(key.value)]}")


def _winners(state: State, node: Node, report: Report) -> None:
    if list(state.winners) != plain(node):
        _wrong(report, node.span, f"the winners are {', '.join(state.winners) or NOBODY}")


def _holds(state: State, node: Node, report: Report) -> None:
    for item in _scalars(node):
        _condition(state, item, {}, {}, report)


def _features(state: State, node: Node, report: Report) -> None:
    for key, conditions in node.entries if isinstance(node, Mapping) else ():
        feature = _feature(state, str(key.value))
        if feature is None:
            known = [str(name) for name in segment_names(state) if "(" in name]
            help = did_you_mean(str(key.value), known)
            report.error("scenario-failed", f"no feature holds `{key.value}`", key.span, help=help)
            continue
        for item in _scalars(conditions):
            _condition(state, item, {"f": FEATURE}, {"f": feature}, report)


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
    report: Report,
) -> None:
    checked = expression(item.span, state.game.checked, BOOL, types, report)
    if checked is None:
        return
    try:
        if state.position.evaluate(checked, values) is not True:
            help = _sides(state, checked, values)
            report.error("scenario-failed", "this does not hold", item.span, help=help)
    except PlayError as error:
        _wrong(report, item.span, f"this cannot be computed: {error.message}")


def _sides(state: State, checked: Expr, values: MappingType[str, Value]) -> tuple[str, ...]:
    """What is compared, where the condition compares: ``f.cells` is 3`."""
    if not isinstance(checked, Compare):
        return ()
    found = {
        side.span.text: text(state.names.short(state.position.evaluate(side, values)))
        for side in (checked.left, checked.right)
        if not isinstance(side, Const)
    }
    return tuple(f"`{written}` is {value}" for written, value in found.items() if written != value)


def _legal(state: State, node: Node, report: Report) -> None:
    for item in _scalars(node):
        if not find(state, str(item.value)):
            try:
                check_words(state, item)
            except Failed as failure:
                report.add(failure.diagnostic())
                continue
            message = f"this is not offered to {state.mover or NOBODY}"
            help = (f"there is {offered(state)}",) if state.mover else ()
            report.error("scenario-failed", message, item.span, help=help)


def _illegal(state: State, node: Node, report: Report) -> None:
    for item in _scalars(node):
        try:
            check_words(state, item)
        except Failed as failure:
            report.add(failure.diagnostic())
        if find(state, str(item.value)):
            _wrong(report, item.span, f"this is offered to {state.mover}")


def _scalars(node: Node) -> list[Scalar]:
    items = node.items if isinstance(node, SequenceNode) else ()
    return [item for item in items if isinstance(item, Scalar)]


_CHECKS: dict[str, Callable[[State, Node, Report], None]] = {
    "mover": _mover,
    "asked": _asked,
    "scores": _scores,
    "winners": _winners,
    "holds": _holds,
    "features": _features,
    "legal": _legal,
    "illegal": _illegal,
}
