"""Turning, mirroring and naming ports."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulesdsl.language.model.geometry import (
    Port,
    Shape,
    port_name,
    port_text,
    ring,
    rotate,
    rotate_cell,
    turned,
)
from tests.oracle.board import mirror

SIZES = st.tuples(st.integers(1, 4), st.integers(1, 4))
ONE = (1, 1)
BY_NAME = {port_name(port, ONE): port for port in ring(ONE)}


def test_ring_order_of_one_cell() -> None:
    assert " ".join(BY_NAME) == "NL NC NR EL EC ER SL SC SR WL WC WR"


def test_ring_of_several_cells_runs_clockwise_from_the_north_west() -> None:
    sides = [port_name(port, (2, 1)) for port in ring((2, 1)) if port.lane == 0]
    assert sides == ["r0c0.NL", "r0c1.NL", "r0c1.EL", "r0c1.SL", "r0c0.SL", "r0c0.WL"]


@pytest.mark.parametrize(
    ("port", "neighbour"), [("NL", "SR"), ("NC", "SC"), ("NR", "SL"), ("EL", "WR"), ("ER", "WL")]
)
def test_mirror_lanes(port: str, neighbour: str) -> None:
    there = mirror(BY_NAME[port])
    assert port_name(Port(0, 0, there.side, there.lane), ONE) == neighbour
    assert mirror(there) == BY_NAME[port]


def test_mirror_lies_in_the_next_cell() -> None:
    cells = [
        (mirror(BY_NAME[name]).x, mirror(BY_NAME[name]).y) for name in ("NC", "EC", "SC", "WC")
    ]
    assert cells == [(0, -1), (1, 0), (0, 1), (-1, 0)]


@given(SIZES, st.integers(-5, 9))
def test_turning_moves_the_ring_onto_itself_in_order(size: tuple[int, int], turns: int) -> None:
    after = turned(size, turns)
    moved = [rotate(port, turns, size) for port in ring(size)]
    first = ring(after).index(moved[0])
    assert moved == [*ring(after)[first:], *ring(after)[:first]]


@given(SIZES, st.integers(0, 3), st.integers(0, 3))
def test_turns_add_up(size: tuple[int, int], first: int, second: int) -> None:
    for port in ring(size):
        once = rotate(port, first, size)
        assert rotate(once, second, turned(size, first)) == rotate(port, first + second, size)


def test_a_turn_is_clockwise() -> None:
    assert port_name(rotate(BY_NAME["NL"], 1), ONE) == "EL"
    assert rotate_cell((0, 0), 1, (3, 2)) == (1, 0)


@pytest.mark.parametrize(
    ("held", "shape", "text"),
    [
        ("EC WC", Shape.LINE, "E.W"),
        ("WC EC", Shape.LINE, "E.W"),
        ("EL WR", Shape.FILL, "EL.WR"),
        ("SL SC SR WL", Shape.FILL, "SL.SR.WL"),
        ("NC EL", Shape.FILL, "NC.EL"),
        ("NL NC NR EL EC ER", Shape.AREA, "N.E"),
        ("NL NC NR EL EC", Shape.AREA, "N.EL.EC"),
        ("", Shape.INSIDE, "I"),
        ("", Shape.FILL, "I"),
    ],
)
def test_names_of_segments(held: str, shape: Shape, text: str) -> None:
    assert port_text([BY_NAME[name] for name in held.split()], shape) == text


def test_names_on_several_cells_carry_the_cell() -> None:
    ports = [port for port in ring((2, 2)) if (port.x, port.side) == (1, 1)]
    assert port_text(ports, Shape.AREA, (2, 2)) == "r0c1E.r1c1E"
