"""Terms of points: the quantities read to compute them (see `lower.expressions.readings`).

Readings are gathered while `noting` is 1, since the floor: those of the expression that is being
evaluated. Readings that have been taken are stored as a record, whose number locals, arguments and
notes hold. There is room for the last records only.
"""

from __future__ import annotations

from rulesdsl.engine.runtime.tables import *

TOP = 0
FLOOR = 1
DEPTH = 2
STORED = 3

PIECE = 0
SEGMENT = 1
FEATURE = 2
"""The sorts of subjects: a subject is `1 + 4 * number + sort`."""

NO_BEST = -(2**40)


def read_term(name: int, value: int) -> None:
    """Add a reading of a quantity, by its number, to those since the floor."""
    if noting[0] == 1 and value != 0:
        at = tracing[FLOOR]
        end = tracing[TOP]
        while at < end and read_name[at] != name:
            at += 1
        if at < end:
            read_value[at] += value
        elif at < READINGS:
            read_name[at] = name
            read_value[at] = value
            tracing[TOP] = at + 1


def hold_number(number: int) -> None:
    """Keep a number on the stack of evaluations, if there is room for it."""
    depth = tracing[DEPTH]
    if depth < READINGS:
        held[depth] = number
    tracing[DEPTH] = depth + 1


def held_number(instead: int) -> int:
    """Return the number that was kept last, and forget it; another one if there was no room."""
    depth = tracing[DEPTH] - 1
    tracing[DEPTH] = depth
    return held[depth] if depth < READINGS else instead


def open_terms() -> None:
    """Begin an evaluation whose readings are gathered apart."""
    if noting[0] == 1:
        hold_number(tracing[FLOOR])
        tracing[FLOOR] = tracing[TOP]


def close_terms() -> int:
    """End the evaluation, and return the number of the record of its readings, 0 for none."""
    if noting[0] == 0:
        return 0
    first = tracing[FLOOR]
    end = tracing[TOP]
    record = tracing[STORED] + 1
    count = 0
    for at in range(first, end):
        name = read_name[at]
        value = read_value[at]
        for other in range(at + 1, end):
            if read_name[other] == name:
                value += read_value[other]
                read_value[other] = 0
        if value != 0:
            count += 1
            slot = (record + count) % RECORDS
            record_name[slot] = name
            record_value[slot] = value
    tracing[TOP] = first
    tracing[FLOOR] = held_number(first)
    if count == 0:
        return 0
    record_name[record % RECORDS] = count
    tracing[STORED] = record + count
    return record


def recall_terms(record: int) -> None:
    """Add the readings of a record, unless others have taken its place."""
    if noting[0] == 1 and record > 0 and tracing[STORED] - record < RECORDS:
        for at in range(record + 1, record + 1 + record_name[record % RECORDS]):
            read_term(record_name[at % RECORDS], record_value[at % RECORDS])


def give_terms(about: int) -> None:
    """End the evaluation of points: their readings and subject are those of the next gain."""
    given_terms[0] = close_terms()
    given_terms[1] = about


def open_sum() -> None:
    """Begin a sum."""
    open_terms()


def close_sum(name: int, total: int) -> None:
    """End a sum: without any readings it is a quantity itself."""
    if noting[0] == 1:
        if tracing[FLOOR] == tracing[TOP]:
            read_term(name, total)
        tracing[FLOOR] = held_number(tracing[FLOOR])


def open_best() -> None:
    """Begin the evaluation of numbers of which the largest counts."""
    if noting[0] == 1:
        hold_number(tracing[FLOOR])
        hold_number(tracing[TOP])
        hold_number(NO_BEST)
        tracing[FLOOR] = tracing[TOP]


def compare_best(number: int) -> None:
    """Keep the readings of a number if it is larger than all before, or else those of the best."""
    if noting[0] == 1:
        best = held_number(NO_BEST)
        first = held_number(tracing[FLOOR])
        end = tracing[TOP]
        if number > best:
            best = number
            end = first
            for at in range(tracing[FLOOR], tracing[TOP]):
                read_name[end] = read_name[at]
                read_value[end] = read_value[at]
                end += 1
        else:
            end = tracing[FLOOR]
        tracing[TOP] = end
        tracing[FLOOR] = end
        hold_number(first)
        hold_number(best)


def close_best() -> None:
    """End the evaluation of numbers of which the largest counts."""
    if noting[0] == 1:
        best = held_number(0)
        first = held_number(best)
        tracing[FLOOR] = held_number(first)
