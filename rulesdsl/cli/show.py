"""`rulesdsl show`, `doc` and `print`: pieces, boards, icons, schemas, rule books, sheets."""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Mapping
from dataclasses import fields
from types import MappingProxyType
from typing import NamedTuple

from rulesdsl.cli import loading
from rulesdsl.cli.board import portrait
from rulesdsl.cli.console import (
    CLEAN,
    PAGE,
    Console,
    bad_argument,
    check_ending,
    deliver,
    package_missing,
    save_output,
)
from rulesdsl.cli.narration import in_lines, standing
from rulesdsl.language.diagnostics import Report
from rulesdsl.language.diagnostics.report import did_you_mean
from rulesdsl.language.model.game import KindDef
from rulesdsl.language.model.values import Cell, Piece, Segment
from rulesdsl.language.read.files import shipped
from rulesdsl.language.read.load import ids_of
from rulesdsl.play import Game, Place, State, load
from rulesdsl.play.events import played
from rulesdsl.play.game import load_components
from rulesdsl.show.draw import Pieces, board_svg, png, samples_svg, sheet_svg
from rulesdsl.show.draw.pieces import kind_svg
from rulesdsl.show.draw.sheets import PrintLayout, print_sheets


def piece(arguments: Namespace, console: Console) -> int:
    """Draw one component of a ruleset, or all of them."""
    check_ending(arguments.to, "a picture", FORMATS)
    found: list[tuple[Game, list[KindDef]]] = []
    for number, name in enumerate(arguments.names):
        ruleset, id = _split(name)
        expansions = loading.parts(arguments.expansions)
        game = load_components(ruleset, expansions, paths=arguments.path)
        if number == 0:
            console.show(game.warnings)
        found.append((game, _chosen(game, ruleset, id)))
    whole = any(_split(name)[1] is None for name in arguments.names)
    if arguments.to is not None:
        loading.words(found[0][0], arguments.lang, console)
        _draw_pieces(found, arguments, whole, console)
        return CLEAN
    for game, kinds in found:
        text = loading.words(game, arguments.lang, console)
        for kind in kinds:
            portrait(kind, text, loading.painter(text, console), console)
    return CLEAN


def _split(name: str) -> tuple[str, str | None]:
    """Return a ruleset and the id of a piece, None if only a ruleset is named.

    The forms are `base/bend`, `games/base.yaml/bend`, and a ruleset.
    """
    ruleset, slash, piece = name.rpartition("/")
    return (ruleset, piece) if slash and piece and not loading.is_ruleset(name) else (name, None)


def _chosen(game: Game, ruleset: str, id: str | None) -> list[KindDef]:
    """Return the pieces that are meant, at least one; raises RulesError if there is none."""
    owner = _id(game, ruleset)
    kinds = game.checked.game.kinds
    own = [kind for kind in kinds if kind.ruleset == owner]
    own = own or [kind for kind in kinds if owner in kind.extended]
    found = [kind for kind in own if id in (None, kind.name, kind.text)]
    if found:
        return found
    if id is None:
        raise bad_argument(f"`{owner}` has no components")
    close = did_you_mean(id, [kind.name for kind in own])
    raise bad_argument(f"`{owner}` has no component `{id}`", *close)


def _id(game: Game, name: str) -> str:
    """Return the id of the ruleset that was named by its id, folder or manifest."""
    loaded = {each.id: each.manifest.span.source.name for each in game.checked.game.rulesets}
    (id,) = ids_of([name])
    inside = (
        each
        for each, manifest in loaded.items()
        if loading.same_place(os.path.dirname(manifest) or ".", name)
    )
    return id if id in loaded else next(inside, name)


def icons(arguments: Namespace, console: Console) -> int:
    """List all icons and colours, or draw them on a sheet."""
    check_ending(arguments.to, "a picture", FORMATS)
    if arguments.to is not None:
        _write(samples_svg(arguments.size or _SHEET), arguments.to, console)
        return CLEAN
    from rulesdsl.show.draw.svg import COLOURS, ICONS

    for title, names in (("icons", sorted(ICONS)), ("colours", list(COLOURS))):
        console.say((title, "title"))
        console.write(
            in_lines([f"{name}," for name in names[:-1]] + [names[-1]], console.width, " ")
        )
    return CLEAN


def board(arguments: Namespace, console: Console) -> int:
    """Draw the board of a recorded game at the end of a turn, or of a ruleset at the start."""
    check_ending(arguments.to, "a picture", FORMATS)
    now = _begun(arguments) if loading.is_ruleset(arguments.record) else _played(arguments, console)
    text = loading.words(now.state.game, arguments.lang, console)
    if arguments.to is not None:
        pieces = Pieces(now.state.game, arguments.lang)
        svg = board_svg(
            pieces, now.state, arguments.size or _BOARD, last=now.last, scored=now.scored
        )
        _write(svg, arguments.to, console)
        return CLEAN
    console.say((text.texts("turn", turn=now.turn), "title"))
    console.write(loading.painter(text, console).board(now.state, now.last))
    console.write(standing(now.state, text, console.width, everyone=True))
    return CLEAN


