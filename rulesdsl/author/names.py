"""Whether a new ruleset may be called so."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence

from rulesdsl.diagnostics import Diagnostic, Report, RulesError
from rulesdsl.parse.words import RESERVED
from rulesdsl.read.files import DiskFolder
from rulesdsl.read.find import Search, search_folders

_ID = re.compile(r"[a-z][a-z0-9_]{0,59}")
_ENDINGS = ("yaml", "rules", "test.yaml", "md")


def check_name(name: str) -> None:
    """Raises RulesError if it is no id."""
    if not _ID.fullmatch(name):
        raise refused(
            f"`{name}` is no id",
            "an id begins with a letter and has small letters, digits and `_`: `my_expansion`",
        )
    if name in RESERVED:
        raise refused(f"`{name}` is a word of the language")


def check_free(name: str, folder: str, paths: Sequence[str]) -> None:
    """Raises RulesError if a ruleset has that id, where rulesets are sought or in the folder, or
    a file is there that would be made."""
    search = Search(search_folders([DiskFolder.at(folder)], paths, Report()))
    if taken := search.by_id(name):
        raise refused(f"there is a ruleset `{name}`", f"it is `{taken[0].shown}`")
    for ending in _ENDINGS:
        file = os.path.join(folder, f"{name}.{ending}")
        if os.path.lexists(file):
            raise refused(f"there is a file `{file}`", "name another folder with `--folder`")


def title(name: str) -> str:
    """An id as people write it."""
    return name.replace("_", " ").capitalize()


def refused(message: str, *help: str) -> RulesError:
    """Why nothing is made."""
    return RulesError([Diagnostic("bad-argument", message, help=help)])
