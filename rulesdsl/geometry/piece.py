"""One piece while its drawing is read: where findings about it go, and a sketch to show them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from rulesdsl.diagnostics import Label, Report, Span
from rulesdsl.geometry.picture import frame, letters
from rulesdsl.geometry.ring import Size
from rulesdsl.model.geometry import Drawn, KindShape, Port, Shape


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
        """Report a finding about this piece, with a sketch in which the `bad` ports are marked."""
        self.report.error(
            slug,
            f"`{self.name}`: {message}",
            span,
            mark=mark,
            labels=labels,
            help=(*help, *self._sketch(set(bad))),
        )

    def _sketch(self, bad: set[Port]) -> list[str]:
        letter = letters(self.kinds)

        def mark(port: Port) -> str:
            if port in bad:
                return "!"
            holder = self.holders.get(port)
            return "." if holder is None else letter[self.written[holder].drawn.kind]

        held = sorted({self.written[index].drawn.kind for index in self.holders.values()})
        legend = [f"{letter[kind]} {kind}" for kind in held] + [". free"] + ["! here"] * bool(bad)
        return [*frame(self.size, mark), ", ".join(legend)]
