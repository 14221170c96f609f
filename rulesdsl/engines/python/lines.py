"""Lines of printed code, with the rule that each comes from."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rulesdsl.diagnostics import Span


class Lines:
    """Lines of code; `spans[n]` is the place in the rules that line n + 1 comes from."""

    def __init__(self, depth: int = 0) -> None:
        self.texts: list[str] = []
        self.spans: list[Span | None] = []
        self.depth = depth

    def add(self, text: str = "", span: Span | None = None) -> None:
        """Add a line at the current depth."""
        self.texts.append("    " * self.depth + text if text else "")
        self.spans.append(span)

    def extend(self, other: Lines) -> None:
        """Add other lines, at the depth they have."""
        self.texts += other.texts
        self.spans += other.spans

    @contextmanager
    def deeper(self) -> Iterator[None]:
        """Return a context in which lines are indented by one more level."""
        self.depth += 1
        yield
        self.depth -= 1

    def docstring(self, text: str) -> None:
        """Add a text as a docstring, or nothing if it is empty."""
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
        """The source code."""
        return "".join(f"{text}\n" for text in self.texts)
