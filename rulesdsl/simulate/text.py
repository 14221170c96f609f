"""A summary as a table for terminals."""

from __future__ import annotations

from collections.abc import Iterator

from rulesdsl.simulate import wording
from rulesdsl.simulate.summary import Finding, Summary

Line = tuple[str | tuple[str, str], ...]
"""Pieces of a line: plain, or with what they are (`title`, `label`, `faint`, `mark`)."""


def lines(summary: Summary) -> Iterator[Line]:
    """The table."""
    for name, text in wording.heading(summary):
        yield (f"{name}: ", "label"), text
    for title, findings in wording.groups(summary.findings()):
        yield ("",)
        yield from _group(title, findings)
    yield ("",)
    for note in wording.NOTES:
        yield ((note, "faint"),)


def _group(title: str, findings: list[Finding]) -> Iterator[Line]:
    against = bool(findings[0].against)
    rows = [
        (each, [wording.value(each), wording.bounds(each), wording.spread(each)])
        for each in findings
    ]
    cells = dict(rows)
    heads = ["difference" if against else "mean", "95 % interval", "spread"]
    label = max(len(each.label) for each in findings) + 2
    widths = [max(len(row[at]) for row in [heads, *cells.values()]) for at in range(3)]
    head = "  ".join(text.rjust(width) for text, width in zip(heads, widths, strict=True))
    yield (title.ljust(label), "title"), "  ", (head, "faint")
    for section, found in wording.sections(findings):
        yield ((section, "label"),)
        for each in found:
            texts = zip(cells[each], widths, strict=True)
            yield (
                f"  {each.label}".ljust(label),
                "  ",
                "  ".join(text.rjust(width) for text, width in texts),
                "  *" if against and each.sure else "",
            )
    if against:
        yield (("  * the interval leaves out 0", "faint"),)