class _Board(NamedTuple):
    """A position to draw, with the pieces laid last and those that final scoring took away."""

    state: State
    turn: int = 0
    last: Place | None = None
    scored: Mapping[Piece, Segment | Cell] = MappingProxyType({})


def _begun(arguments: Namespace) -> _Board:
    if arguments.turn:
        raise bad_argument("`--turn` is for records: a game that is not played has turn 0 only")
    game = load(arguments.record, engine=arguments.engine, paths=arguments.path)
    return _Board(game.start(seed=0))


def _played(arguments: Namespace, console: Console) -> _Board:
    """Return a recorded game at the end of the turn that is asked for."""
    arguments.record = loading.record_path(arguments.record)
    record, game = loading.recorded(arguments.record, arguments, console)
    last, turn = None, 0
    for now in played(record, game):
        if now.step is not None:
            last, turn = now.step.laid or last, now.step.turn
        if turn == arguments.turn and (now.step is None or now.step.last):
            break
    if arguments.turn not in (None, turn):
        raise bad_argument(f"the record has turns 0 to {turn}, not {arguments.turn}")
    scored = now.watch.departed if now.state.mover is None else {}
    return _Board(now.state, turn, last, scored)


FORMATS = (".svg", ".png")
_PIECE, _SHEET, _BOARD = 300.0, 100.0, 100.0

Chosen = list[tuple[Game, list[KindDef]]]
"""Pieces, by the game that they belong to."""


def _draw_pieces(chosen: Chosen, arguments: Namespace, whole: bool, console: Console) -> None:
    """Draw one piece as a picture, several or all of a `whole` ruleset as a sheet."""
    size, over = arguments.size, arguments.over
    pieces = [(Pieces(game, arguments.lang, over=over), kinds) for game, kinds in chosen]
    drawn = [(each, kind) for each, kinds in pieces for kind in kinds]
    if not whole and len(drawn) == 1:
        svg = kind_svg(*drawn[0], size or _PIECE)
    else:
        svg = sheet_svg(drawn, size or _SHEET)
    _write(svg, arguments.to, console)


def _write(svg: str, to: str, console: Console) -> None:
    data = svg.encode()
    if to.lower().endswith(".png"):
        try:
            data = png(svg)
        except ImportError:
            raise package_missing("a picture as PNG", "resvg-py", "pictures") from None
        except ValueError as error:
            raise bad_argument(str(error), "choose a smaller `--size`, or write an SVG") from None
    save_output(to, data, console)


def schema(arguments: Namespace, console: Console) -> int:
    """Write a schema as it is shipped."""
    file = shipped("schemas") / f"{arguments.name}.schema.json"
    console.document(file.read_text(encoding="utf-8"))
    return CLEAN


def book(arguments: Namespace, console: Console) -> int:
    """Write a rule book to standard output, or to a file; show it as text on a terminal."""
    try:
        from rulesdsl.show.doc import page, rule_book
    except ImportError:
        raise package_missing("`rulesdsl doc`", "jinja2", "book") from None
    check_ending(arguments.to, "a page", PAGE, console if arguments.reference else None)
    game, language = _whole(arguments, console)
    shown, report = arguments.to is None and console.terminal, Report()
    if arguments.reference:
        text = page(game, language, arguments.path)
    else:
        form = "md" if shown else "html"
        text = rule_book(game, language, arguments.path, report, form)
        console.show(report)
    if shown:
        console.markdown(text)
        command = f"{loading.game_command('doc', arguments)} --to book.html"
        console.say((f"with pictures: {command}", "help"))
        return CLEAN
    deliver(text, arguments.to, console)
    return CLEAN


def sheets(arguments: Namespace, console: Console) -> int:
    """Write sheets of components to print, to standard output or to a file."""
    check_ending(arguments.to, "a page", PAGE, console)
    game, language = _whole(arguments, console)
    named = {_id(game, each) for each in (arguments.ruleset, *loading.parts(arguments.expansions))}
    sizes = {each.name: vars(arguments)[each.name] for each in fields(PrintLayout)}
    report = Report()
    page = print_sheets(game, language, PrintLayout(**sizes), named, report)
    console.show(report)
    deliver(page, arguments.to, console)
    return CLEAN


def _whole(arguments: Namespace, console: Console) -> tuple[Game, str]:
    game = loading.load_game(arguments, console)
    return game, loading.words(game, arguments.lang, console).language
