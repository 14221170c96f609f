"""All stages of a build in sequence: complete for play, or as far as possible for editors."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from os import PathLike
from typing import TYPE_CHECKING, Any, TypeVar

from rulesdsl.base.records import dataclass
from rulesdsl.language.check import check, check_constant, check_expression, examine
from rulesdsl.language.check.declarations import DraftGame
from rulesdsl.language.check.expressions import infer
from rulesdsl.language.check.scope import Infer
from rulesdsl.language.diagnostics import Diagnostic, Report, Source, Span
from rulesdsl.language.link import link
from rulesdsl.language.link.box import Palette, draw
from rulesdsl.language.model import ast, checked
from rulesdsl.language.model.checked import Checked, Expr
from rulesdsl.language.model.game import LinkedGame, Ruleset
from rulesdsl.language.model.geometry import Drawn, Outline, Size
from rulesdsl.language.model.types import SIDE_NAMES_OF_HEXAGON, SIDE_NAMES_OF_TRIANGLE, Type
from rulesdsl.language.model.uses import Uses
from rulesdsl.language.parse.grammar import MOST_WORDS
from rulesdsl.language.read.load import load_rulesets
from rulesdsl.language.read.manifest import Read, read_manifest, stands_in

if TYPE_CHECKING:
    from rulesdsl.language.parse import Trees

T = TypeVar("T")
_Done = tuple[Any, tuple[Diagnostic, ...]]
"""The result of a stage and its findings."""


MOST = 10_000
"""Maximum number of different expressions that are remembered."""


@dataclass(frozen=True)
class _File:
    """One version of a file, and the results of stages for it."""

    text: str
    done: dict[Hashable, _Done]


class StageMemo:
    """Memoised per-file results of the stages, computed once for each version of a file.

    Of every file, identified by its name in messages, only the latest version is kept, so that
    memory does not grow with changes. Findings are reported again each time. Results have the spans
    of the source seen first.
    """

    def __init__(self) -> None:
        self._files: dict[str, _File] = {}
        self._trees: dict[str, Trees] = {}
        self._expressions: Trees | None = None

    def manifest(self, source: Source, report: Report) -> Read | None:
        """Return the result of `read.manifest.read_manifest`."""
        return self._once(source, "manifest", partial(read_manifest, source), report)

    def module(self, source: Source, report: Report) -> ast.Module:
        """Return the result of `parse.parse`.

        Of a new version only the changed parts are parsed.
        """

        def parsed(own: Report) -> ast.Module:
            from rulesdsl.language.parse import Trees, parse  # the parser takes long to import

            return parse(source, own, self._trees.setdefault(source.name, Trees()))

        return self._once(source, "module", parsed, report)

    def trees(self, name: str) -> Trees:
        """Return the parse trees of the latest version of a file of rules."""
        from rulesdsl.language.parse import Trees

        return Trees(dict(self._trees.get(name, Trees()).known))

    def expression(self, span: Span, report: Report) -> ast.Expr | None:
        """Return the result of `parse.parse_expression`."""

        def parsed(own: Report) -> ast.Expr | None:
            from rulesdsl.language.parse import Trees, parse_expression

            if self._expressions is None or len(self._expressions.known) > MOST:
                self._expressions = Trees()
            return parse_expression(span.source, span, own, self._expressions)

        return self._once(span.source, ("expression", *_place(span)), parsed, report)

    def constant(
        self,
        span: Span,
        ruleset: str,
        wanted: Type | None,
        game: LinkedGame,
        uses: Uses,
        report: Report,
        names: Sequence[str] = (),
        /,
    ) -> checked.Expr | None:
        """Return the checked expression at a span of a manifest, the result of `check_constant`."""
        parsed = self.expression(span, report)
        if parsed is None:
            return None
        return check_constant(parsed, ruleset, wanted, game, uses, report, names)

    def draw(
        self,
        name: str,
        size: Size,
        drawn: Sequence[Drawn],
        colours: Palette,
        span: Span,
        report: Report,
    ) -> Outline:
        """Return the result of `link.drawing.draw`."""
        lines = tuple(map(_line, drawn))
        key = ("outline", *_place(span), name, size, lines, colours.text)
        work = partial(draw, name, size, drawn, colours, span)
        return self._once(span.source, key, work, report)

    def _once(
        self, source: Source, key: Hashable, work: Callable[[Report], T], report: Report
    ) -> T:
        """Return the result of `work`, run at most once for each version of a file.

        Its findings are reported each time.
        """
        file = self._files.get(source.name)
        if file is None or file.text != source.text:
            file = self._files[source.name] = _File(source.text, {})
        done = file.done.get(key)
        if done is None:
            own = Report()
            done = file.done[key] = work(own), tuple(own)
        result: T = done[0]
        report.extend(done[1])
        return result


def _place(span: Span) -> tuple[int, int]:
    return span.start, span.end


def _line(drawn: Drawn) -> Hashable:
    """Return everything that a drawing, and its findings, depend on in one of its segments."""
    place = drawn.span.source.name, *_place(drawn.span)
    said = drawn.kind, drawn.at, drawn.over, drawn.borders, drawn.added
    return *place, *said, tuple(drawn.attributes.items())


_OF_NAMES = frozenset(
    {
        "label-unknown",
        "not-callable",
        "order-unknown",
        "setting-unknown",
        "unknown-attribute",
        "unknown-key",
        "unknown-name",
    }
)
"""Findings about missing things, which may be declared in unreadable parts that name them."""

_OF_ALL = frozenset(
    {
        "count-total",
        "escaped-veto",
        "hooks-meet",
        "last-option",
        "missing-key",
        "never-applies",
        "never-ends",
        "new-grid",
        "new-kind",
        "not-the-one",
        "ruleset-missing",
        "ruleset-unmet",
        "setting-impossible",
        "shared-limit",
        "stuck-choice",
        "unmet-require",
        "unused",
        "value-clash",
    }
)
"""Findings that apply only to a complete game."""

_OF_SIDES = frozenset({"port-unknown", "sides-differ"})
"""Findings that depend on how many sides there are."""


_ENDS_READING = frozenset({"yaml-syntax", "yaml-too-deep", "yaml-too-large"})
"""Findings after which the rest of the file was not read."""


def not_missed(
    found: Iterable[Diagnostic], reading: Report, rulesets: Sequence[Ruleset]
) -> list[Diagnostic]:
    """Drop findings of later stages that may only follow from unreadable parts of the rulesets.

    `reading` has the findings of reading. A name that is not declared, but is somewhere in a
    manifest with an unreadable part, may be declared there.
    """
    left_out = [span for ruleset in rulesets for span in ruleset.left_out]
    # A ruleset whose requirements are unreadable sees nothing of others.
    alone = any(span.text.startswith("requires") for span in left_out)
    all_there = not alone and all(any(map(each.lies_in, left_out)) for each in reading)
    cut = any(each.slug in _ENDS_READING for each in reading)
    may_declare = {span.source.text for span in left_out}
    if left_out:  # a grid has the sides of its cells
        may_declare |= {*SIDE_NAMES_OF_HEXAGON, *SIDE_NAMES_OF_TRIANGLE}

    def missed(each: Diagnostic) -> bool:
        if each.slug in _OF_ALL or (each.slug in _OF_SIDES and left_out):
            return True
        if each.span is None or stands_in(each.span):
            return each.span is not None
        name = each.span.text
        of_name = each.slug in _OF_NAMES
        named = (of_name or (cut and name.isidentifier())) and any(name in m for m in may_declare)
        return named or (of_name and not all_there)

    return [each for each in found if not missed(each)]


def build(
    main: str | PathLike[str],
    expansions: Sequence[str] = (),
    settings: Mapping[str, int | bool | str] | None = None,
    *,
    paths: Sequence[str | PathLike[str]] = (),
    report: Report,
    known: StageMemo | None = None,
    backwards: bool = False,
    proved: bool = False,
) -> Checked | None:
    """Read, parse, link and check `main` with `expansions` under `settings`.

    All findings go into `report`; the result is None when the game cannot be played (then the
    report holds an error). Results that are `known` of files are not computed again. `backwards` is
    that of `link`, and rules that are `proved` are not proved again.
    """
    known = known or StageMemo()
    own = Report()
    rulesets = load_rulesets(main, expansions, paths=paths, report=own, parse=known.manifest)
    return made(rulesets, settings or {}, own, report, known, backwards=backwards, proved=proved)


def box(
    main: str | PathLike[str],
    expansions: Sequence[str] = (),
    *,
    paths: Sequence[str | PathLike[str]] = (),
    report: Report,
) -> LinkedGame | None:
    """Read and link the manifests of `main` with `expansions`, whatever their rules are.

    A file of rules that is missing or unreadable is not reported: the components are complete
    without it. The result is None if the manifests have mistakes, which are in `report`.
    """
    known, own = StageMemo(), Report()
    rulesets = load_rulesets(main, expansions, paths=paths, report=own, parse=known.manifest)
    texts = {node.span for each in rulesets if (node := each.manifest.get("rules")) is not None}
    manifests = {each.manifest.span.source for each in rulesets}
    report.extend(
        each
        for each in own
        if each.span is None or (each.span not in texts and each.span.source in manifests)
    )
    game = link(rulesets, {}, known.constant, report, known.draw)
    return game if report.ok else None


def made(
    rulesets: Sequence[Ruleset],
    settings: Mapping[str, int | bool | str],
    own: Report,
    report: Report,
    known: StageMemo,
    *,
    backwards: bool = False,
    proved: bool = False,
) -> Checked | None:
    """Return the result of `build` for rulesets that have been read, with `own` findings."""
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
    game = link(
        rulesets,
        settings,
        known.constant,
        later,
        known.draw,
        modules=modules,
        backwards=backwards,
    )
    checked = None if game is None else check(game, modules, later, proved=proved)
    report.extend(own)
    report.extend(later if own.ok else not_missed(later, own, rulesets))
    return checked if report.ok else None


def expression(
    span: Span,
    checked: Checked,
    expected: Type,
    names: Mapping[str, Type],
    report: Report,
    uses: Uses | None = None,
) -> Expr | None:
    """Return the checked expression at `span`, a scalar of a YAML file.

    Its names are resolved as in a ruleset that requires all others; a bare name of the root ruleset
    refers to that. `names` are the types of the locals it may use. None after a mistake, which is
    in `report`. The meanings of names are noted in `uses`.
    """
    from rulesdsl.language.parse import parse_expression

    parsed = parse_expression(span.source, span, report)
    if parsed is None:
        return None
    root = checked.game.roles.ruleset
    seeing = replace(checked, game=_seeing_all(checked.game, root))
    return check_expression(parsed, seeing, root, expected, report, names, uses)


def _seeing_all(game: LinkedGame, ruleset: str) -> LinkedGame:
    others = (r.id for r in game.rulesets if r.id != ruleset)
    visible = (ruleset, *others)
    return replace(
        game,
        visible={**game.visible, ruleset: visible},
        reach={**game.reach, ruleset: frozenset(visible)},
    )


# --- incomplete games ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Analysis:
    """The results of the stages for some rulesets, with the occurrences of names.

    `game`, `draft` and `checked` are None where there is too little to make them from; `checked`
    may have mistakes and cannot be played.
    """

    rulesets: tuple[Ruleset, ...]
    modules: Mapping[str, ast.Module]
    uses: Uses
    game: LinkedGame | None = None
    draft: DraftGame | None = None
    checked: Checked | None = None


def analyse(
    main: str,
    expansions: Sequence[str] = (),
    *,
    paths: Sequence[str] = (),
    known: StageMemo,
    modules: Mapping[str, ast.Module] | None = None,
    infer: Infer = infer,
) -> Analysis:
    """Return the analysis of `main` with `expansions`, as far as possible.

    `modules` replace the rules of these rulesets; `infer` types their expressions.
    """
    report, uses = Report(), Uses()
    rulesets = tuple(
        load_rulesets(main, expansions, paths=paths, report=report, parse=known.manifest)
    )
    rules = {r.id: known.module(r.rules, report) for r in rulesets if r.rules is not None}
    rules |= modules or {}
    game = link(
        rulesets,
        {},
        known.constant,
        report,
        known.draw,
        modules=rules,
        uses=uses,
    )
    if game is None:
        return Analysis(rulesets, rules, uses)
    found = examine(game, rules, report, infer, uses)
    return Analysis(rulesets, rules, uses, game, found.draft, found.game)
