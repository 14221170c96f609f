"""Sets and lists on the heap."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulesdsl.engine.runtime import heap
from rulesdsl.engine.runtime.faults import NO_SPACE, Fault
from rulesdsl.engine.runtime.tables import heap as numbers
from tests.runtime.handmade import lay_out

ITEMS = st.lists(st.integers(-50, 50), max_size=60)


def fresh(size: int = 10_000) -> None:
    lay_out({"heap": size, "pieces": 4}, PLAYERS=[3], piece_seat=[-1, 2, 0, 1])


def made(items: list[int]) -> int:
    offset = heap.begin()
    for item in items:
        heap.push(offset, item)
    return offset


def read(offset: int) -> list[int]:
    return numbers[offset + 1 : offset + 1 + numbers[offset]]


def set_of(items: list[int]) -> int:
    return made(sorted(set(items)))


@given(ITEMS)
def test_inserting_keeps_a_set(items: list[int]) -> None:
    fresh()
    found = heap.begin()
    for item in items:
        heap.insert(found, item)
    assert read(found) == sorted(set(items))
    assert heap.mark() == found + 1 + len(set(items))


@given(ITEMS)
def test_a_set_is_made_where_there_is_space(items: list[int]) -> None:
    fresh()
    below = made([7])
    begun = heap.space_for(len(items))
    end = begun + 1
    for item in items:
        end = heap.added(begun + 1, end, item)
    found = heap.finished(begun, end)
    assert read(found) == sorted(set(items))
    assert heap.mark() == found + 1 + len(set(items))
    assert read(below) == [7]


@given(ITEMS, ITEMS)
def test_sets_are_joined_and_parted(a: list[int], b: list[int]) -> None:
    fresh()
    left, right = set_of(a), set_of(b)
    assert read(heap.union(left, right)) == sorted({*a, *b})
    assert read(heap.difference(left, right)) == sorted({*a} - {*b})
    assert heap.equal(left, right) == ({*a} == {*b})
    assert heap.equal(left, heap.copy(left))
    assert [n for n in range(-51, 52) if heap.has(left, n)] == sorted({*a})


@given(st.lists(st.integers(-500, 500), max_size=300))
def test_a_list_becomes_a_set(items: list[int]) -> None:
    fresh()
    plain = made(items)
    assert read(heap.put_sorted(plain)) == sorted(set(items))
    assert read(plain) == items


@given(st.lists(st.integers(0, 5), max_size=60), st.integers(1, 4))
def test_equal_items_of_a_sorted_list_are_counted(items: list[int], times: int) -> None:
    fresh()
    plain, counts = made(items), Counter(items)
    heap.sort(plain)
    assert heap.longest(plain) == max(counts.values(), default=0)
    wanted = sorted(item for item, count in counts.items() if count >= times)
    assert read(heap.repeated(plain, times)) == wanted


@given(
    st.lists(st.tuples(st.integers(-2, 2), st.integers(-2, 2)), max_size=40), st.integers(-1, 45)
)
def test_the_greatest_rows_are_those_of_a_stable_sort(
    keys: list[tuple[int, int]], amount: int
) -> None:
    fresh()
    rows = made([entry for member, row in enumerate(keys) for entry in (*row, 10 * member)])
    best = sorted(range(len(keys)), key=lambda member: keys[member], reverse=True)
    found = heap.greatest(rows, 3, amount)
    assert read(found) == sorted(10 * member for member in best[: max(0, amount)])
    assert heap.mark() == found + 1 + numbers[found]


@given(ITEMS)
def test_pairs_come_in_lexicographic_order(items: list[int]) -> None:
    fresh()
    wanted = [n for pair in combinations(sorted(set(items)), 2) for n in pair]
    assert read(heap.pairs(set_of(items))) == wanted


def test_what_is_kept_moves_to_the_mark() -> None:
    fresh()
    below = made([7])
    top = heap.mark()
    made([1, 2, 3])
    kept = heap.keep(top, made([4, 5, 6, 7]))
    assert (kept, read(kept), heap.mark()) == (top, [4, 5, 6, 7], top + 5)
    assert read(heap.keep(heap.mark(), below)) == [7]
    heap.release(top)
    assert heap.mark() == top
    assert read(below) == [7]


def test_rows_go_round_from_a_player() -> None:
    fresh()
    seats = made([0, 10, 1, 11, 2, 12])
    assert read(heap.turn_by_seat(seats, 2, 1, 0)) == [1, 11, 2, 12, 0, 10]
    pieces = made([0, 1, 2, 3, 1])
    assert read(heap.turn_by_seat(pieces, 1, 2, 1)) == [1, 1, 2, 3, 0]


def test_a_full_heap_is_a_fault() -> None:
    fresh(3)
    offset = made([5])
    heap.push(offset, 6)
    for call in (
        heap.begin,
        lambda: heap.space_for(0),
        lambda: heap.push(offset, 7),
        lambda: heap.insert(offset, 4),
        lambda: heap.keep(heap.mark(), offset),
    ):
        with pytest.raises(Fault) as fault:
            call()
        assert fault.value.code == NO_SPACE
    assert read(offset) == [5, 6]
    assert heap.equal(heap.keep(offset, offset), offset)
