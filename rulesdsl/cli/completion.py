"""Completion of arguments by shells. Every command builds the parser; what writes completions takes
as long to import as a small command, so it is imported when it is asked for."""

from __future__ import annotations

from argparse import Action, ArgumentParser, Namespace
from collections.abc import Iterator
from importlib import import_module
from typing import Any

FILE, DIRECTORY = "FILE", "DIRECTORY"
"""What completes an argument, by its name in `shtab`."""


def completed(action: Action, how: str) -> None:
    """Say how shells complete an argument."""
    vars(action)["complete"] = how


class PrintCompletion(Action):
    """Prints the script that completes the arguments of a program in a shell."""

    def __init__(self, option_strings: list[str], dest: str) -> None:
        help = "print what completes commands in bash, zsh, tcsh or another shell"
        super().__init__(option_strings, dest, choices=_Shells(), help=help, metavar="SHELL")

    def __call__(
        self, parser: ArgumentParser, _namespace: object, shell: object, _option: object = None
    ) -> None:
        """Take the place of what `shtab` knows, and let it do the rest."""
        shtab: Any = import_module("shtab")
        for action in _actions(parser):
            if "complete" in vars(action):
                vars(action)["complete"] = getattr(shtab, vars(action)["complete"])
        own, real = parser._actions, shtab.completion_action()
        own[own.index(self)] = known = real(
            self.option_strings, self.dest, choices=shtab.SUPPORTED_SHELLS, help=self.help
        )
        known(parser, Namespace(), shell)


class _Shells:
    """The names of the shells there are completions for."""

    def __iter__(self) -> Iterator[str]:
        return iter(import_module("shtab").SUPPORTED_SHELLS)

    def __contains__(self, name: object) -> bool:
        return name in list(self)


def _actions(parser: ArgumentParser) -> Iterator[Action]:
    """All arguments of a parser and of its commands."""
    for action in parser._actions:
        yield action
        if isinstance(action.choices, dict):
            for inner in action.choices.values():
                yield from _actions(inner)
