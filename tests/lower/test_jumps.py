"""Blocks of routines with fewer jumps: the same statements run in the same order."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from rulesdsl.engine.lower.actions.routines import tidy
from rulesdsl.language.model import ir

AT = "at"
END = 99


def go(point: int) -> ir.Assign:
    return ir.Assign(AT, ir.Const(point))


def note(number: int) -> ir.Assign:
    return ir.Assign("note", ir.Const(number))


def run(blocks: dict[int, ir.Block], at: int, answers: list[bool]) -> list[int]:
    """What is noted on the way from a point, with these answers to conditions, until a point is
    reached that is no block or forty blocks have run."""
    noted: list[int] = []
    left = iter(answers)

    def block(statements: ir.Block, here: int) -> int:
        for statement in statements:
            match statement:
                case ir.Assign(name="at", value=ir.Const(value=point)):
                    here = point
                case ir.Assign(value=ir.Const(value=number)):
                    noted.append(number)
                case ir.If(then=then, otherwise=otherwise):
                    here = block(then if next(left, True) else otherwise, here)
        return here

    while at in blocks and len(noted) < 40:
        before = at
        at = block(blocks[at], at)
        if at == before:
            break
    return noted


def test_blocks_that_only_go_on_are_left_out() -> None:
    blocks: dict[int, ir.Block] = {0: (note(1), go(1)), 1: (go(2),), 2: (note(2), go(END))}
    assert tidy(blocks, [0], AT) == {0: (note(1), note(2), go(END))}


def test_a_block_with_two_ways_in_stays() -> None:
    fork = ir.If(ir.Local("c"), (note(1), go(3)), (note(2), go(3)))
    blocks: dict[int, ir.Block] = {0: (fork,), 3: (note(3), go(END))}
    assert tidy(blocks, [0], AT) == blocks


def test_points_that_are_come_to_from_outside_stay() -> None:
    blocks: dict[int, ir.Block] = {0: (note(1), go(1)), 1: (note(2), go(END))}
    assert tidy(blocks, [0, 1], AT) == blocks


def test_a_branch_with_a_single_way_in_stands_in_its_branch() -> None:
    blocks: dict[int, ir.Block] = {
        0: (ir.If(ir.Local("c"), (go(1),), (go(2),)),),
        1: (note(1), go(END)),
        2: (note(2), go(END)),
    }
    branch = ir.If(ir.Local("c"), (note(1), go(END)), (note(2), go(END)))
    assert tidy(blocks, [0], AT) == {0: (branch,)}


points = st.integers(0, 5)
ends = st.one_of(
    points.map(lambda point: (go(point),)),
    st.tuples(points, points).map(
        lambda pair: (ir.If(ir.Local("c"), (go(pair[0]),), (note(7), go(pair[1]))),)
    ),
)
bodies = st.tuples(st.lists(st.integers(10, 19), max_size=2), ends).map(
    lambda parts: (*(note(number) for number in parts[0]), *parts[1])
)


@given(
    st.dictionaries(points, bodies, min_size=1),
    st.sets(points),
    st.lists(st.booleans(), max_size=30),
)
def test_tidied_blocks_do_the_same(
    blocks: dict[int, ir.Block], kept: set[int], answers: list[bool]
) -> None:
    start = min(blocks)
    tidied = tidy(blocks, {start, *kept} & blocks.keys(), AT)
    told, found = run(blocks, start, answers), run(tidied, start, answers)
    # A ring of blocks that note nothing is no different from standing still.
    short = min(len(told), len(found))
    assert told[:short] == found[:short]
