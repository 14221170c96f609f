"""Programs whose statements come from lines of rules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from rulesdsl.language.diagnostics import Source, Span
from rulesdsl.language.model import ir
from tests.ir.reading import read_program

LINES = 30


def rules(name: str) -> Source:
    """A file whose line n has 4 characters before what is written."""
    return Source(name, "".join(f"    line {n + 1}\n" for n in range(LINES)))


def at(source: Source, line: int) -> Span:
    """What is written in a line."""
    start = sum(len(text) + 1 for text in source.text.split("\n")[: line - 1]) + 4
    return source.span(start, start + len(f"line {line}"))


def placed(text: str, spans: Mapping[str, list[Span | None]]) -> ir.Program:
    """The program, in which a function and then its statements, each before those inside it, are
    given spans in turn."""
    program = read_program(text)
    functions = dict(program.functions)
    for name, given in spans.items():
        turn = iter(given)
        functions[name] = replace(functions[name], span=next(turn))
        functions[name] = replace(functions[name], body=_block(functions[name].body, turn))
    return replace(program, functions=functions)


def _block(block: ir.Block, turn: Iterator[Span | None]) -> ir.Block:
    return tuple(_statement(statement, turn) for statement in block)


def _statement(statement: ir.Stmt, turn: Iterator[Span | None]) -> ir.Stmt:
    found = replace(statement, span=next(turn))
    match found:
        case ir.If():
            return replace(
                found, then=_block(found.then, turn), otherwise=_block(found.otherwise, turn)
            )
        case ir.While() | ir.For():
            return replace(found, body=_block(found.body, turn))
    return found
