"""Sets that last."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulesdsl.engine.runtime import heap
from rulesdsl.engine.runtime.faults import NO_SPACE, Fault
from rulesdsl.engine.runtime.tables import stack, store, store_free
from tests.runtime.handmade import lay_out
from tests.runtime.test_heap import made, read

SLOTS = 5
CHANGES = st.lists(
    st.tuples(st.integers(0, SLOTS - 1), st.none() | st.lists(st.integers(-9, 9), max_size=8)),
    max_size=60,
)


def fresh(size: int) -> None:
    lay_out({"heap": 1000, "store": size, "stack": SLOTS})


def kept(slot: int) -> list[int]:
    top = heap.mark()
    found = read(heap.load(slot))
    heap.release(top)
    assert found == [heap.item(slot, index) for index in range(heap.length(slot))]
    return found


@given(CHANGES)
def test_slots_keep_what_they_were_given(changes: list[tuple[int, list[int] | None]]) -> None:
    # Room for all that live at once and one more that is being made, so `store` is often full.
    fresh(1 + (SLOTS + 1) * (heap.HEADER + 8))
    wanted: dict[int, list[int]] = {slot: [] for slot in range(SLOTS)}
    for slot, items in changes:
        if items is None:
            heap.drop(slot)
        else:
            heap.save(slot, made(items))
            heap.release(0)
        wanted[slot] = items or []
        assert {slot: kept(slot) for slot in range(SLOTS)} == wanted
        assert [stack[slot] != 0 for slot in range(SLOTS)] == [
            bool(wanted[slot]) for slot in range(SLOTS)
        ]


def test_a_set_can_be_none() -> None:
    fresh(50)
    for items in ([1, 2], None, [3], [], None, None, [4, 5, 6]):
        heap.release(0)
        heap.save_some(0, -1 if items is None else made(items))
        found = heap.load_some(0)
        assert (None if found < 0 else read(found)) == items
    heap.save_some(0, -1)
    heap.drop(0)
    assert stack[0] == 0


def test_a_block_is_used_again_while_it_is_large_enough() -> None:
    fresh(50)
    heap.save(0, made([1, 2, 3]))
    block = stack[0]
    heap.save(1, made([9]))
    heap.save(0, made([4, 5]))
    assert stack[0] == block
    heap.save(0, made([4, 5, 6, 7]))
    assert stack[0] > stack[1] > block
    heap.compact()
    assert (stack[1], kept(1), kept(0)) == (1, [9], [4, 5, 6, 7])


def test_a_full_store_is_a_fault() -> None:
    fresh(12)
    heap.save(0, made([1, 2, 3]))
    before = list(store)
    with pytest.raises(Fault) as fault:
        heap.save(1, made([1, 2, 3]))
    assert fault.value.code == NO_SPACE
    assert store == before
    heap.save(1, made([1, 2]))
    assert kept(1) == [1, 2]


def test_when_all_frames_go_the_store_begins_anew() -> None:
    fresh(7)
    for begin in (0, 1):
        heap.save(0, made([1, 2, 3]))
        stack[0], store_free[0] = 0, begin
    heap.save(1, made([4, 5, 6]))
    assert (stack[1], kept(1)) == (1, [4, 5, 6])
