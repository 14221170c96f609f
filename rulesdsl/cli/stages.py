"""`rulesdsl show ast | ir | source`: the stages of rules between text and play."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Iterable, Iterator
from fnmatch import fnmatchcase
from functools import partial

from rulesdsl.cli.console import CLEAN, Console, bad_argument
from rulesdsl.cli.loading import parts, settings
from rulesdsl.diagnostics import Report
from rulesdsl.engines.python.printer import print_mapped
from rulesdsl.ir.text import function_text, program_text, tables_text
from rulesdsl.lower import lower
from rulesdsl.model import ast, ir
from rulesdsl.model.checked import Checked
from rulesdsl.model.tree_text import tree_text
from rulesdsl.parse import parse
from rulesdsl.play import Game, load

Named = Iterable[tuple[str, Callable[[], str]]]
"""Parts by name, with functions that make their texts."""


def syntax(arguments: Namespace, console: Console) -> int:
    """Show the syntax trees of the rules, as they were written or as they were checked."""
    game = _game(arguments, console)
    if arguments.checked:
        trees = list(_checked_parts(game.checked))
    else:
        trees = [part for module in _modules(game) for part in _declared(module)]
    _show([(name, partial(tree_text, tree)) for name, tree in trees], arguments, console)
    return CLEAN


def program(arguments: Namespace, console: Console) -> int:
    """Show the program of a game in the intermediate representation."""
    lowered = _program(arguments, console)
    if arguments.only is None:
        _write(program_text(lowered), console)
        return CLEAN
    tables = [(t.name, partial(tables_text, [t])) for t in lowered.tables.values()]
    functions = [(f.name, partial(function_text, f)) for f in lowered.functions.values()]
    _show([*tables, *functions], arguments, console)
    return CLEAN


def source(arguments: Namespace, console: Console) -> int:
    """Show the Python code of a game."""
    printed = print_mapped(_program(arguments, console))
    if arguments.only is None:
        _write(printed.source, console)
        return CLEAN
    _show([(n, partial(printed.function, n)) for n in printed.functions], arguments, console)
    return CLEAN


def _game(arguments: Namespace, console: Console) -> Game:
    expansions, chosen = parts(arguments.expansions), settings(arguments.set)
    game = load(arguments.ruleset, expansions, chosen, paths=arguments.path)
    console.show(game.report)
    return game


def _program(arguments: Namespace, console: Console) -> ir.Program:
    game = _game(arguments, console)
    players = arguments.players if arguments.players is not None else game.players.start
    if players not in game.players:
        least, most = game.players.start, game.players.stop - 1
        raise bad_argument(f"{players} cannot play: it is a game for {least} to {most}")
    return lower(game.checked, players, not arguments.unoptimised).program


def _modules(game: Game) -> Iterator[ast.Module]:
    """Yield the syntax trees of all rules files."""
    for ruleset in game.checked.game.rulesets:
        if ruleset.rules is not None:
            yield parse(ruleset.rules, Report())


def _declared(module: ast.Module) -> Iterator[tuple[str, object]]:
    """Yield the declarations of a rules file by name.

    Those without a name have the name of their target.
    """
    for declaration in module.declarations:
        about = getattr(declaration, "name", None) or getattr(declaration, "target", None)
        if isinstance(declaration, ast.WithDecl):
            about = f"with {', '.join(map(str, declaration.names))}"
        yield str(about or type(declaration).__name__), declaration


def _checked_parts(checked: Checked) -> Iterator[tuple[str, object]]:
    """Yield all parts of a checked game with their full names."""
    yield from checked.states.items()
    yield from ((key, each) for key, each in checked.values.items() if key not in checked.actions)
    yield from checked.actions.items()
    yield from checked.choices.items()
    for rule in checked.always:
        yield f"{rule.ruleset}/always", rule


def _show(found: Named, arguments: Namespace, console: Console) -> None:
    """Show the parts whose full or short name matches `--only`."""
    wanted = arguments.only
    shown = [
        text
        for name, text in found
        if wanted is None or fnmatchcase(name, wanted) or fnmatchcase(_short(name), wanted)
    ]
    if wanted is not None and not shown:
        inlined = "unoptimised" in arguments and not arguments.unoptimised
        more = ["--unoptimised shows functions that are inlined"] if inlined else []
        raise bad_argument(f"nothing is called `{wanted}`", "`*` stands for anything", *more)
    _write("\n".join(text() for text in shown), console)


def _write(text: str, console: Console) -> None:
    console.write([line] for line in text.rstrip().split("\n"))


def _short(name: str) -> str:
    return name.rpartition("/")[2]
