"""Findings in games of which some could not be read: those that do not come of that alone."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from rulesdsl.diagnostics import Diagnostic, Report
from rulesdsl.model.ruleset import Ruleset
from rulesdsl.read.manifest import stands_in

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
"""Something is not there: it may stand in what was left out, if its name does."""

_OF_ALL = frozenset(
    {
        "count-total",
        "hooks-meet",
        "last-option",
        "missing-key",
        "never-applies",
        "new-kind",
        "ruleset-missing",
        "ruleset-unmet",
        "setting-impossible",
        "stuck-choice",
        "unused",
        "value-clash",
    }
)
"""True of a game as a whole alone."""

_ENDS_READING = frozenset({"yaml-syntax", "yaml-too-deep", "yaml-too-large"})
"""What follows in the file was not read, whatever it is."""

_WORD = re.compile(r"[A-Za-z]\w*")


def not_missed(
    found: Iterable[Diagnostic], reading: Report, rulesets: Sequence[Ruleset]
) -> list[Diagnostic]:
    """Those of the findings of later stages that hold whatever stands in what `reading` could not
    make out of these rulesets."""
    left_out = [span for ruleset in rulesets for span in ruleset.left_out]
    all_there = all(any(map(each.lies_in, left_out)) for each in reading)
    cut = any(each.slug in _ENDS_READING for each in reading)
    manifests = [ruleset.manifest.span.source for ruleset in rulesets]
    words = {word for span in left_out for word in _WORD.findall(span.text)}
    kept, due = list[Diagnostic](), list(found)
    while due:
        missed, kept = list[Diagnostic](), list[Diagnostic]()
        for each in due:
            (missed if _missed(each, words, all_there, cut) else kept).append(each)
        # An entry of a manifest that names what was left out may be left out by `weave` as well.
        woven = (each.span for each in missed if each.span and each.span.source in manifests)
        lines = {(span.source, span.line) for span in woven}
        more = {word for source, line in lines for word in _WORD.findall(source.line(line))} - words
        words |= more
        due = kept if more else []
    return kept


def _missed(each: Diagnostic, words: set[str], all_there: bool, cut: bool) -> bool:
    if each.slug in _OF_ALL or (each.span is not None and stands_in(each.span)):
        return True
    if each.slug in _OF_NAMES and not all_there:
        return True
    named = set(_WORD.findall(each.span.text)) if each.span is not None else set()
    return (cut or each.slug in _OF_NAMES) and bool(named & words)
