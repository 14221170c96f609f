"""Rows for commands, for their options, and for options that do not go together."""

from __future__ import annotations

from argparse import ArgumentTypeError, Namespace
from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any, NamedTuple

from rulesdsl.base.records import dataclass
from rulesdsl.cli.console import bad_argument
from rulesdsl.engine.run import ENGINES, unknown
from rulesdsl.language.diagnostics.report import listed


@dataclass(frozen=True)
class Option:
    """An option or an argument of a command: its names, and the rest as `add_argument` takes it.

    `least` and `most` are bounds of a number.
    """

    names: str
    more: Mapping[str, Any]
    least: int | None = None
    most: int | None = None

    @property
    def shown(self) -> str:
        """The name of an option, or the placeholder of an argument."""
        return self.names.split()[0] if self.names.startswith("-") else str(self.more["metavar"])

    def value(self, arguments: Namespace) -> Any:
        dest = self.more.get("dest") or self.names.split()[-1].lstrip("-").replace("-", "_")
        return vars(arguments)[dest]

    def is_given(self, arguments: Namespace) -> bool:
        """Return whether the option has another value than its default."""
        value = self.value(arguments)
        return value not in (None, [], self.more.get("default")) and value is not False

    def check(self, arguments: Namespace) -> None:
        """Raise RulesError for a number out of bounds."""
        if self.least is None or (value := self.value(arguments)) is None:
            return
        if self.most is not None and not self.least <= value <= self.most:
            message = f"`{self.shown} {value}` is out of range"
            raise bad_argument(message, f"use {self.least} to {self.most:,}")
        if value < self.least:
            raise bad_argument(f"`{self.shown} {value}` is too small: use at least {self.least}")


class OptionRule(NamedTuple):
    """An option that goes with none of the `others`, or only if another one is given, too."""

    name: str
    others: tuple[str, ...]
    needed: bool = False


class CommandRow:
    """A command, with the examples at the end of its text.

    `function` is `module.function` in `rulesdsl.cli`.
    """

    def __init__(
        self, name: str, help: str, function: str, text: str, *parts: Option | OptionRule
    ) -> None:
        self.name, self.help, self.function, self.text = name, help, function, text
        self.options = [each for each in parts if isinstance(each, Option)]
        self._rules = [each for each in parts if isinstance(each, OptionRule)]

    def check(self, arguments: Namespace) -> None:
        """Raise RulesError for a number out of bounds, and for options that do not go together."""
        for each in self.options:
            each.check(arguments)
        given = {each.shown for each in self.options if each.is_given(arguments)}
        for name, others, needed in self._rules:
            found = [f"`{each}`" for each in others if each in given]
            if name not in given or bool(found) == needed:
                continue
            if needed:
                wanted = listed([f"`{each}`" for each in others])
                raise bad_argument(f"`{name}` needs {wanted}")
            shown = listed(found, "and")
            help = f"leave out {shown}, or `{name}`"
            raise bad_argument(f"`{name}` cannot be combined with {shown}", help)


@dataclass(frozen=True)
class CommandGroup:
    """A command with commands of its own, one for each thing."""

    name: str
    help: str
    description: str
    commands: Sequence[CommandRow]


def option(names: str, metavar: str | None, help: str, **more: Any) -> Option:
    """Return an option with a value, or an argument if its name does not begin with `-`."""
    return Option(names, {"metavar": metavar, "help": help, **more})


def number(
    names: str, help: str, least: int | None = None, most: int | None = None, **more: Any
) -> Option:
    """Return an option whose value is a whole number within bounds."""
    return Option(names, {"metavar": "N", "help": help, "type": int, **more}, least, most)


def several(names: str, metavar: str, help: str, **more: Any) -> Option:
    """Return an option that may be given again."""
    return option(names, metavar, help, action="append", default=[], **more)


def flag(names: str, help: str, **more: Any) -> Option:
    """Return an option without a value."""
    return Option(names, {"help": help, "action": "store_true", **more})


def choice(names: str, help: str, *choices: str) -> Option:
    """Return an option for one of these values, the first if it is not given."""
    help = f"{help} (default: {choices[0]})"
    return option(names, None, help, choices=choices, default=choices[0])


def excludes(name: str, *others: str) -> OptionRule:
    """Return the rule that an option goes with none of the others."""
    return OptionRule(name, others)


def needs(name: str, *others: str) -> OptionRule:
    """Return the rule that an option is only for one of the others."""
    return OptionRule(name, others, needed=True)


def engine(default: str) -> Option:
    """Return the option for the engine."""
    return option(
        "--engine",
        None,
        "the engine: both play the same games; `wasm` is fast, `python` needs no package "
        f"(default: {default})",
        type=_engine,
        choices=sorted(ENGINES),
        default=default,
    )


def _engine(text: str) -> str:
    if text not in ENGINES:
        raise ArgumentTypeError(unknown(text))
    return text


def timeout(what: str, dest: str = "timeout") -> Option:
    """Return the option for the seconds after which `what` ends, stored as `dest`."""
    help = f"stop {what} after so many seconds (default: no limit)"
    return option("--timeout", "SECONDS", help, type=_seconds, dest=dest)


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not isfinite(seconds) or seconds <= 0:
        raise ArgumentTypeError(f"`{text}` is not a number of seconds above 0")
    return seconds


def millimetres(name: str, value: float, what: str) -> Option:
    """Return the option for a size in millimetres, with its default."""
    return option(name, "MM", f"{what} (default: {value:g})", type=_millimetres, default=value)


def _millimetres(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ArgumentTypeError(f"`{text}` is not a number of millimetres") from None
