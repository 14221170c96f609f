"""Expectations of a scenario: conditions, moves, the table, and each player's view of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from collections.abc import Mapping as MappingType

from rulesdsl.engine.build.stages import expression
from rulesdsl.engine.run.interface import Laid, PlayError, Seen
from rulesdsl.language.diagnostics import Diagnostic, Label, Report, Span
from rulesdsl.language.diagnostics.report import did_you_mean, listed
from rulesdsl.language.model import checked as tree
from rulesdsl.language.model.names import short_name
from rulesdsl.language.model.nodes import Mapping, Node, Scalar, entries, items, plain, scalars
from rulesdsl.language.model.types import BOOL, FEATURE, GRID, Type
from rulesdsl.language.model.values import Grid, Piece, Segment, Value, Zone
from rulesdsl.play.game import CHANCE, State
from rulesdsl.play.moves import SEGMENT, Move, is_segment, means, text, wanted
from rulesdsl.play.scenario import outcome, steps
from rulesdsl.play.scenario.scene import board_entries, places_of
from rulesdsl.play.table import segments_of

_SHOWN = 6
_READS = (
    tree.ReadState,
    tree.ReadAttribute,
    tree.AttributeAt,
    tree.CallValue,
    tree.CallBuiltin,
    tree.EntryAt,
    tree.Reach,
)


def holds(state: State, node: Node, found: outcome.Findings) -> None:
    """Report every condition that is not true."""
    for item in scalars(node):
        _condition(state, item, {}, {}, found)


def features(state: State, node: Node, found: outcome.Findings) -> None:
    """Report conditions about a feature `f`, named by one of its segments, that are not true."""
    for key, conditions in entries(node):
        called = [
            feature
            for feature, segments in state.position.features()
            if any(is_segment(str(key.value), each, state.names) for each in segments)
        ]
        if not called:
            found.wrong(key.span, *steps.segment_mistake(str(key.value), state))
        elif len(called) > 1:
            shown = listed([f"`{state.names.short(each)}`" for each in called][:_SHOWN], "and")
            message = f"{len(called)} features hold a segment `{key.value}`"
            found.wrong(key.span, message, [f"name one with its cell, as {shown} are"])
        else:
            for item in scalars(conditions):
                _condition(state, item, {"f": FEATURE}, {"f": called[0]}, found)


def _condition(
    state: State,
    item: Scalar,
    types: MappingType[str, Type],
    values: MappingType[str, Value],
    found: outcome.Findings,
) -> None:
    report = Report()
    checked = condition(item, state.game.checked, types, report)
    for each in report:
        found.add(each)
    if checked is None:
        return
    try:
        if state.position.evaluate(checked, values) is not True:
            edits = _edits(state, checked, values)
            found.wrong(item.span, "this does not hold", why_not(state, checked, values), edits)
    except PlayError as error:
        found.add(outcome.Failed.by(error, "this cannot be computed: ", item.span).diagnostic())


def condition(
    item: Node, game: tree.Checked, types: MappingType[str, Type], report: Report
) -> tree.Expr | None:
    """Return a checked condition of a file of scenarios; None after a mistake, which is reported.

    `types` are those of its locals.
    """
    checked = expression(item.span, game, BOOL, types, report)
    if checked is not None and _is_constant(checked):
        help = ("compare something of the position, as in `red.score == 3`",)
        message = "this says nothing: no rule and no move changes it"
        report.error("scenario-failed", message, item.span, help=help)
        return None
    return checked


def why_not(
    state: State, condition: tree.Expr, values: MappingType[str, Value] | None = None
) -> list[str]:
    """Return lines with the values of which a condition is false; `values` are those of locals.

    Of several parts they are about the first that is false, of several elements about the first
    for which it is. Raises PlayError.
    """
    known = values or {}
    match condition:
        case tree.Binary(operator="and", left=left, right=right):
            wrong = left if state.position.evaluate(left, known) is not True else right
            return why_not(state, wrong, known)
        case tree.Binary(operator="or", left=left, right=right):
            return [*why_not(state, left, known), *why_not(state, right, known)]
        case tree.Aggregate(function="all", value=tree.Typed() as value, binders=binders):
            for found in _elements(state, binders, known):
                if state.position.evaluate(value, {**known, **found}) is not True:
                    named = ((n.partition("$")[0], v) for n, v in found.items())
                    said = (f"`{n}` is {text(state.names.short(each))}" for n, each in named)
                    return [listed([*said], "and"), *why_not(state, value, {**known, **found})]
    sides = _sides(state, condition, known)
    return [f"`{written}` is {value}" for written, value in sides if written != value]


class InvariantWatch:
    """The invariants of a game that a test looks at, each until it is broken.

    Those that do not hold in a `scene` that is arranged are not looked at.
    """

    def __init__(self, state: State, *, scene: bool) -> None:
        self.found: list[outcome.FailedExpectation] = []
        self._left = list(state.game.checked.invariants)
        if scene and not self._all_hold(state):
            self._left = [each for each in self._left if _broken(state, each) is None]

    def look(self, state: State, span: Span, when: str) -> None:
        """Report the invariants that do not hold now, if a player decides or the game is over.

        The finding is at `span`, the place of the last move, and `when` is `after ...`.
        """
        if state.mover == CHANCE or self._all_hold(state):
            return
        for each in self._left.copy():
            if wrong := _broken(state, each):
                self._left.remove(each)
                message, help = wrong
                message = f"`{short_name(each.key)}` {message} {when}"
                labels = (Label(each.span, "this invariant"),)
                found = Diagnostic("broken-invariant", message, span, "", labels, help)
                self.found.append(outcome.FailedExpectation(found))

    def _all_hold(self, state: State) -> bool:
        """Return whether no invariant is broken, computed together since that is faster."""
        checked, holds = state.game.checked, [each.holds for each in self._left]
        if holds and len(holds) == len(checked.invariants):
            holds = [checked.invariant]
        try:
            return all(state.position.evaluate(each, {}) is True for each in holds)
        except PlayError:
            return False


def _broken(state: State, each: tree.Invariant) -> tuple[str, tuple[str, ...]] | None:
    """Return how an invariant is broken, with its values; None if it holds."""
    try:
        if state.position.evaluate(each.holds, {}) is True:
            return None
        return "does not hold", tuple(why_not(state, each.holds))
    except PlayError as error:
        return "cannot be computed", (error.message,)


def _elements(
    state: State, binders: Sequence[tree.Binder], known: MappingType[str, Value]
) -> Iterator[dict[str, Value]]:
    """Yield the elements over which binders range, by name."""
    if not binders:
        yield {}
        return
    binder, *others = binders
    domain = state.position.evaluate(binder.domain, known)
    # An unordered pair has two names, and a zone is not a set.
    for each in domain if isinstance(domain, tuple) and len(binder.names) == 1 else ():
        own = {binder.names[0]: each}
        inner = {**known, **own}
        if binder.where is None or state.position.evaluate(binder.where, inner) is True:
            yield from ({**own, **more} for more in _elements(state, others, inner))


def _is_constant(checked: tree.Expr) -> bool:
    """Return whether a condition reads nothing of the position, or compares a thing with itself."""
    if isinstance(checked, tree.Compare) and checked.left.span.text == checked.right.span.text:
        return True
    return not any(
        isinstance(each, _READS) or (isinstance(each, tree.Const) and each.setting is not None)
        for each in tree.walk(checked)
    )


def _sides(
    state: State, checked: tree.Expr, values: MappingType[str, Value]
) -> dict[tuple[str, str], None]:
    """Return the sides of a comparison with their values, such as `f.cells` and `3`."""
    if not isinstance(checked, tree.Compare):
        return {}
    return {
        (side.span.text, _value(state, side, values)): None
        for side in (checked.left, checked.right)
        if not isinstance(side, tree.Const)
    }


def _edits(
    state: State, checked: tree.Expr, values: MappingType[str, Value]
) -> list[outcome.FileEdit]:
    """Return the edit that corrects the constant in a comparison with `==`, if there is one."""
    if not isinstance(checked, tree.Compare) or checked.operator != "==":
        return []
    match checked.left, checked.right:
        case (tree.Const() as constant, other) | (other, tree.Const() as constant):
            if constant.setting is None and not isinstance(other, tree.Const):
                return [outcome.FileEdit(constant.span, _value(state, other, values))]
    return []


def _value(state: State, side: tree.Expr, values: MappingType[str, Value]) -> str:
    return text(state.names.short(state.position.evaluate(side, values)))


def legal(state: State, node: Node, found: outcome.Findings) -> None:
    """Report every move that is not legal, and every entry that means the move of another one."""
    meant = [(item, _meant(state, item, found)) for item in scalars(node)]
    _report_repeated(meant, found)
    for item, moves in meant:
        if moves == []:
            help = [f"legal moves: {steps.offered(state)}"] if state.mover else []
            help += steps.asking_why(state, str(item.value), item.span, found.scenario)
            found.wrong(item.span, f"this is not legal for {state.mover or steps.NOBODY}", help)


def illegal(state: State, node: Node, found: outcome.Findings) -> None:
    """Report every move that is legal, or could not be legal now whatever the rules say.

    It names things that do not exist, or belongs to a choice that is not asked.
    """
    for item in scalars(node):
        moves = steps.find(state, str(item.value))
        if moves:
            meant = steps.as_step(moves[0])
            help = [f"it means `{meant}`"] if meant != item.value else []
            found.wrong(item.span, f"this is legal for {state.mover}", help)
        elif _meant(state, item, found) == [] and not steps.is_asked(state, str(item.value)):
            message = f"no choice with this move is asked: it is {state.asked or 'the end'}"
            help = ["stop where the choice is asked, or expect `asked` or `mover`"]
            found.wrong(item.span, message, help)


def offers(state: State, node: Node, found: outcome.Findings) -> None:
    """Report the difference between these moves and the legal moves."""
    items = scalars(node)
    known = [(item, moves) for item in items if (moves := _meant(state, item, found)) is not None]
    _report_repeated(known, found)
    wanted = {move: None for _, moves in known for move in moves}
    missing = [str(item.value) for item, moves in known if not moves]
    others = [steps.as_step(move) for move in state.moves() if move not in wanted]
    if missing or others:
        help = outcome.of_sets(missing, others)
        written = [steps.as_step(move) for move in state.moves()]
        edits = [outcome.rewritten(node, written)] if len(known) == len(items) else []
        found.wrong(
            node.span, f"{state.mover or steps.NOBODY} has other legal moves", [help], edits
        )


def _report_repeated(
    meant: Sequence[tuple[Scalar, list[Move] | None]], found: outcome.Findings
) -> None:
    """Report every entry that means the same move as one before it."""
    first: dict[Move, Scalar] = {}
    for item, moves in meant:
        for move in moves or ():
            before = first.setdefault(move, item)
            if before is not item:
                message = f"this is the same move as `{before.value}`, which is in the list already"
                help = [
                    "name the other move, or leave this entry out: equal components are one move"
                ]
                found.wrong(item.span, message, help)


def _meant(state: State, item: Scalar, found: outcome.Findings) -> list[Move] | None:
    """Return the legal move that is meant, or an empty list.

    None for a move that names nothing or may be several, which is reported.
    """
    moves = steps.find(state, str(item.value))
    if len(moves) > 1:
        found.wrong(item.span, steps.ambiguous(str(item.value), moves))
        return None
    if not moves and (mistake := steps.mistake_in(wanted(str(item.value)), state)) is not None:
        found.wrong(item.span, *mistake)
        return None
    return moves


HIDDEN = "hidden"


def board(state: State, node: Node, found: outcome.Findings) -> None:
    """Report the difference between these pieces and those on the grids.

    Figures and tokens on pieces are compared, too.
    """
    laid = board_entries(state)
    wanted = [item for item in items(node) if isinstance(item, Mapping)]
    left, missing, misspelt = dict(laid), list[Mapping](), False
    for entry in wanted:
        item = next((each for each in left if _is_so(entry, each, state)), None)
        if item is not None:
            del left[item]
            continue
        missing.append(entry)
        for name, mistake in _mistakes(entry, state):
            found.wrong(name.span, *mistake)
            misspelt = True
    if (missing or left) and not misspelt:
        told = [outcome.of_sets([*map(_shown, missing)], [*map(outcome.flow, left.values())])]
        edits = [outcome.rewritten(node, [*laid.values()])]
        found.wrong(node.span, "the board is different", told, edits)


def _shown(entry: Mapping) -> str:
    """Return the text of an entry about a piece, without a rotation by 0 degrees."""
    said = plain(entry)
    assert isinstance(said, dict), "a mapping"
    return outcome.flow({key: value for key, value in said.items() if value or key == "at"})


def _is_so(entry: Mapping, item: Laid, state: State) -> bool:
    """Return whether a piece lies as it is written, with exactly the occupants that are written."""
    names, grid = state.names, entry.get("grid")
    at, rotation = plain(entry.get("at")), plain(entry.get("rotation")) or 0
    if (at, rotation) != (
        [item.cell.x, item.cell.y],
        state.game.checked.game.degrees * item.rotation,
    ):
        return False
    lies = Grid(item.cell.grid, item.cell.owner)
    if isinstance(grid, Scalar) and not means(str(grid.value), lies, names):
        return False
    if not means(plain(entry.get("piece")), item.piece, names):
        return False
    there = dict[Segment, list[Piece]]()
    for piece, place in places_of(state).items():
        if isinstance(place, Segment) and place.piece == item.piece.index:
            there.setdefault(place, []).append(piece)
    for key, node in entries(entry.get("stands")):
        segments = [each for each in there if is_segment(str(key.value), each, names)]
        if len(segments) != 1 or _unlike(_texts(node), there.pop(segments[0]), False, state):
            return False
    return not there


def _mistakes(entry: Mapping, state: State) -> Iterator[tuple[Scalar, steps.Mistake]]:
    piece, grid, stands = entry.get("piece"), entry.get("grid"), entries(entry.get("stands"))
    for name in [piece, *(each for _, node in stands for each in steps.components(node))]:
        if isinstance(name, Scalar) and (mistake := steps.piece_mistake(str(name.value), state)):
            yield name, mistake
    for key, _ in stands:
        if not _has_segment(str(key.value), entry, state):
            yield key, steps.segment_mistake(str(key.value), state)
    if isinstance(grid, Scalar) and (mistake := steps.name_mistake(str(grid.value), GRID, state)):
        yield grid, mistake


def _has_segment(name: str, entry: Mapping, state: State) -> bool:
    """Return whether the piece that is meant has a segment of that name.

    If no piece lies there, say whether there may be such a segment.
    """
    names, written = state.names, SEGMENT.fullmatch(name)
    kinds = {short_name(each.shape.name) for each in state.game.checked.game.feature_kinds}
    if written is None or written["kind"] not in kinds:
        return False
    at, piece = plain(entry.get("at")), plain(entry.get("piece"))
    lies = [
        each.piece
        for each in state.position.laid()
        if at == [each.cell.x, each.cell.y] and means(piece, each.piece, names)
    ]
    return not lies or any(is_segment(name, each, names) for each in segments_of(state, lies[0]))


def zones(state: State, node: Node, found: outcome.Findings) -> None:
    """Report the difference between these components and those in the zones that are named."""
    for key, inside in entries(node):
        zone = _zone(key, state, found)
        if zone is not None:
            there = state.position.world.members(zone)
            _compare(f"in {key.value} is", inside, there, zone, state, found)


def sees(state: State, node: Node, found: outcome.Findings) -> None:
    """Report the difference from a player's view of zones; `hidden` is an unknown component.

    What the player was told of it may follow.
    """
    for player, views in entries(node):
        if player.value not in state.players:
            found.wrong(player.span, f"no player `{player.value}` takes part")
            continue
        seat = state.players.index(str(player.value))
        for key, inside in entries(views):
            zone = _zone(key, state, found)
            if zone is not None:
                seen = state.position.seen(zone, seat)
                begin = f"{player.value} sees in {key.value}"
                _compare(begin, inside, seen, zone, state, found)


def _zone(key: Scalar, state: State, found: outcome.Findings) -> Zone | None:
    zone = steps.zone_called(str(key.value), state)
    if zone is None:
        found.wrong(key.span, *steps.zone_mistake(str(key.value), state))
    return zone


def _compare(
    begin: str,
    node: Node,
    there: Sequence[Seen],
    zone: Zone,
    state: State,
    found: outcome.Findings,
) -> None:
    """Report the difference between expected and actual components of a zone.

    Order counts if the zone keeps one.
    """
    wanted, ordered = _texts(node), state.game.checked.game.zones[zone.zone].ordered
    if not _unlike(wanted, there, ordered, state):
        return
    misspelt = False
    for name in steps.components(node):
        hidden = str(name.value).startswith(HIDDEN)
        mistake = None if hidden else steps.piece_mistake(str(name.value), state)
        if mistake is not None:
            found.wrong(name.span, *mistake)
            misspelt = True
    if misspelt:
        return
    texts = [_text(piece, state) for piece in there]
    expected = [_as_there(name, there, state) for name in wanted]
    help = outcome.of_sets(expected, texts)
    if not help:
        help = outcome.side_by_side([("order", outcome.flow(wanted), outcome.flow(texts))])
    message = f"{begin} {', '.join(outcome.counted(texts)) or 'nothing'}"
    found.wrong(node.span, message, [help], [outcome.rewritten(node, texts)])


def _unlike(wanted: Sequence[str], there: Sequence[Seen], ordered: bool, state: State) -> bool:
    """Return whether the components are others than those that are named."""
    if len(wanted) != len(there):
        return True
    if ordered:
        return not all(_is(name, piece, state) for name, piece in zip(wanted, there, strict=True))
    fits = [{n for n, piece in enumerate(there) if _is(name, piece, state)} for name in wanted]
    return not can_bind(fits)


def can_bind(fits: Sequence[set[int]]) -> bool:
    """Return whether every name can have a component of its own among those that it fits."""
    bound: dict[int, int] = {}
    for name in range(len(fits)):
        reached, queue, free = dict[int, int](), [name], None
        while queue and free is None:
            asking = queue.pop()
            free = next((n for n in sorted(fits[asking]) if n not in bound), None)
            if free is not None:
                reached[free] = asking
                break
            for n in sorted(fits[asking] - reached.keys()):
                reached[n] = asking
                queue.append(bound[n])
        if free is None:
            return False
        held = {asking: n for n, asking in bound.items()}
        at: int | None = free
        while at is not None:
            asking = reached[at]
            bound[at], at = asking, held.get(asking)
    return True


def _is(name: str, piece: Seen, state: State) -> bool:
    if isinstance(piece, Piece):
        return means(name, piece, state.names)
    return name in (HIDDEN, _text(piece, state))


def _as_there(name: str, there: Sequence[Seen], state: State) -> str:
    """Return the name that is shown for a component that is written differently."""
    return next((_text(piece, state) for piece in there if _is(name, piece, state)), name)


def _text(piece: Seen, state: State) -> str:
    if isinstance(piece, Piece):
        return str(state.names.short(piece))
    return "".join([HIDDEN, *map(str, piece or ())])


def _texts(node: Node) -> list[str]:
    return [str(each.value) for each in steps.components(node)]


def check_expectations(
    state: State,
    expect: Mapping,
    failure: PlayError | None,
    said: MappingType[str, Sequence[str]],
    scenario: str,
) -> tuple[outcome.FailedExpectation, ...]:
    """Return everything in `expect` that does not hold in `state` (`scenario-failed`), by position.

    `failure` is the error with which the last move ended, `said` are the lines of all moves by
    language, and `scenario` is the name of the scenario.
    """
    found = outcome.Findings(scenario)
    for key, node in expect.entries:
        if key.value == "fails":
            _fails(node, failure, found)
        elif key.value == "said":
            _said(node, said, found)
        else:
            _CHECKS[str(key.value)](state, node, found)
    return found.sorted()


def _fails(node: Node, failure: PlayError | None, found: outcome.Findings) -> None:
    wanted = str(plain(node))
    if failure is None:
        found.wrong(node.span, "the last move does not fail")
    elif wanted not in failure.message:
        message = f"the last move fails with another message: {failure.message}"
        found.wrong(node.span, message, edits=[outcome.rewritten(node, failure.message)])


def _said(node: Node, said: MappingType[str, Sequence[str]], found: outcome.Findings) -> None:
    """Report the difference between these lines and those that the moves said.

    They are compared in the language in which most of them are the same.
    """
    wanted = [str(each.value) for each in items(node) if isinstance(each, Scalar)]
    told = max(said.values(), key=lambda lines: len({*lines} & {*wanted}))
    if not any(wanted == list(lines) for lines in said.values()):
        help = outcome.of_sets(wanted, told) or f"{outcome.FOUND}: {', '.join(told)}"
        found.wrong(node.span, "other lines are said", [help], [outcome.rewritten(node, [*told])])


def _mover(state: State, node: Node, found: outcome.Findings) -> None:
    mover, wanted = state.mover or steps.NOBODY, str(plain(node))
    known = (*state.players, CHANCE, steps.NOBODY)
    edits = [outcome.rewritten(node, mover)]
    if wanted not in known:
        help = did_you_mean(wanted, known)
        found.wrong(node.span, f"no `{wanted}` takes part", help, edits)
    elif mover != wanted:
        found.wrong(node.span, f"it is {mover}'s decision", edits=edits)


def _asked(state: State, node: Node, found: outcome.Findings) -> None:
    if state.asked != plain(node):
        asked = state.asked or steps.NOBODY
        edits = [outcome.rewritten(node, asked)] if state.asked else []
        found.wrong(node.span, f"the choice is `{asked}`", edits=edits)


def _scores(state: State, node: Node, found: outcome.Findings) -> None:
    """Report wrong points as one finding, side by side for all players if several are named."""
    scores = state.scores()
    wanted = {str(key.value): value for key, value in entries(node)}
    for key, _ in entries(node):
        if not scores:
            found.wrong(key.span, "the game declares no points", ["expect `winners` instead"])
        elif key.value not in scores:
            found.wrong(key.span, f"no player `{key.value}` takes part")
    others = {
        player: value
        for player, value in wanted.items()
        if player in scores and scores[player] != plain(value)
    }
    if not others:
        return
    message = ", ".join(f"{player} has {scores[player]}" for player in others)
    expected = {player: plain(value) for player, value in wanted.items() if player in scores}
    found_scores = {player: scores[player] for player in expected}
    help = [outcome.of_mappings(expected, found_scores)] if len(expected) > 1 else []
    edits = [outcome.rewritten(value, scores[player]) for player, value in others.items()]
    found.wrong(next(iter(others.values())).span, message, help, edits)


def _winners(state: State, node: Node, found: outcome.Findings) -> None:
    if list(state.winners) != plain(node):
        message = f"the winners are {', '.join(state.winners) or steps.NOBODY}"
        found.wrong(node.span, message, edits=[outcome.rewritten(node, list(state.winners))])


_CHECKS: dict[str, Callable[[State, Node, outcome.Findings], None]] = {
    "mover": _mover,
    "asked": _asked,
    "scores": _scores,
    "winners": _winners,
    "board": board,
    "zones": zones,
    "sees": sees,
    "holds": holds,
    "features": features,
    "legal": legal,
    "illegal": illegal,
    "offers": offers,
}
