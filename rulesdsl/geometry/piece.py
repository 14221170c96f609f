"""One piece while its drawing is read: where findings about it go, and a sketch to show them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from rulesdsl.diagnostics import Label, Report, Span
from rulesdsl.geometry.picture import frame, letters
from rulesdsl.geometry.ring import Size, port_name, port_words
from rulesdsl.model.geometry import Drawn, KindShape, Port, Shape

_LARGEST_SKETCH = 12


@dataclass(frozen=True)
class Target:
    """Where a segment ends inside a piece, as written after `>`.

    `port` is the lane whose holder is meant, `rim` the rim position of a corner; the centre has
    neither.
    """

    word: str
    port: Port | None = None
    rim: int | None = None


@dataclass(frozen=True)
class Written:
    """A drawn segment that was understood: the ports it holds, and where it ends inside."""

    drawn: Drawn
    shape: Shape
    ports: tuple[Port, ...]
    target: Target | None

    def __str__(self) -> str:
        return f"{self.drawn.kind} `{self.drawn.at}`"


@dataclass
class Piece:
    """The piece being read; `holders` says which drawn segment holds a port, by its index."""

    name: str
    size: Size
    kinds: Mapping[str, KindShape]
    span: Span
    report: Report
    written: list[Written] = field(default_factory=list)
    holders: dict[Port, int] = field(default_factory=dict)
    failed: bool = False

    def end_stage(self) -> None:
        """Leave out findings from now on if there are any: they would only follow from those."""
        if self.failed:
            self.report = Report()

    def names(self, ports: Iterable[Port]) -> str:
        """Ports as a message names them."""
        return ", ".join(f"`{word}`" for word in port_words(ports, Shape.AREA, self.size))

    def error(
        self,
        slug: str,
        message: str,
        span: Span,
        *,
        mark: str = "",
        bad: Iterable[Port] = (),
        labels: Iterable[Label] = (),
        help: Iterable[str] = (),
    ) -> None:
        """Report a finding about this piece, with a sketch in which the `bad` ports are marked;
        where there are none it shows the names of those that are free."""
        self.failed = True
        self.report.error(
            slug,
            f"`{self.name}`: {message}",
            span,
            mark=mark,
            labels=labels,
            help=help,
            picture=self._sketch(set(bad)),
        )

    def _sketch(self, bad: set[Port]) -> list[str]:
        """The piece as text; nothing for one too large to be taken in."""
        if sum(self.size) > _LARGEST_SKETCH:
            return []
        letter = letters(self.kinds)

        def mark(port: Port) -> str:
            if port in bad:
                return "!"
            holder = self.holders.get(port)
            if holder is not None:
                return letter[self.written[holder].drawn.kind]
            return "." if bad else port_name(port, self.size)

        held = sorted({self.written[index].drawn.kind for index in self.holders.values()})
        legend = [f"{letter[kind]} {kind}" for kind in held] + ([". free", "! here"] if bad else [])
        return [*frame(self.size, mark), *([", ".join(legend)] if legend else [])]
