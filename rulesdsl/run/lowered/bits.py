"""Numbers in as few bytes as what they can be needs: 0, 1, 2, 4 or 8, the least first."""

from __future__ import annotations

from rulesdsl.run.reference.plaindata import DataError


def width(low: int, high: int) -> int:
    """How many bytes a number from `low` to `high` takes."""
    return next(size for size in (0, 1, 2, 4, 8) if high - low < 1 << 8 * size)


class Writer:
    """Puts numbers one after another into `data`."""

    def __init__(self) -> None:
        self.data = bytearray()

    def number(self, value: int, low: int, high: int) -> None:
        """A number from `low` to `high`."""
        assert low <= value <= high, f"{value} is not from {low} to {high}"
        self.data += (value - low).to_bytes(width(low, high), "little")


class Reader:
    """Takes numbers out of bytes that may be anybody's; all methods raise DataError for what no
    writer has written."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def bytes(self, count: int) -> bytes:
        """The next bytes."""
        found = self._data[self._at : self._at + count]
        if len(found) != count:
            raise DataError("it is cut off")
        self._at += count
        return found

    def number(self, low: int, high: int) -> int:
        """A number from `low` to `high`."""
        value = low + int.from_bytes(self.bytes(width(low, high)), "little")
        if value > high:
            raise DataError("a number is larger than it can be")
        return value

    def end(self) -> None:
        """Nothing comes after this."""
        if self._at != len(self._data):
            raise DataError("something comes after its end")
