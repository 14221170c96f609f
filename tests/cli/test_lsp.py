"""`rulesdsl lsp`, as far as one can call it without an editor."""

from __future__ import annotations

import pytest

from rulesdsl.cli import lsp
from tests.cli.conftest import Cli


def test_help_says_who_calls_it(cli: Cli) -> None:
    result = cli("lsp", "--help")
    assert result.code == 0
    assert "Editors start it and speak" in result.out


def test_without_its_package_it_says_how_to_get_it(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lsp, "find_spec", lambda name: None)
    result = cli("lsp")
    assert result.code == 2
    assert "error[package-missing]" in result.err
    assert "pip install 'rulesdsl[lsp]'" in result.err
