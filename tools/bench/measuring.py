"""Measurements taken in turn, several times, each beside the fixed work."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from statistics import mean, median, quantiles

from tools.bench.clock import Clock, calibrate


class Unit(Enum):
    """What a number counts."""

    TIME = "s"
    RATE = "/s"
    BYTES = "bytes"
    RATIO = "ratio"
    COUNT = "count"

    def calibrated(self, value: float, loop: float) -> float:
        """The value with the time of the fixed work as the unit of time."""
        match self:
            case Unit.TIME:
                return value / loop
            case Unit.RATE:
                return value * loop
        return value

    def seconds(self, calibrated: float, loop: float) -> float:
        """The value again, where the fixed work takes so long."""
        return self.calibrated(calibrated, 1 / loop)


@dataclass(frozen=True)
class Key:
    """What a figure tells: something (`what`) of a game or ruleset, by an engine or a stage."""

    measurement: str
    of: str
    by: str
    what: str

    def __str__(self) -> str:
        return f"{self.measurement}: {self.of}, {self.by}, {self.what}"


@dataclass(frozen=True)
class Reading:
    """One number found in one round."""

    of: str
    by: str
    what: str
    value: float
    unit: Unit


@dataclass(frozen=True)
class Task:
    """Something that is done once in every round; `run` is given the number of the round."""

    name: str
    run: Callable[[int], Iterable[Reading]]


@dataclass(frozen=True)
class Figure:
    """What all rounds found.

    `calibrated` is the median of the values, each put in the time that the fixed work took beside
    it; `spread` is how far apart the middle half of those is, as a part of it.
    """

    key: Key
    unit: Unit
    median: float
    low: float
    high: float
    calibrated: float
    spread: float


@dataclass(frozen=True)
class Results:
    """All figures in the order of their tasks, and the median time of the fixed work."""

    figures: tuple[Figure, ...]
    loop: float

    def find(self, key: Key) -> Figure | None:
        """The figure of that key, if it was measured."""
        return next((figure for figure in self.figures if figure.key == key), None)


def measure(
    tasks: Sequence[tuple[str, Task]], rounds: int, clock: Clock, tell: Callable[[str], None]
) -> Results:
    """Do all tasks, each with the name of its measurement, one after the other, `rounds` times.

    Whatever slows the machine down for a while so meets all of them. `tell` is told what is being
    done.
    """
    values: dict[tuple[Key, Unit], list[tuple[float, float]]] = {}
    loops = []
    for number in range(rounds):
        for measurement, task in tasks:
            tell(f"round {number + 1} of {rounds}: {measurement}, {task.name}")
            before = calibrate(clock)
            readings = list(task.run(number))
            loop = mean((before, calibrate(clock)))
            loops.append(loop)
            for reading in readings:
                key = Key(measurement, reading.of, reading.by, reading.what)
                calibrated = reading.unit.calibrated(reading.value, loop)
                values.setdefault((key, reading.unit), []).append((reading.value, calibrated))
    figures = tuple(_figure(key, unit, found) for (key, unit), found in values.items())
    return Results(figures, median(loops) if loops else 0.0)


def _figure(key: Key, unit: Unit, found: Sequence[tuple[float, float]]) -> Figure:
    values = [value for value, _ in found]
    calibrated = [each for _, each in found]
    middle = median(calibrated)
    spread = _middle_half(calibrated) / middle if middle else 0.0
    return Figure(key, unit, median(values), min(values), max(values), middle, spread)


def _middle_half(values: Sequence[float]) -> float:
    """From the first quartile to the third."""
    if len(values) < 2:
        return 0.0
    first, _, third = quantiles(values, n=4, method="inclusive")
    return third - first
