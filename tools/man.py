"""The manual page and the completion scripts, written from the parser of the command line."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator, Mapping

import rulesdsl
from rulesdsl.cli.commands import EXIT, Parser, parser, script

COMPLETIONS = {
    "bash": "share/bash-completion/completions/rulesdsl",
    "fish": "share/fish/vendor_completions.d/rulesdsl.fish",
    "zsh": "share/zsh/site-functions/_rulesdsl",
}
"""Where each shell looks for the completion script, below the prefix of an installation."""
MANUAL = "share/man/man1/rulesdsl.1"


def shared() -> Mapping[str, str]:
    """Return the texts of all shared files by their paths below the prefix."""
    return {MANUAL: manual(), **{path: script(shell) for shell, path in COMPLETIONS.items()}}


def manual() -> str:
    """Return the manual page, in the macros of `man`."""
    return "".join(f"{line}\n" for line in _manual(parser()))


def _manual(main: Parser) -> Iterator[str]:
    yield f'.TH RULESDSL 1 "" "rulesdsl {rulesdsl.__version__}" "User Commands"'
    yield from (".nh", ".ad l")
    yield from (".SH NAME", r"rulesdsl \- " + _text("play games that are written as rulesets"))
    yield from (".SH SYNOPSIS", ".B rulesdsl", _text("COMMAND [options]"))
    yield from (".SH DESCRIPTION", _text(main.description or ""))
    yield from (".SH OPTIONS", *_options(main))
    yield ".SH COMMANDS"
    for command in leaves(main):
        yield from _command(command)
    yield from (".SH EXAMPLES", *_verbatim(_parts(main)[1]))
    yield from (".SH EXIT STATUS", *(_text(line) for line in EXIT.splitlines()))


def _command(command: argparse.ArgumentParser) -> Iterator[str]:
    prose, examples = _parts(command)
    yield f".SS {_text(command.prog)}"
    yield _text(command.description or "")
    yield from (line for part in prose.split("\n\n") if part for line in (".PP", _text(part)))
    yield from _options(command)
    yield from (".PP", "Examples:", *_verbatim(examples)) if examples else ()


def _options(command: argparse.ArgumentParser) -> Iterator[str]:
    for action in command._actions:
        if not isinstance(action, argparse._SubParsersAction):
            name = f".B {_text(invocation(action).strip('`'))}"
            yield from (".TP", name, _text(help_of(action)))


def _parts(command: argparse.ArgumentParser) -> tuple[str, str]:
    """Return the prose and the examples below the options."""
    prose, _, examples = (command.epilog or "").removesuffix(EXIT).partition("examples:\n")
    return prose.strip(), examples.strip("\n")


def _verbatim(text: str) -> tuple[str, ...]:
    return (".PP", ".nf", *(_escaped(line) for line in text.splitlines()), ".fi")


def _text(text: str) -> str:
    return _escaped(" ".join(text.split()))


def _escaped(line: str) -> str:
    r"""Return a line as text: a backslash is `\e`, and no line begins with a control character."""
    line = line.replace("\\", r"\e").replace("-", r"\-")
    return re.sub(r"^(?=[.'])", r"\\&", line)


# --- the parser ---


def leaves(top: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    """Yield the parsers of all commands, in the order of the help."""
    groups = [a for a in top._actions if isinstance(a, argparse._SubParsersAction)]
    for group in groups:
        for each in group.choices.values():
            yield from leaves(each)
    if not groups:
        yield top


def metavar(action: argparse.Action) -> str:
    """Return the placeholder of an argument, which shows how many it takes."""
    name = action.metavar or (
        "{" + ",".join(map(str, action.choices)) + "}" if action.choices else action.dest.upper()
    )
    assert isinstance(name, str)
    several = {"?": f"[{name}]", "*": f"[{name} ...]", "+": f"{name} ..."}
    return several.get(str(action.nargs), name)


def invocation(action: argparse.Action) -> str:
    """Return the way in which an argument is written, as code."""
    taken = "" if action.nargs == 0 else " " + metavar(action)
    return "`" + (", ".join(action.option_strings) + taken).strip() + "`"


def help_of(action: argparse.Action) -> str:
    """Return the help of an argument, with the values of its fields."""
    return (action.help or "") % {**vars(action), "prog": "rulesdsl"}
