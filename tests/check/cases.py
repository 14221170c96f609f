"""Cases of rules with the findings they must give.

A file holds cases, each begun by `=== title`. A case is written in the ruleset `extra`, which
requires `base`; `@other` goes on in a stranger of it, `@both` in the interaction of the two.
Lines that begin with `|` belong to the manifest. A line of carets under a line of rules says what
is found there, where exactly, and whether it is a warning; there must be nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from rulesdsl.language.diagnostics import Diagnostic, Severity
from tests.small_games import Outcome, checked

HERE = Path(__file__).parent
FOLDER = HERE / "errors"
_CARETS = re.compile(r" *(\^+) (warning )?([a-z-]+)")
_HEADS = {
    "extra": "requires: [base]",
    "other": "requires: [base]",
    "both": "interaction: [extra, other]",
}


@dataclass(frozen=True, order=True)
class Finding:
    """A finding by place: line and column from 1, how many characters it covers."""

    line: int
    column: int
    length: int
    slug: str
    warning: bool = False


@dataclass
class Case:
    """One case: lines of its file by ruleset, padded so that line numbers are the file's."""

    file: Path
    title: str
    rules: dict[str, list[str]] = field(default_factory=dict)
    manifests: dict[str, list[str]] = field(default_factory=dict)
    expected: list[Finding] = field(default_factory=list)

    def __str__(self) -> str:
        return f"{self.file.stem}: {self.title}"


def cases() -> Iterator[Case]:
    """All cases of all files."""
    for file in sorted(FOLDER.glob("*.rules")):
        yield from _cases(file)


def _cases(file: Path) -> Iterator[Case]:
    case, ruleset, last = Case(file, ""), "extra", 0
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith("=== "):
            if case.title:
                yield case
            case, ruleset = Case(file, line.removeprefix("=== ")), "extra"
        elif line.startswith("@"):
            ruleset = line.removeprefix("@")
        elif carets := _CARETS.fullmatch(line):
            start, end = carets.span(1)
            warning, slug = carets.group(2, 3)
            case.expected.append(Finding(last, start + 1, end - start, slug, warning is not None))
        else:
            last = number
            written = case.manifests if line.startswith("|") else case.rules
            lines = written.setdefault(ruleset, [])
            lines.extend([""] * (number - 1 - len(lines)))
            lines.append(line.replace("|", " ", 1) if line.startswith("|") else line)
    yield case


def outcome(case: Case) -> Outcome:
    """What checking the case gives."""
    texts = {"base": base_text()}
    used = {*case.rules, *case.manifests}
    for id in ("extra", "other", "both") if "both" in used else sorted(used):
        texts[id] = (_manifest(id, case.manifests.get(id, [])), _text(case.rules.get(id, [])))
    return checked(texts)


def with_extra(rules: str) -> Outcome:
    """What checking `base` with these rules of `extra` gives."""
    return checked({"base": base_text(), "extra": (_manifest("extra", []), rules)})


def base() -> Outcome:
    """What checking `base` alone gives."""
    return checked({"base": base_text()})


def _manifest(id: str, lines: list[str]) -> str:
    """A manifest; all its lines stand two columns in, as the cases write them."""
    head = (_HEADS[id], f"ruleset: {id}", "edition: 1", "version: 1.0.0", f"rules: {id}.rules")
    return _text([*lines, *(f"  {line}" for line in head)])


def _text(lines: list[str]) -> str:
    return "\n".join(lines) + "\n"


def base_text() -> tuple[str, str]:
    """The manifest and the rules of `base`."""
    manifest = (HERE / "box.yaml").read_text(encoding="utf-8")
    return manifest, (HERE / "base.rules").read_text(encoding="utf-8")


def finding(diagnostic: Diagnostic) -> Finding:
    """A diagnostic by its place."""
    span = diagnostic.span
    assert span is not None
    warning = diagnostic.severity is Severity.WARNING
    return Finding(span.line, span.column, span.end - span.start, diagnostic.slug, warning)
