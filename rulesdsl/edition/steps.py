"""The edition that is read, and the steps that lead to it from older ones."""

from __future__ import annotations

import shlex
from collections.abc import Mapping as AnyMapping
from dataclasses import dataclass

from rulesdsl.diagnostics import Report
from rulesdsl.edition.rewrites import Rewrite
from rulesdsl.edition.words import Rename
from rulesdsl.model.nodes import Mapping, Node, Scalar

EDITION = 1
"""The edition of the language that is read."""


@dataclass(frozen=True)
class Step:
    """How texts of one edition become texts of the next: rewrites of manifests, of files of
    scenarios, and of words in rules and in the expressions of both. They are done in this order,
    each on what the one before it made. `expressions` are keys under which expressions stand
    after these rewrites, and do not any more in the edition that is read."""

    manifest: tuple[Rewrite, ...] = ()
    scenarios: tuple[Rewrite, ...] = ()
    words: tuple[Rename, ...] = ()
    expressions: tuple[str, ...] = ()


STEPS: dict[int, Step] = {}
"""By the edition that it begins with, every step; they follow one another up to `EDITION`."""


def steps_from(edition: int, steps: AnyMapping[int, Step]) -> list[Step] | None:
    """The steps that lead from an edition to the one that is read; None for an edition from which
    none does."""
    between = range(edition, EDITION)
    if edition > EDITION or not all(each in steps for each in between):
        return None
    return [steps[each] for each in between]


def is_current(document: Node, report: Report) -> bool:
    """False (reported) for a manifest or scenarios of another edition than the one that is read:
    nothing else in it can be judged. What is no edition at all is left to the schema."""
    edition = document.get("edition") if isinstance(document, Mapping) else None
    if not isinstance(edition, Scalar) or type(edition.value) is not int:
        return True
    if edition.value == EDITION:
        return True
    if edition.value < EDITION and steps_from(edition.value, STEPS) is not None:
        name = shlex.quote(edition.span.source.name)
        message = f"edition {edition.value} of the language is not read any more"
        help = (f"to rewrite it for edition {EDITION}: rulesdsl update {name}",)
        report.error("edition-unknown", message, edition.span, help=help)
    else:
        report_unknown(edition, edition.value, report)
    return False


def report_unknown(edition: Scalar, number: int, report: Report) -> None:
    """Report an edition that is newer than the program, or that there never was."""
    newer = "a newer rulesdsl may know it: pip install --upgrade rulesdsl"
    report.error(
        "edition-unknown",
        f"edition {number} of the language is not known to this program",
        edition.span,
        help=(f"known: {EDITION}", *([newer] if number > EDITION else [])),
    )
