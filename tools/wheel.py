"""A build hook: the wheel also gets the manual page and the completion scripts of shells."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class SharedFiles(BuildHookInterface):  # type: ignore[type-arg]
    """The hook that adds the files below `share` to the wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write the files."""
        self._made = Path(tempfile.mkdtemp(prefix="rulesdsl-"))
        sys.path.insert(0, self.root)
        try:
            from tools.man import shared

            files = shared()
        finally:
            sys.path.remove(self.root)
        for path, text in files.items():
            made = self._made / path
            made.parent.mkdir(parents=True)
            made.write_text(text, encoding="utf-8")
            build_data["shared_data"][str(made)] = path

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the files that were made for the build."""
        shutil.rmtree(self._made)
