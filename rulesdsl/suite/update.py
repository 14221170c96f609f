"""Changing tests that do not hold so that they do, and nothing else of their files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import unified_diff

from rulesdsl.deadline import Deadline, OutOfTime, under
from rulesdsl.diagnostics import Diagnostic, RulesError
from rulesdsl.play import PlayError
from rulesdsl.play.golden import golden_text, read_golden
from rulesdsl.play.scenario import Outcome
from rulesdsl.play.scenario.outcome import Edit
from rulesdsl.suite.find import SuiteFile
from rulesdsl.suite.trying import Options, Tried


@dataclass(frozen=True)
class Change:
    """What can be changed in a test that does not hold: `edits` of its file, or, for a golden
    record, its whole text in `anew`; and what a person has to change."""

    outcome: Outcome
    edits: tuple[Edit, ...]
    by_hand: tuple[Diagnostic, ...]
    anew: str | None = None

    @property
    def possible(self) -> bool:
        """Is there anything to change?"""
        return bool(self.edits) or self.anew is not None

    def lines(self) -> Iterator[str]:
        """The lines of the file that would change: `- ` and the line that is there, `+ ` and the
        one that would be."""
        text = self.outcome.span.source.text
        changed = edited(text, self.edits)
        before, after = text.splitlines(), changed.splitlines()
        for line in list(unified_diff(before, after, n=0, lineterm=""))[2:]:
            if line[0] in "-+":
                yield f"{line[0]} {line[1:]}"


def changes(tried: Tried, options: Options) -> list[Change]:
    """What can be done about the tests of a file that do not hold."""
    if tried.file.golden:
        return [_golden(tried.file, each, options) for each in tried.outcomes if not each.passed]
    return [_scenario(each) for each in tried.outcomes if not each.passed]


def _scenario(outcome: Outcome) -> Change:
    edits = tuple(edit for each in outcome.found for edit in each.edits)
    by_hand = tuple(each.diagnostic for each in outcome.found if not each.edits)
    return Change(outcome, edits, by_hand)


def _golden(file: SuiteFile, outcome: Outcome, options: Options) -> Change:
    """The same moves under the rules as they are now, as far as they are offered."""
    try:
        golden = read_golden(file.source(), options.paths, options.engine)
        with under(Deadline.after(options.seconds)):
            return Change(outcome, (), (), golden_text(golden.record, golden.game()))
    except (OutOfTime, RulesError, PlayError, ValueError):
        return Change(outcome, (), outcome.findings)


def edited(text: str, edits: Iterable[Edit]) -> str:
    """A text with edits made, of which no two touch."""
    for each in sorted(set(edits), key=lambda each: each.span.start, reverse=True):
        text = text[: each.span.start] + each.text + text[each.span.end :]
    return text
