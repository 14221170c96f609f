"""The files of scenarios that belong to a ruleset."""

from __future__ import annotations

from pathlib import PurePath

from rulesdsl.model.ruleset import Ruleset
from rulesdsl.read.files import user_file
from rulesdsl.read.find import SCENARIO_SUFFIXES


def scenarios_beside(ruleset: Ruleset, *, all: bool = False) -> list[str]:
    """The files of scenarios beside the manifest of a ruleset that are called like it, or `all`
    there are; none of an archive."""
    folder, name = user_file(ruleset.manifest.span.source.name)
    called = [PurePath(name).stem + suffix for suffix in SCENARIO_SUFFIXES]
    return [
        folder.shown(file)
        for file in folder.files()
        if file in called or (all and file.endswith(SCENARIO_SUFFIXES))
    ]
