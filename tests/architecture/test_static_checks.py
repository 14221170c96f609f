"""The linter, the formatter, the type checker and the import contracts have nothing to say."""

from __future__ import annotations

import pytest

from tools import checks


@pytest.mark.parametrize("name", list(checks.CHECKS))
def test_static_check(name: str) -> None:
    result = checks.run(name)
    command = " ".join(map(str, checks.CHECKS[name]))
    assert result.returncode == 0, f"{command} says:\n{result.stdout}"
