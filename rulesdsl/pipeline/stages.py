"""All stages in a row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from os import PathLike

from rulesdsl.check import check, check_expression
from rulesdsl.diagnostics import Report, Span
from rulesdsl.model import ast
from rulesdsl.model.checked import Checked, Expr
from rulesdsl.model.game import Game
from rulesdsl.model.ruleset import Ruleset
from rulesdsl.model.types import Type
from rulesdsl.parse import MOST_WORDS, parse_expression
from rulesdsl.pipeline.known import Known
from rulesdsl.pipeline.missed import not_missed
from rulesdsl.read.load import load_rulesets
from rulesdsl.weave import weave


def build(
    main: str | PathLike[str],
    expansions: Sequence[str] = (),
    settings: Mapping[str, int | bool | str] | None = None,
    *,
    paths: Sequence[str | PathLike[str]] = (),
    report: Report,
    known: Known | None = None,
) -> Checked | None:
    """Read, parse, weave and check `main` with `expansions` under `settings`.

    Everything found on the way goes into `report`; the result is None when it cannot be played
    (then the report holds an error). What is `known` of files is not worked out again.
    """
    known = known or Known()
    own = Report()
    rulesets = load_rulesets(main, expansions, paths=paths, report=own, parse=known.manifest)
    return made(rulesets, settings or {}, own, report, known)


def made(
    rulesets: Sequence[Ruleset],
    settings: Mapping[str, int | bool | str],
    own: Report,
    report: Report,
    known: Known,
) -> Checked | None:
    """What `build` gives, of rulesets that have been read; `own` has what was found then."""
    later = Report()
    modules: dict[str, ast.Module] = {}
    words = 0
    for ruleset in rulesets:
        if ruleset.rules is not None:
            modules[ruleset.id] = module = known.module(ruleset.rules, later)
            words += module.size
            if words > MOST_WORDS >= module.size:
                message = f"all rules together have more than {MOST_WORDS} words and signs"
                help_lines = ("play with fewer expansions",)
                later.error("too-large", message, ruleset.rules.span(0, 0), help=help_lines)
                report.extend(own)
                report.extend(later)
                return None
    game = weave(rulesets, settings, known.constant, later, known.draw, modules=modules)
    checked = None if game is None else check(game, modules, later)
    report.extend(own)
    report.extend(later if own.ok else not_missed(later, own, rulesets))
    return checked if report.ok else None


def expression(
    span: Span,
    checked: Checked,
    expected: Type,
    names: Mapping[str, Type],
    report: Report,
) -> Expr | None:
    """The expression written at `span` (a scalar of a YAML file), as a ruleset that requires all
    others would read it; a bare name of the root ruleset means that.

    `names` are the types of the locals it may use. None after a mistake, which is in `report`.
    """
    parsed = parse_expression(span.source, span, report)
    if parsed is None:
        return None
    root = checked.game.roles.ruleset
    seeing = replace(checked, game=_seeing_all(checked.game, root))
    return check_expression(parsed, seeing, root, expected, report, names)


def _seeing_all(game: Game, ruleset: str) -> Game:
    """`game`, in which `ruleset` sees all others."""
    others = (r.id for r in game.rulesets if r.id != ruleset)
    visible = (ruleset, *others)
    return replace(
        game,
        visible={**game.visible, ruleset: visible},
        reach={**game.reach, ruleset: frozenset(visible)},
    )
