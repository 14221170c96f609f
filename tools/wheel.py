"""A build hook: what can be computed before the first start is written when the package is built.

For an editable installation it goes to `prepared/` in the checkout, otherwise into the wheel, which
also gets the manual page and the completion scripts of shells.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class PreparedResults(BuildHookInterface):  # type: ignore[type-arg]
    """The hook that adds `rulesdsl/_data/prepared` to the wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write the results."""
        root = Path(self.root)
        self._made = Path(tempfile.mkdtemp(prefix="rulesdsl-"))
        sys.path.insert(0, str(root))
        try:
            from rulesdsl.build.preparing import prepare
            from tools.man import shared

            prepare(str(self._made / "prepared"))
            files = shared()
        finally:
            sys.path.remove(str(root))
        if version == "editable":
            shutil.rmtree(root / "prepared", ignore_errors=True)
            shutil.copytree(self._made / "prepared", root / "prepared")
        else:
            build_data["force_include"][str(self._made / "prepared")] = "rulesdsl/_data/prepared"
            for path, text in files.items():
                made = self._made / path
                made.parent.mkdir(parents=True)
                made.write_text(text, encoding="utf-8")
                build_data["shared_data"][str(made)] = path

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the files that were made for the build."""
        shutil.rmtree(self._made)
