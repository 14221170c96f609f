"""Checks of `with` blocks about rulesets that are not active."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from os import PathLike

from rulesdsl.build.stages import Known, made
from rulesdsl.diagnostics import Diagnostic, Report, Span
from rulesdsl.model import ast
from rulesdsl.model.ast import blocks, named
from rulesdsl.model.ruleset import Ruleset
from rulesdsl.read.load import ids_of, load_rulesets


def absent(rulesets: Sequence[Ruleset], known: Known) -> Iterator[tuple[Ruleset, ast.WithDecl]]:
    """Yield the `with` blocks about rulesets that are not all among these, with their rulesets."""
    there = {ruleset.id for ruleset in rulesets}
    for ruleset in rulesets:
        if ruleset.rules is not None:
            for block in blocks(known.module(ruleset.rules, Report())):
                if not there.issuperset(named(block)):
                    yield ruleset, block


def check_absent(
    main: str | PathLike[str],
    expansions: Sequence[str],
    settings: Mapping[str, int | bool | str],
    *,
    paths: Sequence[str | PathLike[str]] = (),
    rulesets: Sequence[Ruleset],
    found: Sequence[Diagnostic],
    known: Known | None = None,
) -> tuple[Diagnostic, ...]:
    """Check the `with` blocks about inactive rulesets, in games with these rulesets.

    `rulesets` are those of `main` with `expansions`, and `found` are their findings. The result
    holds the other findings in `with` blocks, and warnings for blocks that cannot be checked.
    """
    known, report = known or Known(), Report()
    given = {*ids_of([main]), *ids_of(expansions)}
    groups: dict[tuple[str, ...], list[ast.WithDecl]] = {}
    for ruleset, block in absent(rulesets, known):
        if ruleset.id in given:
            groups.setdefault(named(block), []).append(block)
    for names, group in groups.items():
        reading = Report()
        on = [*expansions, *(name for name in names if name not in given)]
        loaded = load_rulesets(main, on, paths=paths, report=reading, parse=known.manifest)
        ids = {ruleset.id for ruleset in loaded}
        games = [each.id for each in loaded if each.manifest.get("game") is not None]
        if not ids.issuperset(names):
            _report_missing(group, ids, reading, report)
        elif len(games) > 1:
            _report_games(group, games, report)
        else:
            built = Report()
            made(loaded, settings, reading, built, known)
            spans = [block.span for block in group]
            report.extend(each for each in built if _about(each, spans))
    before = {_key(each) for each in found}
    return tuple(each for each in report.sorted() if _key(each) not in before)


def _about(each: Diagnostic, blocks: Sequence[Span]) -> bool:
    """Say whether a finding shows a place in one of these blocks."""
    shown = (each.span, *(label.span for label in each.labels))
    return any(span is not None and _inside(span, block) for span in shown for block in blocks)


def _inside(span: Span, block: Span) -> bool:
    same = span.source.name == block.source.name
    return same and block.start <= span.start and span.end <= block.end


def _report_games(blocks: Sequence[ast.WithDecl], games: Sequence[str], report: Report) -> None:
    """Report blocks about rulesets of another game."""
    listed = " and ".join(f"`{id}`" for id in games)
    for block in blocks:
        report.warning(
            "never-applies",
            f"this block never counts: {listed} are games of their own",
            block.names[0].span,
            help=("name a ruleset that extends the same game",),
        )


def _report_missing(
    blocks: Sequence[ast.WithDecl], ids: set[str], reading: Report, report: Report
) -> None:
    """Warn that blocks cannot be checked; the help consists of the findings of loading."""
    for path in (path for block in blocks for path in block.names if str(path) not in ids):
        of = (each for each in reading if f"`{path}`" in each.message)
        report.warning(
            "ruleset-missing",
            f"no ruleset `{path}` is found, so this block is not checked",
            path.span,
            help=next((each.help for each in of), ()),
        )


def _key(each: Diagnostic) -> tuple[str, str, str, int]:
    span = each.span
    place = ("", 0) if span is None else (span.source.name, span.start)
    return each.slug, each.message, *place
