"""Printed code line by line, with the rule that every line comes from."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rulesdsl.diagnostics import Span


class Lines:
    """Lines of code; `spans[n]` is the place in the rules that line n + 1 was made from."""

    def __init__(self, depth: int = 0) -> None:
        self.texts: list[str] = []
        self.spans: list[Span | None] = []
        self.depth = depth

    def add(self, text: str = "", span: Span | None = None) -> None:
        """One line at the depth of now."""
        self.texts.append("    " * self.depth + text if text else "")
        self.spans.append(span)

    def extend(self, other: Lines) -> None:
        """Other lines, at the depth they have."""
        self.texts += other.texts
        self.spans += other.spans

    @contextmanager
    def deeper(self) -> Iterator[None]:
        """What is added inside is indented once more."""
        self.depth += 1
        yield
        self.depth -= 1

    def docstring(self, text: str) -> None:
        """A text as a docstring; nothing if there is none."""
        plain = text.strip().replace("\\", "\\\\").replace('"""', '\\"""')
        if plain:
            first, *others = plain.splitlines()
            end = " " if plain.endswith('"') else ""
            if not others:
                self.add(f'"""{first}{end}"""')
                return
            self.add(f'"""{first}')
            for line in others:
                self.add(line.strip())
            self.add('"""')

    @property
    def source(self) -> str:
        """All of it."""
        return "".join(f"{text}\n" for text in self.texts)
