"""Whether the number of a new version claims as much as has changed."""

from __future__ import annotations

from rulesdsl.author.versions.changes import Raise
from rulesdsl.base.records import dataclass


@dataclass(frozen=True)
class VersionVerdict:
    """Two version numbers, and the level of what has changed between them."""

    old: str
    new: str
    level: Raise

    @property
    def claimed(self) -> Raise | None:
        """The level that the new number claims; None if it is lower than the old one."""
        old, new = _parts(self.old), _parts(self.new)
        if new < old:
            return None
        raised = next((at for at in range(3) if new[at] > old[at]), 3)
        if old[0] == new[0] == 0 and raised < 3:  # before 1.0 the second stands for the first
            raised -= 1
        return Raise(3 - raised)

    @property
    def honest(self) -> bool:
        """Whether the new number claims as much as has changed."""
        return self.claimed is not None and self.claimed >= self.level

    @property
    def number(self) -> str:
        """The lowest number that is honest."""
        first, second, third = _parts(self.old)
        level = self.level
        if first == 0 and level > Raise.NONE:
            level = Raise(max(level - 1, 1))
        match level:
            case Raise.MAJOR:
                return f"{first + 1}.0.0"
            case Raise.MINOR:
                return f"{first}.{second + 1}.0"
            case Raise.PATCH:
                return f"{first}.{second}.{third + 1}"
        return self.old


def _parts(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))
