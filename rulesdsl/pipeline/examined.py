"""A game as far as it can be told, whatever is wrong with it: for those who look at rules while
they are written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from rulesdsl.check import examine
from rulesdsl.check.draft import Draft
from rulesdsl.check.expressions import infer
from rulesdsl.check.scope import Context, Local
from rulesdsl.diagnostics import Report
from rulesdsl.model import ast
from rulesdsl.model.checked import Checked, Expr
from rulesdsl.model.game import Game
from rulesdsl.model.ruleset import Ruleset
from rulesdsl.model.types import ERROR, Type
from rulesdsl.pipeline.known import Known
from rulesdsl.read.load import load_rulesets
from rulesdsl.weave import weave


@dataclass(frozen=True)
class Note:
    """What an expression turned out to be; `local` is what a bare name stood for there."""

    node: ast.Expr
    found: Expr
    local: Local | None


@dataclass
class Notes:
    """What the expressions of rules turned out to be, by the node."""

    _by_node: dict[int, Note] = field(default_factory=dict)

    def infer(self, ctx: Context, node: ast.Expr, hint: Type | None) -> Expr:
        """Types an expression as the checker does, and notes it."""
        local = ctx.names.get(node.name) if isinstance(node, ast.Name) else None
        found = infer(ctx, node, hint)
        # What was tried with one hint and failed may have been done well with another.
        if found.type != ERROR or id(node) not in self._by_node:
            self._by_node[id(node)] = Note(node, found, local)
        return found

    def of(self, node: ast.Node) -> Note | None:
        """What a node turned out to be, if it was looked at as an expression."""
        return self._by_node.get(id(node))


@dataclass(frozen=True)
class Examined:
    """What the stages make of rulesets. `game`, `draft` and `checked` are None where there is too
    little to make them from; `checked` may have mistakes and cannot be played."""

    rulesets: tuple[Ruleset, ...]
    modules: Mapping[str, ast.Module]
    notes: Notes
    game: Game | None = None
    draft: Draft | None = None
    checked: Checked | None = None


def examined(
    main: str,
    expansions: Sequence[str] = (),
    *,
    paths: Sequence[str] = (),
    known: Known,
    modules: Mapping[str, ast.Module] | None = None,
    notes: Notes | None = None,
) -> Examined:
    """The game of `main` with `expansions`, as far as it can be told. `modules` stand for the
    rules of these rulesets; what expressions turn out to be goes into `notes`."""
    report, notes = Report(), notes or Notes()
    rulesets = tuple(
        load_rulesets(main, expansions, paths=paths, report=report, parse=known.manifest)
    )
    rules = {r.id: known.module(r.rules, report) for r in rulesets if r.rules is not None}
    rules |= modules or {}
    game = weave(
        rulesets,
        {},
        lambda span: known.expression(span, report),
        report,
        known.draw,
        modules=rules,
    )
    if game is None:
        return Examined(rulesets, rules, notes)
    found = examine(game, rules, report, notes.infer)
    return Examined(rulesets, rules, notes, game, found.draft, found.game)
