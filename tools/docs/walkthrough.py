"""The value `worth` of the base game in every form that it takes, for the architecture page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from textwrap import wrap

from rulesdsl import load
from rulesdsl.cli.stages import tree_text
from rulesdsl.engine.ir.text import function_text
from rulesdsl.engine.lower import lower
from rulesdsl.engine.lower.plan import PLAYING
from rulesdsl.engine.run.wasm.binary import Op
from rulesdsl.engine.run.wasm.printer import ModuleFacts, print_function
from rulesdsl.language.diagnostics import Report, Source
from rulesdsl.language.model import ast, ir
from rulesdsl.language.model.checked import Checked
from rulesdsl.language.parse import parse
from rulesdsl.language.parse.grammar import grammar
from tools.environment import ROOT

RULES = ROOT / "rulesets" / "base.rules"
NAME = "worth"
FUNCTION = f"gathered_value_{NAME}"
"""The version of the value whose terms are noted; the other one is not in the program."""
PLAYERS = 2
_NO_VALUE = (Op.BLOCK, Op.LOOP, Op.IF)
_ONE_NUMBER = (
    *(Op.BR, Op.BR_IF, Op.CALL, Op.LOCAL_GET, Op.LOCAL_SET, Op.LOCAL_TEE),
    *(Op.GLOBAL_GET, Op.GLOBAL_SET, Op.I32_CONST, Op.I64_CONST),
)


def text() -> str:
    """Return the declaration as it stands in the rules."""
    return _fenced(_written(), "rules")


def tokens() -> str:
    """Return the tokens of its first case."""
    found = [
        f"{each.type}({each.strip()})"
        for each in grammar().lex(_written())
        if each.line == 2 and each.strip()
    ]
    return _fenced("\n".join(wrap("  ".join(found), 90)))


def tree() -> str:
    """Return the syntax tree as far as its first case."""
    second = _declared().span.line + 2
    return _fenced(_before(tree_text(_declared()), rf" +Case {second}:"))


def checked() -> str:
    """Return the checked tree as far as its first case."""
    tree = tree_text(_game().values[f"base/{NAME}"]).replace(f"{RULES.parent}/", "")
    return _fenced(_before(tree, r" +otherwise:"))


def program() -> str:
    """Return its function in the program, before any optimisation."""
    return _fenced(function_text(_program().functions[FUNCTION]))


def webassembly() -> str:
    """Return its WebAssembly instructions as far as the first case, one a line."""
    made = _program()
    facts = ModuleFacts.of(made)
    content, first = print_function(made.functions[FUNCTION], facts).body()
    functions = {callee.number: name for name, callee in facts.callees.items()}
    tables = {place.address: name for name, place in facts.layout.places.items()}
    instructions = _instructions(content, first, functions, tables)
    return _fenced(_before("\n".join(instructions), " +br 1"))


def _instructions(
    code: bytes, at: int, functions: dict[int, str], tables: dict[int, str]
) -> Iterator[str]:
    """Yield instructions in the text format, indented by their blocks, with names for numbers."""
    depth = 0
    while at < len(code):
        op = Op(code[at])
        at += 1
        numbers = []
        if op in _NO_VALUE:
            at += 1
        elif op in _ONE_NUMBER or _is_access(op):
            for _ in range(2 if _is_access(op) else 1):
                number, at = _number(code, at, signed=op in (Op.I32_CONST, Op.I64_CONST))
                numbers.append(number)
        depth -= op in (Op.ELSE, Op.END)
        named = functions if op is Op.CALL else tables if _is_access(op) else {}
        said = [named.get(number, str(number)) for number in numbers[-1:]]
        yield "  " * depth + " ".join((_name(op), *said))
        depth += op in (*_NO_VALUE, Op.ELSE)


def _is_access(op: Op) -> bool:
    """Return whether an instruction reads or writes the memory, at an alignment and an offset."""
    return "LOAD" in op.name or "STORE" in op.name


def _name(op: Op) -> str:
    """Return the name of an instruction in the text format."""
    return re.sub(r"^(i32|i64|local|global)_", r"\1.", op.name.lower())


def _number(code: bytes, at: int, *, signed: bool) -> tuple[int, int]:
    """Return the LEB128 number at an offset, and the offset behind it."""
    number = shift = 0
    while True:
        byte = code[at]
        at, number, shift = at + 1, number | (byte & 0x7F) << shift, shift + 7
        if byte < 0x80:
            return number - (1 << shift) if signed and byte & 0x40 else number, at


@cache
def _game() -> Checked:
    return load(RULES.with_suffix(".yaml")).checked


@cache
def _program() -> ir.Program:
    return lower(_game(), PLAYERS, optimised=False, entries=PLAYING).program


@cache
def _declared() -> ast.Decl:
    module = parse(Source("base.rules", RULES.read_text(encoding="utf-8")), Report())
    return next(each for each in module.declarations if getattr(each, "name", None) == NAME)


def _written() -> str:
    return re.split(r"\n\s*\n", _declared().span.text)[0]


def _before(text: str, end: str) -> str:
    """Return the lines before the first one that matches, and an ellipsis."""
    head, *rest = re.split(rf"(?m)^{end}", text)
    assert rest, f"no line matches `{end}`"
    return "{}\n…".format(head.rstrip("\n"))


def _fenced(text: str, language: str = "") -> str:
    return f"```{language}\n{text.rstrip()}\n```\n"
