"""One editor for all tests: to start its server takes longer than they do."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.lsp.editor import Editor


@pytest.fixture(scope="session")
def editor() -> Iterator[Editor]:
    started = Editor({"with": ["more"]})
    yield started
    started.close()
    assert not started.messages
