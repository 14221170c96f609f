"""Dataclasses of `rulesdsl.base.records` behave like those of the standard library."""

from __future__ import annotations

import dataclasses
import inspect
import pickle
from dataclasses import field
from typing import Any

import pytest

from rulesdsl.base import records


def made(decorator: Any, **given: bool) -> tuple[Any, Any]:
    """A class made by a decorator, and one that inherits from it."""

    class Plain:
        number: int
        text: str = "x"
        items: list[int] = field(default_factory=list)
        place: int = field(default=0, compare=False, repr=False)

    base = decorator(**given)(Plain)

    class More(base):  # type: ignore[misc, valid-type]
        more: int = 1

        def __repr__(self) -> str:
            return f"more {self.more}"

    return base, decorator(**given)(More)


@pytest.mark.parametrize(
    "given",
    [{}, {"frozen": True}, {"frozen": True, "order": True}, {"slots": True}, {"eq": False}],
    ids=str,
)
def test_instances_compare_and_print_alike(given: dict[str, bool]) -> None:
    (own, own_more), (base, base_more) = (
        made(decorator, **given) for decorator in (records.dataclass, dataclasses.dataclass)
    )
    values = [(1,), (1, "x"), (1, "y"), (2, "x", [3]), (1, "x", [], 7)]
    ours = [own(*each) for each in values] + [own_more(1, "x", [], 0, 5)]
    theirs = [base(*each) for each in values] + [base_more(1, "x", [], 0, 5)]
    assert list(map(repr, ours)) == list(map(repr, theirs))
    assert [[a == b for a in ours] for b in ours] == [[a == b for a in theirs] for b in theirs]
    assert (own.__hash__ is None) == (base.__hash__ is None)
    if given.get("order"):
        assert [[a < b for a in ours[:5]] for b in ours[:5]] == [
            [a < b for a in theirs[:5]] for b in theirs[:5]
        ]
    replaced = dataclasses.replace(ours[2], number=9)
    assert (replaced.number, replaced.text) == (9, "y")
    assert [each.name for each in dataclasses.fields(own)] == ["number", "text", "items", "place"]


@records.dataclass(frozen=True, slots=True)
class Pair:
    """Two numbers."""

    one: int
    other: int = 2


def test_equal_instances_have_equal_hashes_and_survive_pickling() -> None:
    pairs = {Pair(1), Pair(1, 2), Pair(2)}
    assert len(pairs) == 2
    assert pickle.loads(pickle.dumps(Pair(3))) == Pair(3)
    assert not hasattr(Pair(1), "__dict__")
    match Pair(4, 5):
        case Pair(one, other):
            assert (one, other) == (4, 5)


@pytest.mark.parametrize("given", [{}, {"slots": True}], ids=str)
def test_arguments_are_the_same(given: dict[str, bool]) -> None:
    """Classes without made defaults share the code of a method for each number of fields."""

    class Plain:
        number: int
        text: str = "x"
        place: int = field(default=0, compare=False)

    class Other:
        cell: tuple[int, int]
        name: str
        size: int = 3

    for cls in (Plain, Other):
        own: Any = records.dataclass(**given)(cls)
        assert inspect.signature(own) == inspect.signature(dataclasses.dataclass(cls))
        assert own.__init__.__qualname__ == f"{own.__qualname__}.__init__"
    one: Any = records.dataclass(**given)(Plain)
    assert vars_of(one(1)) == (1, "x", 0)
    assert vars_of(one(place=4, number=2)) == (2, "x", 4)
    with pytest.raises(TypeError, match=r"Plain.__init__\(\) missing 1 required .* 'number'"):
        one()
    with pytest.raises(TypeError, match=r"unexpected keyword argument 'size'"):
        one(1, size=2)


def vars_of(instance: Any) -> tuple[object, ...]:
    return tuple(getattr(instance, each.name) for each in dataclasses.fields(instance))


def test_a_field_without_a_default_does_not_follow_one_with_a_default() -> None:
    class Wrong:
        text: str = "x"
        number: int

    for decorator in (records.dataclass, dataclasses.dataclass):
        with pytest.raises(TypeError, match="default"):
            decorator(Wrong)
