"""The lock of the Python packages is complete, has hashes, and names no machine."""

from __future__ import annotations

import re
import tomllib

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from tools.environment import LOCK, PYPROJECT

TEXT = LOCK.read_text(encoding="utf-8")
PINNED = re.compile(
    r"^([a-z0-9-]+)==(\S+)(?: ; [^\\\n]+)? \\\n(?:    --hash=sha256:[0-9a-f]{64}.*\n)+", re.M
)


def required() -> list[Requirement]:
    """What the package, its extras and its build need, except for its own extras."""
    project = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))
    extras = project["project"]["optional-dependencies"].values()
    groups = [project["project"]["dependencies"], project["build-system"]["requires"], *extras]
    found = [Requirement(each) for group in groups for each in group]
    return [each for each in found if each.name != "rulesdsl"]


def test_every_requirement_is_in_the_lock() -> None:
    versions: dict[str, list[Version]] = {}
    for name, version in PINNED.findall(TEXT):
        versions.setdefault(name, []).append(Version(version))
    assert required()
    for each in required():
        locked = versions.get(canonicalize_name(each.name), [])
        assert locked, f"{each.name} is missing: python3 -m tools lock"
        for version in locked:
            assert each.specifier.contains(version), f"{each}, not {version}: python3 -m tools lock"


def test_everything_in_the_lock_has_hashes_and_nothing_else() -> None:
    rest = PINNED.sub("", TEXT)
    assert [line for line in rest.splitlines() if not line.startswith("# Written by")] == []
    assert "://" not in TEXT
