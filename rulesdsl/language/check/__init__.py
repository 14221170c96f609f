"""The checker: names, types and conflicts, from linked box and syntax trees to a checked game."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from rulesdsl.base.records import dataclass
from rulesdsl.language.check.assignments import Assignments
from rulesdsl.language.check.conflicts import (
    check_guards,
    check_name_order,
    check_options,
    check_settling,
    check_together,
    order_hooks,
)
from rulesdsl.language.check.conflicts.effects import EffectTable
from rulesdsl.language.check.declarations import DraftGame, assemble, check_declarations, collect
from rulesdsl.language.check.expressions import infer
from rulesdsl.language.check.graph import check_cycles, contents
from rulesdsl.language.check.hidden import check_hidden
from rulesdsl.language.check.room import check_room
from rulesdsl.language.check.scope import CheckContext, Infer
from rulesdsl.language.check.symbols import of_checked, of_game
from rulesdsl.language.check.usage import check_labels, check_scores, check_usage, with_lines
from rulesdsl.language.diagnostics import Report
from rulesdsl.language.model import ast, checked
from rulesdsl.language.model.ast import blocks, every, named
from rulesdsl.language.model.game import LinkedGame, Part
from rulesdsl.language.model.nodes import entries
from rulesdsl.language.model.types import ERROR, INT, Type
from rulesdsl.language.model.uses import Uses

__all__ = ["Examined", "check", "check_constant", "check_expression", "examine"]


@dataclass(frozen=True)
class Examined:
    """The result of an analysis, also of a game with mistakes.

    `draft` has every declaration. `game` is the checked game, None if its roles cannot be filled;
    it can be played if `fine`.
    """

    draft: DraftGame
    game: checked.Checked | None
    fine: bool


def check(
    game: LinkedGame,
    modules: Mapping[str, ast.Module],
    report: Report,
    *,
    proved: bool = False,
) -> checked.Checked | None:
    """Return the checked game; `modules` are the rules by ruleset.

    All mistakes are in `report`. The result is None if they make the game unplayable.
    """
    found = examine(game, modules, report, proved=proved)
    return found.game if found.fine else None


def examine(
    game: LinkedGame,
    modules: Mapping[str, ast.Module],
    report: Report,
    infer: Infer = infer,
    uses: Uses | None = None,
    *,
    proved: bool = False,
) -> Examined:
    """Return the checked game with all that it was made from, also after mistakes.

    `infer` is called for every expression. The meanings of names are noted in `uses`. If the rules
    are `proved`, findings that need the whole game are left out.
    """
    own = Report()
    broken = any(
        isinstance(node, ast.Broken) for module in modules.values() for node in every(module)
    )
    symbols = collect(game, modules, own, uses)
    draft = DraftGame(symbols, own, Assignments(symbols, modules), infer)
    check_declarations(draft, modules)
    found = assemble(draft)
    absent = _absent(game, modules)
    check_labels(symbols, draft.options, absent, own)
    if found is not None:
        found = with_lines(found, own)
        inside = contents(found)
        check_cycles(found, inside, own)
        if own.ok:
            effects = EffectTable(found, inside)
            if not proved:
                check_room(found, own)
                check_guards(found, own)
                check_settling(found, own)
                check_options(found, inside, own)
                check_hidden(found, inside, own)
                check_name_order(found, inside, effects, own)
                check_together(found, effects, own)
            found = order_hooks(found, effects, draft.orders, own)
        if own.ok and not proved and report.ok and not broken:
            check_usage(found, inside, draft.contexts, absent, own)
            check_scores(found, inside, own)
    # What is wrong about an attribute in the manifests is reported there, and once.
    given = {each.span.text for each in report if each.slug == "unknown-key" and each.span}
    for ruleset in game.rulesets:
        given |= {str(key.value) for key, _ in entries(ruleset.manifest.get("attributes"))}
    given -= {attribute.name for attribute in game.attributes}
    report.extend(
        each
        for each in own
        if each.slug != "unknown-attribute" or each.span is None or each.span.text not in given
    )
    return Examined(draft, found, own.ok and not broken)


_WORD = re.compile(r"\w+")


def _absent(game: LinkedGame, modules: Mapping[str, ast.Module]) -> dict[str, frozenset[str]]:
    """Return, by ruleset, the words in `with` blocks that are not in force.

    These are blocks about rulesets of which at least one is not part of the game.
    """
    there = set(game.parts)
    return {
        ruleset.id: frozenset(
            word
            for block in (blocks(modules[ruleset.id]) if ruleset.id in modules else ())
            if Part(ruleset.id, named(block)) not in there
            for word in _WORD.findall(block.span.text)
        )
        for ruleset in game.rulesets
    }


def check_constant(
    expr: ast.Expr,
    ruleset: str,
    expected: Type | None,
    game: LinkedGame,
    uses: Uses,
    report: Report,
    numbers: Sequence[str] = (),
) -> checked.Expr | None:
    """Return a checked expression of the manifest of `ruleset`, None after a mistake.

    Of the game only the settings are known, and perhaps the enums; `numbers` are locals. Mistakes
    are in `report`, the meanings of names in `uses`.
    """
    own = Report()
    previous = INT if expected == INT else None
    ctx = CheckContext(of_game(game, uses), own, ruleset, infer, previous=previous)
    for name in numbers:
        ctx.declare(
            ast.Ident(name, expr.span.source.span(expr.span.end, expr.span.end)), "parameter", INT
        )
    found = ctx.infer(ctx, expr, None) if expected is None else ctx.expect(expr, expected)
    known = "".join(f"`{name}`, " for name in numbers)
    help_lines = (f"write numbers, or an expression over {known}`settings.NAME`",)
    report.extend(each if each.help else replace(each, help=help_lines) for each in own)
    return found if own.ok and found.type != ERROR else None


def check_expression(
    expr: ast.Expr,
    checked: checked.Checked,
    ruleset: str,
    expected: Type | None,
    report: Report,
    names: Mapping[str, Type] | None = None,
    uses: Uses | None = None,
) -> checked.Expr | None:
    """Return an expression as checked in the rules of `ruleset`, None after a mistake.

    `names` are locals of these types. Mistakes are in `report`, the meanings of names in `uses`.
    """
    own = Report()
    ctx = CheckContext(of_checked(checked, uses), own, ruleset, infer)
    # A local that is given is declared nowhere: the end of the expression hides none of its names.
    end = expr.span.end
    place = expr.span if uses is None else expr.span.source.span(end, end)
    for name, type_ in (names or {}).items():
        ctx.declare(ast.Ident(name, place), "parameter", type_)
    found = ctx.infer(ctx, expr, None) if expected is None else ctx.expect(expr, expected)
    report.extend(own)
    return found if own.ok and found.type != ERROR else None
