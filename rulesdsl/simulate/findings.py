"""What a study has found."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from rulesdsl.simulate.intervals import Interval


@dataclass(frozen=True)
class Finding:
    """A number and its 95 % confidence interval.

    `against` is empty, or names the variant that was subtracted game by game; `share` says that it
    is a part of 1; `deviation` is the standard deviation over games, None where there is none;
    `method` names the interval's formula (see `intervals`).
    """

    variant: str
    against: str
    section: str
    label: str
    games: int
    interval: Interval
    deviation: float | None
    method: str
    share: bool = False

    @property
    def sure(self) -> bool:
        """Does the interval leave out 0?"""
        return self.interval.low > 0 or self.interval.high < 0

    def row(self) -> dict[str, str | int | float | None]:
        """It as plain data, in the order of columns; bounds that are nowhere are None."""
        plain = asdict(self)
        interval = plain.pop("interval")
        del plain["share"]
        head = {key: plain.pop(key) for key in ("variant", "against", "section", "label", "games")}
        found = {**head, **interval, **plain}
        return {key: None if value in _ENDLESS else value for key, value in found.items()}


_ENDLESS = (float("inf"), float("-inf"))
