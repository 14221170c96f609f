"""Names and moves as scenarios write them: `take corner; at 1,0,90; put house village@N; pass`."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from rulesdsl.language.builtins import EFFECTS
from rulesdsl.language.diagnostics import Span
from rulesdsl.language.diagnostics.report import did_you_mean, listed
from rulesdsl.language.model import types
from rulesdsl.language.model.names import option_names, option_word, short_name
from rulesdsl.language.model.nodes import Node, Scalar, scalars
from rulesdsl.language.model.values import Zone
from rulesdsl.play.game import CHANCE, State
from rulesdsl.play.moves import SPOT, Move, Wanted, is_segment, means, split, wanted
from rulesdsl.play.scenario.outcome import Failed
from rulesdsl.play.table import laid_segments, pieces, segments_of, things, zones

_SHOWN = 6
_CHANCE = {
    name: (("outcome", effect.signatures[0].result),)
    for name, effect in EFFECTS.items()
    if effect.asks
}
_FORMS: tuple[tuple[types.Type, str], ...] = (
    (types.CELL, "write a cell as `x,y`"),
    (types.PLACEMENT, "write a place as `x,y,rotation`, with {} degrees"),
    (types.BOOL, "write `true` or `false`"),
)

_SEVERAL = re.compile(r"([1-9][0-9]{0,3}) +(\S.*)")
_MOST = 10_000
"""The most components that the numbers of a list stand for."""

Mistake = tuple[str, tuple[str, ...]]
"""A message, and what to type instead."""

Parameters = tuple[tuple[str, types.Type], ...]
"""The arguments of an option with their types."""


def mistake_in(wanted: Wanted, state: State) -> Mistake | None:
    """Say what is wrong with a move that can never be legal.

    It names an option, an argument or a thing that does not exist. None for any other move, legal
    now or not.
    """
    options = list(_options(state))
    called = [each for key, each in options if wanted.name in option_names(key)]
    if not called:
        known = [option_word(short_name(key)) for key, _ in options]
        now = [option_word(move.name) for move in state.moves()]
        help = did_you_mean(wanted.name, known) or known_words(now)
        return f"there is no option `{wanted.name}`", help
    mistakes = [_in_arguments(wanted, each, state) for each in called]
    return None if None in mistakes else mistakes[0]


def segment_mistake(name: str, state: State) -> Mistake:
    """Say that no piece on a grid has a segment of that name."""
    names = state.names
    short = [names.segment(each) for each in laid_segments(state)]
    full = [str(names.full(each)) for each in laid_segments(state)]
    help = did_you_mean(name, full if "(" in name else short) or known_words(short)
    return f"no piece on a grid has a segment `{name}`", help


def zone_called(name: str, state: State) -> Zone | None:
    """Return the zone of that name, None if there is none, or several."""
    found = zones_called(name, state)
    return found[0] if len(found) == 1 else None


def zones_called(name: str, state: State) -> list[Zone]:
    """Return the zones of that name, several only if strangers gave it to theirs."""
    return [zone for zone in zones(state) if means(name, zone, state.names)]


def zone_mistake(name: str, state: State) -> Mistake:
    """Say that no zone, or more than one, has that name."""
    found = [f"`{state.names.short(zone)}`" for zone in zones_called(name, state)]
    if found:
        return f"`{name}` may be {listed(found)}", ("write one of them",)
    known = [str(state.names.short(zone)) for zone in zones(state)]
    return f"there is no zone `{name}`", did_you_mean(name, known) or known_words(known)


def shared_mistake(name: str, state: State) -> Mistake | None:
    """Say that components of several rulesets have that name; None if it is that of one."""
    texts = state.game.checked.game.texts.kinds
    if not any("/" in each for each in texts):
        return None
    called = [each for each in pieces(state) if means(name, each, state.names)]
    found = dict.fromkeys(state.names.kind_text(each) for each in called)
    if len(found) < 2:
        return None
    return f"`{name}` may be {listed([f'`{each}`' for each in found])}", ("write one of them",)


def _options(state: State) -> Iterator[tuple[str, Parameters]]:
    """Yield the keys of all options, those of the pending choice first, and chance moves."""
    yield from _CHANCE.items()
    asked = state.position.decision
    choices = state.game.checked.choices.values()
    for choice in sorted(choices, key=lambda each: not asked or each.key != asked.choice):
        for option in choice.options:
            parameters = [
                (name, _item(binder.domain.type))
                for binder in option.binders
                for name in binder.names
            ]
            yield option.key, tuple(parameters)


def _item(domain: types.Type) -> types.Type:
    """Return the type of the members of a set; a zone is a set of components."""
    return (
        domain.item
        if isinstance(domain, types.SetType)
        else types.PIECE
        if domain == types.ZONE
        else domain
    )


def _in_arguments(wanted: Wanted, parameters: Parameters, state: State) -> Mistake | None:
    names = [name for name, _ in parameters]
    given = [wanted.argument(place, name) for place, name in enumerate(names)]
    count = len(wanted.ordered) + len(wanted.named)
    word = option_word(wanted.name)
    form = " ".join([word, *(name.upper() for name in names)])
    for name in wanted.named:
        if name not in names:
            return f"`{word}` has no argument `{name}`", (f"write `{form}`",)
    if count != len(names) or None in given:
        has = f"{len(names)} argument{'s' * (len(names) != 1)}" if names else "no arguments"
        return f"`{word}` has {has}, not {count}", (f"write `{form}`",)
    for each, (_, type_) in zip(given, parameters, strict=True):
        if (mistake := _in_argument(str(each), type_, state)) is not None:
            return mistake
    return None


def _in_argument(given: str, type_: types.Type, state: State) -> Mistake | None:
    match type_:
        case types.OptionalType(item):
            return None if given == "none" else _in_argument(given, item, state)
        case types.SetType(item):
            parts = split(given[1:-1], ",") if given[:1] + given[-1:] == "{}" else [given]
            return next((m for each in parts if (m := _in_argument(each, item, state))), None)
        case types.IntType():
            fits = given.removeprefix("-").isdecimal()
            return None if fits else (f"`{given}` is not a number", ("write a whole number",))
    forms = [help for form, help in _FORMS if form == type_]
    if forms:
        game = state.game.checked.game
        degrees = [str(game.degrees * side) for side in range(game.sides)]
        help = forms[0].format(listed(degrees, "or"))
        return (
            None if _has_form(given, type_, degrees) else (f"`{given}` is not a {type_}", (help,))
        )
    return name_mistake(given, type_, state)


def _has_form(given: str, type_: types.Type, degrees: Sequence[str]) -> bool:
    spot = SPOT.fullmatch(given)
    if type_ == types.BOOL or spot is None:
        return type_ == types.BOOL and given in ("true", "false")
    return spot[4] is None if type_ == types.CELL else spot[4] in (None, *degrees)


def name_mistake(given: str, type_: types.Type, state: State) -> Mistake | None:
    """Say what is wrong with the name of a thing of that type; None if there is such a thing."""
    if type_ == types.PIECE or str(type_) in types.PIECE_CLASSES:
        return piece_mistake(given, state)
    if any(means(given, each, state.names) for each in things(type_, state)):
        return None
    if type_ in (types.SEGMENT, types.FEATURE):
        return None if _is_unlaid(given, state) else segment_mistake(given, state)
    known = [str(state.names.short(each)) for each in things(type_, state)]
    help = did_you_mean(given, known) or known_words(known)
    if type_ == types.PLAYER:
        return f"no player `{given}` takes part", help
    return f"there is no {type_} `{given}`", help


def piece_mistake(given: str, state: State) -> Mistake | None:
    """Say what is wrong with the name of a component, which may end with a place or number.

    None if a component has this name, at this or another place, or may come to have it.
    """
    if (mistake := shared_mistake(given, state)) is not None:
        return mistake
    known = piece_names(state)
    own = max((n for n in known if given == n or given.startswith((f"{n}:", f"{n}#"))), default="")
    place = given[len(own) + 1 :]
    if not own and zones_called(given.partition("#")[0], state):
        return None  # an unknown piece by its place
    if not own:
        return f"there is no component `{given}`", components_like(given, known)
    if given[len(own) :].startswith("#"):
        found = any(means(given, each, state.names) for each in pieces(state))
        return None if found else (f"there is no component `{given}`", (f"write `{own}`",))
    if "@" in place:
        return name_mistake(place, types.SEGMENT, state)
    if not place or SPOT.fullmatch(place):
        return None
    there = [*things(types.SPACE, state), *zones(state)]
    if not any(means(place, each, state.names) for each in there):
        known_places = [str(state.names.short(each)) for each in there]
        return f"there is no place `{place}`", did_you_mean(place, known_places)
    return None


def components(node: Node) -> list[Scalar]:
    """Return the names of components in a list, or the only one: `3 house` is three times one.

    A number that goes beyond all components of a game is left as it is written.
    """
    found = list[Scalar]()
    for item in scalars(node):
        several = _SEVERAL.fullmatch(str(item.value))
        count = int(several[1]) if several else 1
        if several is None or len(found) + count > _MOST:
            found.append(item)
        else:
            found += [replace(item, value=several[2])] * count
    return found


def piece_names(state: State) -> list[str]:
    """List the names of the components that take part, a die with each of its faces."""
    found = dict[str, None]()
    for piece in pieces(state):
        own, ruleset = state.names.called(piece), state.names.kind(piece).ruleset
        found.update(dict.fromkeys([*own, *(f"{ruleset}/{each}" for each in own)]))
    return sorted(found, key=lambda name: "/" in name)


def _is_unlaid(given: str, state: State) -> bool:
    """Return whether a component that is on no grid has such a segment; the name has its number."""
    if "#" not in given:
        return False
    return any(
        is_segment(given, segment, state.names)
        for piece in pieces(state)
        for segment in segments_of(state, piece)
    )


def components_like(name: str, known: Sequence[str]) -> tuple[str, ...]:
    """Return help on the name of a component: its variants, similar names, or all known ones."""
    variants = [each for each in known if each.startswith(f"{name}[")]
    if variants:
        return (f"`{name}` has variants: {listed([f'`{each}`' for each in variants[:_SHOWN]])}",)
    return did_you_mean(name, known) or known_words(each for each in known if "/" not in each)


def known_words(known: Iterable[str]) -> tuple[str, ...]:
    """Return help that lists the known words."""
    words = list(dict.fromkeys(known))
    more = f" and {len(words) - _SHOWN} more" if len(words) > _SHOWN else ""
    shown = ", ".join(f"`{word}`" for word in words[:_SHOWN])
    return (f"known: {shown}{more}",) if words else ()


NOBODY = "nobody"
"""The name for the mover when the game is over."""


Look = Callable[[State, Span, str], None]
"""A function that looks at a position after a move at a place, which a text names."""


def play_line(state: State, line: Scalar, scenario: str, look: Look) -> None:
    """Play the moves of one line of a scenario, and `look` at each position.

    Raises Failed at one that is not legal, and PlayError.
    """
    for step in str(line.value).split(";"):
        if not step.strip():
            raise Failed("a move is missing before or after a `;`", line.span)
        found = find(state, step)
        if len(found) != 1:
            message, help = why_not(state, step, found)
            raise Failed(message, line.span, (*help, *asking_why(state, step, line.span, scenario)))
        state.play(found[0])
        look(state, line.span, f"after `{' '.join(step.split())}`")


def asking_why(state: State, step: str, span: Span, scenario: str) -> tuple[str, ...]:
    """Return how to ask why a move of a scenario is not legal, at the place where it is written.

    Nothing if no player is asked, or the move means none.
    """
    if state.mover in (None, CHANCE) or mistake_in(wanted(step), state) is not None:
        return ()
    command = ["rulesdsl", "why", "not", span.source.name, "--scenario", scenario]
    return (f"to see why: {shlex.join(command)} {' '.join(step.split())}",)


def find(state: State, step: str, *, typed: bool = False) -> list[Move]:
    """List the legal moves that `step` may mean.

    It may also name pieces that the mover does not know, unless the mover has `typed` it.
    """
    move, names = wanted(step), None if typed else state.names
    count = len(move.ordered) + len(move.named)
    return [each for each in state.meant(move, names) if len(each.args) == count]


def is_asked(state: State, step: str) -> bool:
    """Return whether a move belongs to the choice, or the chance, that is asked now."""
    asked, name = state.position.decision, wanted(step).name
    if asked is None:
        return False
    choice = state.game.checked.choices.get(asked.choice)
    options = [each.key for each in choice.options] if choice else [asked.choice]
    return any(name in option_names(each) for each in options)


def as_step(move: Move) -> str:
    """Return the text of `move` in a scenario."""
    return step_text(move.name, list(move.texts.values()))


def step_text(name: str, arguments: Sequence[str]) -> str:
    """Return a move in a scenario from its name and the texts of its arguments."""
    texts = [text.strip("()") if text.startswith("(") else text for text in arguments]
    return " ".join([option_word(name), *texts])


def offered(state: State) -> str:
    """Return the first legal moves as steps, and how many more there are."""
    steps = [as_step(move) for move in state.moves()]
    shown = ", ".join(f"`{text}`" for text in steps[:_SHOWN])
    return f"{shown} and {len(steps) - _SHOWN} more" if len(steps) > _SHOWN else shown


def ambiguous(step: str, found: Sequence[Move]) -> str:
    """Say which moves a step may mean."""
    shown = ", ".join(f"`{as_step(move)}`" for move in found[:_SHOWN])
    more = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
    return f"`{' '.join(step.split())}` could be {len(found)} different moves: {shown}{more}"


def why_not(
    state: State, step: str, found: Sequence[Move], reasons: Callable[[], Sequence[str]] = tuple
) -> Mistake:
    """Say why a step is not exactly one legal move, and what to type instead.

    `found` are the moves that it may mean; `reasons` returns lines on why it is none.
    """
    shown = " ".join(step.split())
    if state.mover is None:
        return f"`{shown}` comes after the end of the game", ()
    if found:
        return ambiguous(step, found), ()
    if (mistake := mistake_in(wanted(step), state)) is not None:
        message, help = mistake
        return message, (*help, f"legal moves: {offered(state)}")
    refused = "cannot happen now" if state.mover == CHANCE else f"is not legal for {state.mover}"
    if why := reasons():
        return f"`{shown}` {refused}", (*why, f"legal moves: {offered(state)}")
    return f"`{shown}` {refused}; legal moves: {offered(state)}", ()
