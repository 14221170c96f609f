"""The linter, the formatter, the type checker and the import contracts have nothing to say."""

from __future__ import annotations

import pytest

from tools import checks


@pytest.mark.parametrize("name", list(checks.CHECKS))
def test_static_check(name: str) -> None:
    result = checks.run(name)
    assert result.returncode == 0, f"{' '.join(checks.CHECKS[name])} says:\n{result.stdout}"
