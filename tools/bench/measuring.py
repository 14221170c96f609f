"""Measurements taken in turn, several times, each along with the fixed workload."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from statistics import mean, median, quantiles

from tools.bench.clock import Clock, calibrate


class Unit(Enum):
    """The unit of a number. Of rates and speedups more is better, of all others less."""

    TIME = "s"
    RATE = "/s"
    BYTES = "bytes"
    RATIO = "ratio"
    SPEEDUP = "speedup"
    COUNT = "count"

    def calibrated(self, value: float, loop: float) -> float:
        """Return the value with the time of the fixed workload as the unit of time."""
        match self:
            case Unit.TIME:
                return value / loop
            case Unit.RATE:
                return value * loop
        return value

    def seconds(self, calibrated: float, loop: float) -> float:
        """Return a calibrated value in seconds, given the time of the fixed workload."""
        return self.calibrated(calibrated, 1 / loop)


@dataclass(frozen=True)
class Key:
    """The identity of a figure: a quantity `what` of a game or ruleset, by an engine or a stage."""

    measurement: str
    of: str
    by: str
    what: str

    def __str__(self) -> str:
        return f"{self.measurement}: {self.of}, {self.by}, {self.what}"


@dataclass(frozen=True)
class Reading:
    """A value measured in one round."""

    of: str
    by: str
    what: str
    value: float
    unit: Unit


@dataclass(frozen=True)
class Task:
    """A measurement that is made once in every round; `run` is given the number of the round."""

    name: str
    run: Callable[[int], Iterable[Reading]]


@dataclass(frozen=True)
class Figure:
    """A result of all rounds.

    `calibrated` is the median of the values, each relative to the time of the fixed workload beside
    it; `spread` is the interquartile range of these, relative to it.
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
    """All figures in the order of their tasks, and the median time of the fixed workload."""

    figures: tuple[Figure, ...]
    loop: float

    def find(self, key: Key) -> Figure | None:
        """Return the figure of that key, or None if it was not measured."""
        return next((figure for figure in self.figures if figure.key == key), None)


def measure(
    tasks: Sequence[tuple[str, Task]], rounds: int, clock: Clock, tell: Callable[[str], None]
) -> Results:
    """Run all tasks, each with the name of its measurement, in turn, `rounds` times.

    So a temporary slowdown of the machine affects all of them. `tell` is called with the current
    activity.
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
    """Return the interquartile range."""
    if len(values) < 2:
        return 0.0
    first, _, third = quantiles(values, n=4, method="inclusive")
    return third - first
