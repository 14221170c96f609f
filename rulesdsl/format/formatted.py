"""A text as it should look, whatever it is."""

from __future__ import annotations

import re

from rulesdsl.diagnostics import Report, Source
from rulesdsl.format.rules import formatted_rules
from rulesdsl.format.yaml import formatted_yaml
from rulesdsl.parse import parse
from rulesdsl.read.texts import RULES, YAML, is_ours
from rulesdsl.read.yaml import parse_yaml

_LINE_END = re.compile("\r\n?")


def formatted(text: str, path: str) -> str:
    """A rules text, a manifest or scenarios as they should look: the same in meaning, with all
    comments, and formatting it again changes nothing. Line ends are those of its first line.

    `path` is what findings call it, and its ending says what it is: `.rules`, `.yaml` or `.yml`;
    of any other, the text does. Raises RulesError with everything that is wrong when the text
    cannot be parsed.
    """
    report = Report()
    if is_yaml(text, path):
        node = parse_yaml(Source(path, text), report)
        report.check()
        found = formatted_yaml(_plain(text))
        assert parse_yaml(Source(path, found), report) == node, f"{path}: another meaning"
    else:
        module = parse(Source(path, text), report)
        report.check()
        found = formatted_rules(module)
    return found.replace("\n", "\r\n") if _ends_lines_with_cr(text) else found


def is_yaml(text: str, path: str) -> bool:
    """Whether a text is YAML, not rules."""
    return path.endswith(YAML) or (not path.endswith(RULES) and is_ours(text))


def _plain(text: str) -> str:
    """A YAML text whose line ends are all alike; YAML takes these for the same."""
    return _LINE_END.sub("\n", text.removeprefix("\ufeff"))


def _ends_lines_with_cr(text: str) -> bool:
    first, end, _ = text.partition("\n")
    return bool(end) and first.endswith("\r")
