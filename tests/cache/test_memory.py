"""Garbage is looked for again after something was built, whatever happened to it."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from rulesdsl.base.speed import uncollected


@pytest.fixture(autouse=True)
def enabled() -> Iterator[None]:
    gc.enable()
    yield
    gc.enable()


def test_it_is_off_meanwhile() -> None:
    with uncollected():
        assert not gc.isenabled()
        with uncollected():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()


def test_it_is_on_after_a_mistake() -> None:
    with pytest.raises(ValueError, match="wrong"), uncollected():
        raise ValueError("wrong")
    assert gc.isenabled()


def test_it_stays_off() -> None:
    gc.disable()
    with uncollected():
        pass
    assert not gc.isenabled()
