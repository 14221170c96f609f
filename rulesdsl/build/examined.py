"""Analysis of incomplete games, for editors: everything known in spite of mistakes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rulesdsl.build.stages import Known
from rulesdsl.check import examine
from rulesdsl.check.declarations import Draft
from rulesdsl.check.expressions import infer
from rulesdsl.check.scope import Infer
from rulesdsl.diagnostics import Report
from rulesdsl.link import weave
from rulesdsl.model import ast
from rulesdsl.model.checked import Checked
from rulesdsl.model.game import Game
from rulesdsl.model.ruleset import Ruleset
from rulesdsl.model.uses import Uses
from rulesdsl.read.load import load_rulesets


@dataclass(frozen=True)
class Examined:
    """The results of the stages for some rulesets, with the occurrences of names.

    `game`, `draft` and `checked` are None where there is too little to make them from; `checked`
    may have mistakes and cannot be played.
    """

    rulesets: tuple[Ruleset, ...]
    modules: Mapping[str, ast.Module]
    uses: Uses
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
    infer: Infer = infer,
) -> Examined:
    """Return the analysis of `main` with `expansions`, as far as possible.

    `modules` replace the rules of these rulesets; `infer` types their expressions.
    """
    report, uses = Report(), Uses()
    rulesets = tuple(
        load_rulesets(main, expansions, paths=paths, report=report, parse=known.manifest)
    )
    rules = {r.id: known.module(r.rules, report) for r in rulesets if r.rules is not None}
    rules |= modules or {}
    game = weave(
        rulesets,
        {},
        known.constant,
        report,
        known.draw,
        modules=rules,
        uses=uses,
    )
    if game is None:
        return Examined(rulesets, rules, uses)
    found = examine(game, rules, report, infer, uses)
    return Examined(rulesets, rules, uses, game, found.draft, found.game)
