"""The moment at which a scene is set: the first decision, or a later one, or before an action."""

from __future__ import annotations

import re
from collections.abc import Iterable

from rulesdsl.builtins import EFFECTS
from rulesdsl.diagnostics.wording import did_you_mean, listed
from rulesdsl.model.names import short_name
from rulesdsl.model.nodes import Scalar
from rulesdsl.play.game import State
from rulesdsl.play.scenario.failure import Failed
from rulesdsl.play.scenario.places import readable
from rulesdsl.run.engine import PlayError

_WRITTEN = re.compile(r"((?:\w+/)?\w+)(?: +([1-9]\d{0,5}))?")
_CHANCE = [name for name, effect in EFFECTS.items() if effect.asks]


def go_to(state: State, moment: Scalar, seed: int | None) -> None:
    """Go on from the first decision of a game to the `moment` of a scene, with the first move of
    every decision. Before an action the reference engine plays. Raises Failed."""
    written = _WRITTEN.fullmatch(str(moment.value).strip())
    if written is None:
        help = ("write the name of a choice or of an action, and which time: `NAME 2`",)
        raise Failed(f"`{moment.value}` is not a moment", moment.span, help)
    name, times = written[1], int(written[2] or 1)
    choice, action = _named(state, name, moment)
    try:
        missing = _to_choice(state, choice, times) if choice else _to(state, action, times, seed)
    except PlayError as error:
        message = f"the game does not come to `{moment.value}`: "
        raise Failed.by(error, message, moment.span) from None
    if missing:
        happens, count = "asked" if choice else "called", times - missing
        often = f"{happens} once" if count == 1 else f"{happens} {count} times"
        often = often if count else f"never {happens}"
        message = f"with the first move of every decision `{name}` is {often}"
        raise Failed(message, moment.span)


def written_moment(name: str, times: int) -> str:
    """The text of a moment in a scenario."""
    return name if times == 1 else f"{name} {times}"


def _named(state: State, name: str, moment: Scalar) -> tuple[str, str]:
    """The key of the choice or of the action that is named; the other one is empty."""
    checked = state.game.checked
    choices = _called(name, [*checked.choices, *_CHANCE])
    actions = _called(name, checked.actions)
    found = [*choices, *actions]
    if not found:
        known = [short_name(key) for key in (*checked.choices, *_CHANCE, *checked.actions)]
        message = f"there is no choice and no action `{name}`"
        raise Failed(message, moment.span, did_you_mean(name, known))
    if len(found) > 1:
        raise Failed(f"`{name}` may be {listed([f'`{key}`' for key in found])}", moment.span)
    return ("".join(choices), "".join(actions))


def _called(name: str, keys: Iterable[str]) -> list[str]:
    return [key for key in keys if name in (key, short_name(key))]


def _to_choice(state: State, choice: str, times: int) -> int:
    """Go on to the given time that a choice is asked; how many are missing if the game ends."""
    position = state.position
    while (decision := position.decision) is not None:
        times -= decision.choice == choice
        if not times:
            break
        position.play(0)
    state.refresh()
    return times


def _to(state: State, action: str, times: int, seed: int | None) -> int:
    """Go to the call of an action; how many are missing if the game ends."""
    position = state.position = readable(state)
    missing = position.rewind(action, times, seed)
    state.refresh()
    return missing
