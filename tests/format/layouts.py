"""Texts that are laid out in odd ways, with comments wherever there may be any."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hypothesis import strategies as st

_TOKEN = re.compile(r"'[^'\n]*'|\w+|->|\.\.|[=!<>+-]=|[^\s\w]")
_OPERATORS = {"+", "-", "*", "==", "!=", "<", "<=", ">", ">=", "..", "=", "+=", "-=", ","}
_GOES_ON = _OPERATORS | {"div", "mod", "and", "or", "not", "in", "is"}


def _places(text: str) -> Iterator[int]:
    """The offsets in a rules text behind which a line may be ended."""
    depth, at = 0, 0
    for line in text.split("\n"):
        quoted = "'" in line and not line.lstrip().startswith("#")
        comment = len(line) if quoted else line.find("#")
        for token in _TOKEN.finditer(line[: comment if comment >= 0 else len(line)]):
            depth += (token[0] in "([{") - (token[0] in ")]}")
            if depth or token[0] in _GOES_ON:
                yield at + token.end()
        at += len(line) + 1


@st.composite
def commented_rules(draw: st.DrawFn, texts: st.SearchStrategy[str]) -> str:
    """A rules text that can be parsed, with comments put anywhere."""
    text = draw(texts)
    places = list(_places(text))
    chosen = draw(st.sets(st.sampled_from(places), max_size=4)) if places else set()
    for number, at in enumerate(sorted(chosen, reverse=True)):
        behind = draw(
            st.sampled_from([" ", f" # in {number}", f"# in {number}\n\n # more {number}"])
        )
        text = f"{text[:at]}{behind}\n{' ' * draw(st.integers(1, 9))}{text[at:]}"
    lines = text.split("\n")
    for number in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, len(lines)))
        line = st.sampled_from(
            ["", "\t", f"# own {number}", f"   # own {number}", f"\t#own {number}"]
        )
        lines.insert(at, draw(line))
    return "\n".join(lines)


# --- YAML ----------------------------------------------------------------------------------------

_WORDS = ["a", "b-c", "d e", "'q: x'", '"é # no"', "12", "true", "-1", "x#y", "[]", "{}", "N>C"]


class _Writer:
    """Writes YAML in odd layouts."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.draw = draw
        self.count = 0

    def pick(self, *choices: str) -> str:
        return self.draw(st.sampled_from(choices))

    def number(self, least: int, most: int) -> int:
        return self.draw(st.integers(least, most))

    def key(self) -> str:
        self.count += 1
        return self.pick("k", "key", "'a key'", "kind-of").replace("k", f"k{self.count}", 1)

    def comment(self) -> str:
        self.count += 1
        return f"#{self.pick('', ' ')}remark {self.count}."

    def behind(self) -> str:
        """What stands behind the last value of a line."""
        return self.pick("", "", "", "  ") or self.pick("", f" {self.comment()}")

    def between(self, indent: int) -> list[str]:
        """Lines before one that is indented so."""
        found = []
        for _ in range(self.number(0, 2) if self.number(0, 2) == 0 else 0):
            found.append(self.pick("", " ", " " * self.pick_indent(indent) + self.comment()))
        return found

    def pick_indent(self, indent: int) -> int:
        return self.draw(st.sampled_from([0, indent, indent, indent + 1, max(0, indent - 1)]))

    def scalar(self) -> str:
        return self.pick(*_WORDS)

    def flow(self, depth: int, indent: int) -> str:
        """A value in brackets, perhaps on several lines."""
        if depth > 2 or self.number(0, 1):
            return self.scalar()

        def end() -> str:
            if self.number(0, 4):
                return self.pick("", " ", "  ")
            comment = self.pick("", f" {self.comment()}")
            return f"{comment}\n{' ' * (indent + self.number(1, 7))}"

        def item(inner: str) -> str:
            return f"{end()}{inner}{end()}"

        values = [self.flow(depth + 1, indent) for _ in range(self.number(0, 3))]
        if self.number(0, 1):
            return f"[{','.join(item(value) for value in values)}]"
        pairs = (item(f"{self.key()}: {end()}{value}") for value in values)
        return f"{{{','.join(pairs)}}}"

    def value(self, depth: int, indent: int, above: int) -> list[str]:
        """A value; its first line goes on after a key or dash, the others begin at `indent` or
        more, where `above` is that of the key."""
        match self.number(0, 5 if depth < 4 else 2):
            case 0:
                return [" " + self.scalar() + self.behind()]
            case 1:
                return [" " * self.number(1, 3) + self.flow(0, indent) + self.behind()]
            case 2:
                chomps = self.pick("|", ">", "|-", ">+")
                lines = [self.pick("text # x", "", "  more") for _ in range(self.number(0, 2))]
                return [f" {chomps}", " " * indent + "first", *(" " * indent + x for x in lines)]
            case 3:
                return ["", *self.sequence(depth + 1, self.draw(st.sampled_from([above, indent])))]
            case 4:
                return [self.behind(), *self.sequence(depth + 1, indent)]
            case _:
                return [self.behind(), *self.mapping(depth + 1, indent)]

    def mapping(self, depth: int, indent: int) -> list[str]:
        found = []
        for _ in range(self.number(1, 3)):
            first, *more = self.value(depth, indent + self.number(1, 4), indent)
            found += self.between(indent)
            found += [f"{' ' * indent}{self.key()}{self.pick('', ' ')}:{first}", *more]
        return found

    def sequence(self, depth: int, indent: int) -> list[str]:
        found = []
        for _ in range(self.number(1, 3)):
            found += self.between(indent)
            if self.number(0, 2) == 0:
                further = indent + self.number(2, 4)
                first, *more = self.mapping_without_lead(depth + 1, further)
                found += [f"{' ' * indent}-{' ' * (further - indent - 1)}{first}", *more]
            else:
                first, *more = self.value(depth, indent + self.number(2, 4), indent + 1)
                found += [f"{' ' * indent}-{first}", *more]
        return found

    def mapping_without_lead(self, depth: int, indent: int) -> list[str]:
        lines = self.mapping(depth, indent)
        while not re.match(r" *[^ #]", lines[0]):
            lines.pop(0)
        lines[0] = lines[0][indent:]
        return lines


@st.composite
def odd_yaml(draw: st.DrawFn) -> str:
    """YAML that can most often be read; its comments are all different."""
    writer = _Writer(draw)
    lines = [*writer.mapping(0, 0), *writer.between(0)]
    return "\n".join(lines) + writer.pick("", "\n", "\n\n")
