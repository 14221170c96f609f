"""Unparser: syntax trees to rules text.

A text knows where it may be broken into lines, and is laid out in a given width.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from enum import IntEnum
from typing import assert_never

from rulesdsl.base.records import dataclass
from rulesdsl.language.model import ast
from rulesdsl.language.parse.grammar import CONTINUING, INDENT

_WORD = re.compile(r"(?<!\s)\s*+('[^']*'|\w+|->|\.\.|[=!<>+-]=|\S)")


@dataclass(frozen=True)
class LineBreak:
    """A possible line break, or `flat` on one line.

    Unless it is `anywhere`, the line may be broken only inside brackets.
    """

    flat: str = " "
    anywhere: bool = False


@dataclass(frozen=True)
class Nest:
    """A text whose inner lines are indented once more."""

    content: Text


@dataclass(frozen=True)
class Group:
    """A text that is laid out on one line if it fits and is not `broken`."""

    content: Text
    broken: bool = False


@dataclass(frozen=True)
class Brackets:
    """A group between brackets; `grouping` parentheses only show precedence."""

    opening: str
    content: Text
    closing: str
    grouping: bool = False
    broken: bool = False


@dataclass(frozen=True)
class Remark:
    """A comment, after which the line ends; one with `own` set has a line of its own."""

    text: str
    own: bool


Text = str | tuple["Text", ...] | LineBreak | Nest | Group | Brackets | Remark

LINE, AFTER_OPERATOR, EMPTY = LineBreak(), LineBreak(anywhere=True), LineBreak("")


def flat(text: Text) -> str:
    """Return a text without comments on one line."""
    (line,) = lay_out(text, 0, 0, None)
    return line


def words(text: str) -> Iterator[str]:
    """Yield the words and signs of a text, each with the blanks before it."""
    return (match[0] for match in _WORD.finditer(text))


def words_in(text: Text) -> int:
    """Return the number of words and signs in a text, as `Inner.after` counts them."""
    placing = _Placing(deque())
    placing.into(text)
    return placing.count


def with_remarks(text: Text, inner: tuple[ast.Inner, ...]) -> tuple[Text, tuple[ast.Inner, ...]]:
    """Return the text with comments inserted, and the comments for which it has no place.

    A line may end inside brackets and after words that need another.
    """
    placing = _Placing(deque(inner))
    found, _ = placing.into(text)
    return found, tuple(placing.waiting)


@dataclass
class _Placing:
    """Inserter of comments before the next word that may begin a line."""

    waiting: deque[ast.Inner]
    count: int = 0
    depth: int = 0
    last: str = ""

    def into(self, text: Text) -> tuple[Text, bool]:
        """Return the text with its comments, and whether there are any."""
        match text:
            case str():
                return self._into_words(text)
            case tuple():
                parts = [self.into(part) for part in text]
                return tuple(part for part, _ in parts), any(found for _, found in parts)
            case Nest():
                content, found = self.into(text.content)
                return Nest(content), found
            case Group():
                content, found = self.into(text.content)
                return Group(content, found), found
            case Brackets():
                return self._into_brackets(text)
            case LineBreak() | Remark():
                return text, False

    def _into_brackets(self, text: Brackets) -> tuple[Text, bool]:
        before = self._due()
        self._pass(text.opening, not text.grouping)
        self.depth += 1
        content, found = self.into(text.content)
        # A comment before the end of a call stands inside of it.
        within = () if text.grouping else self._due()
        self.depth -= 1
        self._pass(text.closing, not text.grouping)
        broken = found or bool(within)
        done = replace(text, content=(content, *within), broken=broken)
        return (*before, done), broken or bool(before)

    def _into_words(self, text: str) -> tuple[Text, bool]:
        parts: list[Text] = []
        remarks = False
        for word in words(text):
            due = self._due()
            remarks = remarks or bool(due)
            parts += (*due, word)
            self._pass(word.strip(), True)
        rest = text[sum(map(len, words(text))) :]
        return (*parts, rest), remarks

    def _pass(self, word: str, counts: bool) -> None:
        self.count += counts
        self.last = word

    def _due(self) -> tuple[Remark, ...]:
        if not (self.depth or self.last in CONTINUING):
            return ()
        due = []
        while self.waiting and self.waiting[0].after <= self.count:
            first = self.waiting.popleft()
            due.append(Remark(first.text, first.own))
        return tuple(due)


def lay_out(text: Text, indent: int, further: int, width: int | None) -> list[str]:
    """Return the lines of a text that begins at column `indent`.

    It has no more breaks than needed to keep to `width` columns (None: unlimited); comments may be
    longer. All lines but the first are nested, and indented by `further` columns more.
    """
    layout = _Lines(indent, further, width)
    layout.add(text)
    return [line.rstrip() for line in (*layout.lines, layout.line)]


def _breaks(text: Text) -> bool:
    match text:
        case str():
            return False
        case tuple():
            return any(map(_breaks, text))
        case Nest() | Group() | Brackets():
            return _breaks(text.content)
        case LineBreak() | Remark():
            return True


_Frame = tuple[int, bool, bool, "Text"]
"""Indentation, a flag for flat breaks, a flag for brackets, and a text."""


class _Lines:
    """The lines laid out so far; `line` is the last."""

    def __init__(self, indent: int, further: int, width: int | None) -> None:
        self.indent = indent + further
        self.width = width
        self.lines: list[str] = []
        self.line = " " * indent
        self._fresh = True
        self._ended = self._remarked = False

    def add(self, text: Text) -> None:
        rest: list[_Frame] = [(self.indent, False, False, text)]
        while rest:
            indent, is_flat, inside, found = rest.pop()
            match found:
                case str():
                    self._write(found, indent)
                case tuple():
                    rest += ((indent, is_flat, inside, part) for part in reversed(found))
                case Nest():
                    rest.append((indent + INDENT, is_flat, inside, found.content))
                case LineBreak():
                    self._break(found, indent, is_flat or not (inside or found.anywhere))
                case Remark():
                    self._remark(found, indent)
                case Group() | Brackets():
                    self._open(found, indent, is_flat, inside, rest)

    def _open(
        self, group: Group | Brackets, indent: int, is_flat: bool, inside: bool, rest: list[_Frame]
    ) -> None:
        content: Text = group.content
        if isinstance(group, Brackets):
            begin = EMPTY if group.broken or _breaks(group.content) else ""
            content = (group.opening, Nest((begin, group.content, group.closing)))
            inside = True
        frame = (indent, True, inside, content)
        stays = not group.broken and (is_flat or self._fits(frame, rest))
        rest.append((indent, stays, inside, content))

    def _fits(self, frame: _Frame, rest: list[_Frame]) -> bool:
        """Return whether a frame, and the text after it up to the line end, fit on this line."""
        if self.width is None:
            return True
        room = self.width - len(self.line)
        todo, behind = [frame], len(rest)
        while room >= 0:
            if not todo:
                if not behind:
                    break
                behind -= 1
                todo.append(rest[behind])
            indent, is_flat, inside, found = todo.pop()
            match found:
                case str():
                    room -= len(found)
                case tuple():
                    todo += ((indent, is_flat, inside, part) for part in reversed(found))
                case Nest() | Group():
                    todo.append((indent, is_flat, inside, found.content))
                case Brackets():
                    begin = EMPTY if _breaks(found.content) else ""
                    content = (found.opening, begin, found.content, found.closing)
                    todo.append((indent, is_flat, True, content))
                case LineBreak():
                    if not is_flat and (inside or found.anywhere):
                        return True
                    room -= len(found.flat)
                case Remark():
                    return True
        return room >= 0

    def _write(self, text: str, indent: int) -> None:
        if self._ended:
            self._end(indent)
        if self._fresh:
            text = text.lstrip()
        if text:
            self.line += text
            self._fresh = self._remarked = False

    def _break(self, found: LineBreak, indent: int, is_flat: bool) -> None:
        if is_flat:
            self._write(found.flat, indent)
        elif not self._fresh:
            self._end(indent)

    def _remark(self, remark: Remark, indent: int) -> None:
        if self._fresh and self.lines and not remark.own and not self._remarked:
            self.lines[-1] = f"{self.lines[-1].rstrip()}  {remark.text}"
        elif self._fresh or remark.own or self._remarked:
            if not self._fresh or self._ended:
                self._end(indent)
            self.line += remark.text
            self._fresh, self._ended = False, True
        else:
            self.line = f"{self.line.rstrip()}  {remark.text}"
            self._ended = True
        self._remarked = True

    def _end(self, indent: int) -> None:
        self.lines.append(self.line)
        self.line = " " * max(indent, self.indent + INDENT)
        self._fresh, self._ended = True, False


class Level(IntEnum):
    """The precedence of expressions, as in the grammar."""

    EXPR = 0
    OR = 1
    AND = 2
    NOT = 3
    COMPARE = 4
    RANGE = 5
    SUM = 6
    PRODUCT = 7
    SIGN = 8
    POSTFIX = 9


_BINARY = {
    "or": Level.OR,
    "and": Level.AND,
    "+": Level.SUM,
    "-": Level.SUM,
    "*": Level.PRODUCT,
    "div": Level.PRODUCT,
    "mod": Level.PRODUCT,
}
_UNARY = {"not": Level.NOT, "-": Level.SIGN}

# Parentheses that are further away than this many blanks are not found.
_NEAR = 200

Operation = ast.Unary | ast.Binary | ast.Compare | ast.IfElse | ast.Range


def unparse_expr(expr: ast.Expr) -> str:
    """Return the text of an expression on one line; parsing it gives `expr` again."""
    return flat(expression(expr))


def expression(expr: ast.Expr) -> Text:
    """Return an expression as breakable text."""
    return _at(expr, Level.EXPR)


def _at(expr: ast.Expr, level: Level) -> Text:
    """Return the text of `expr` for a place that needs at least precedence `level`."""
    text = _text(expr)
    return text if _level(expr) >= level else Brackets("(", text, ")", grouping=True)


def _part(expr: ast.Expr, level: Level) -> Text:
    """Return the same for an operand; one that is written in parentheses keeps them."""
    if isinstance(expr, Operation) and _in_parentheses(expr):
        return Brackets("(", _text(expr), ")", grouping=True)
    return _at(expr, level)


def _in_parentheses(expr: ast.Expr) -> bool:
    """Return whether the author wrote parentheses around an operand."""
    span, text = expr.span, expr.span.source.text
    before, after = text[max(0, span.start - _NEAR) : span.start], text[span.end : span.end + _NEAR]
    return before.rstrip().endswith("(") and after.lstrip().startswith(")")


def _level(expr: ast.Expr) -> Level:
    match expr:
        case ast.IfElse():
            return Level.EXPR
        case ast.Binary():
            return _BINARY[expr.operator]
        case ast.Unary():
            return _UNARY[expr.operator]
        case ast.Compare():
            return Level.COMPARE
        case ast.Previous():
            return Level.COMPARE if expr.ruleset else Level.POSTFIX
        case ast.Range():
            return Level.RANGE
        case _:
            return Level.POSTFIX


def _text(expr: ast.Expr) -> Text:
    match expr:
        case ast.Int():
            return str(expr.value)
        case ast.Bool():
            return "true" if expr.value else "false"
        case ast.NoneLiteral():
            return "none"
        case ast.Proceed():
            return "proceed"
        case ast.Previous():
            return f"previous in {expr.ruleset}" if expr.ruleset else "previous"
        case ast.Name():
            return _name(expr.name, expr.quoted)
        case ast.Attribute():
            return (_at(expr.object, Level.POSTFIX), f".{_name(expr.name, expr.quoted)}")
        case ast.Index():
            index = Brackets("[", expression(expr.index), "]")
            return (_at(expr.object, Level.POSTFIX), index)
        case ast.Call():
            return (_at(expr.function, Level.POSTFIX), Brackets("(", _list(expr.arguments), ")"))
        case ast.Unary() | ast.Binary() | ast.Compare() | ast.IfElse() | ast.Range():
            return _operation(expr)
        case ast.SetLiteral():
            return Brackets("{", _list(expr.items), "}")
        case ast.Comprehension():
            return Brackets("{", _ranging(expr.value, expr.binders), "}")
        case ast.Aggregate():
            return _aggregate(expr)
        case ast.Reach():
            parts = (expr.name, LINE, "from ", expression(expr.start), LINE, "by ")
            return ("reach", Brackets("(", (*parts, expression(expr.step)), ")"))
        case _:
            assert_never(expr)


def _operation(expr: Operation) -> Text:
    level = _level(expr)
    match expr:
        case ast.Unary():
            blank = " " if expr.operator == "not" else ""
            return (f"{expr.operator}{blank}", _part(expr.operand, level))
        case ast.Binary():
            chain = _chain(expr, level)
            return chain if level is Level.PRODUCT else Group(Nest(chain))
        case ast.Compare():
            left, right = _part(expr.left, Level.RANGE), _part(expr.right, Level.RANGE)
            return (left, f" {expr.operator} ", right)
        case ast.IfElse():
            then, condition = _part(expr.then, Level.OR), _part(expr.condition, Level.OR)
            otherwise = _part(expr.otherwise, Level.EXPR)
            return Group((then, LINE, "if ", condition, LINE, "else ", otherwise))
        case ast.Range():
            return (_part(expr.low, Level.SUM), "..", _part(expr.high, Level.SUM))
        case _:
            assert_never(expr)


def _chain(expr: ast.Binary, level: Level) -> Text:
    """Lay out operations of one level in a row: all on one line, or each operand on its own.

    Factors, which are mostly short, stay together.
    """
    left = expr.left
    same = isinstance(left, ast.Binary) and _level(left) == level and not _in_parentheses(left)
    before = _chain(left, level) if same and isinstance(left, ast.Binary) else _part(left, level)
    right = _part(expr.right, Level(level + 1))
    after: Text = " " if level is Level.PRODUCT else AFTER_OPERATOR
    return (before, f" {expr.operator}", after, right)


def _name(name: str, quoted: bool) -> str:
    return f"'{name}'" if quoted else name


def _list(items: Iterable[ast.Expr]) -> Text:
    return listed([expression(item) for item in items])


def listed(items: Sequence[Text]) -> Text:
    """Return texts separated by commas: all on one line, or each on its own."""
    return tuple(
        part for i, item in enumerate(items) for part in ((",", LINE) if i else ()) + (item,)
    )


def _ranging(value: ast.Expr | None, binders: tuple[ast.Binder, ...]) -> Text:
    ranges = listed([binder(each) for each in binders])
    if value is None:
        return ranges
    ranges = Group(Nest(ranges)) if len(binders) > 1 else ranges
    return (expression(value), LINE, "for ", ranges) if binders else expression(value)


def _aggregate(expr: ast.Aggregate) -> Text:
    binders, where = expr.binders, None
    if expr.keys and binders:
        last = binders[-1]
        binders = (*binders[:-1], ast.Binder(last.span, last.names, last.domain))
        where = last.where
    text: Text = _ranging(expr.value, binders)
    text = (expression(expr.amount), ",", LINE, text) if expr.amount else text
    text = (text, LINE, "by ", _list(expr.keys)) if expr.keys else text
    text = (text, LINE, "where ", expression(where)) if where else text
    text = (text, LINE, "else ", expression(expr.default)) if expr.default else text
    return (expr.function, Brackets("(", text, ")"))


def binder(found: ast.Binder, *, within: bool = True) -> Text:
    """Return a binder as breakable text; `within` brackets, it may break before its condition."""
    first, *more = found.names
    names = f"{{{', '.join(found.names)}}}" if more else first
    secret = "secret " if found.secret else ""
    text: Text = (f"{secret}{names} in ", _at(found.domain, Level.RANGE))
    where: Text = (LINE, "where ", expression(found.where)) if found.where else ""
    return Group((text, Nest(where) if within else where))


def type_text(type_: ast.TypeRef) -> Text:
    """Return a type as breakable text."""
    bounds: Text = ""
    if type_.low is not None and type_.high is not None:
        bounds = (" ", _at(type_.low, Level.SUM), "..", _at(type_.high, Level.SUM))
    set_, mark = "set of " if type_.is_set else "", "?" if type_.optional else ""
    return (f"{set_}{type_.name}", bounds, mark)


def parameters(params: Iterable[ast.Param]) -> Text:
    """Return parameters with their brackets as breakable text."""
    texts = [(p.name, ": ", type_text(p.type)) if p.type else p.name for p in params]
    return Brackets("(", listed(texts), ")")


def unparse(module: ast.Module, width: int | None = None) -> str:
    """Return the text of a module, comments and blank lines included.

    Lines longer than `width` columns are broken (None: none are), and so are lines with comments
    inside. Parsing the text gives `module` again, except for bodies that were written after their
    colon and are too long for that. Declarations that could not be parsed are kept as written.
    """
    printer = _Printer(width)
    lines = [line for each in module.declarations for line in printer.declaration(each)]
    return "".join(f"{line}\n" for line in (*lines, *module.trailing))


# --- content of a line ---------------------------------------------------------------------------


def _declaration(d: ast.Decl) -> Text:
    """Return the head of a declaration, or all of one that has no body."""
    match d:
        case ast.StateDecl():
            index = tuple(("[", type_text(each), "]") for each in d.index)
            initial: Text = (" = ", expression(d.initial)) if d.initial else ""
            return (f"state {d.owner}.{d.name}", index, ": ", type_text(d.type), initial)
        case ast.OrderDecl():
            word, between = ("independent", ",") if d.independent else ("order", " before")
            return f"{word} {d.first}{between} {d.second}"
        case ast.ForbidDecl():
            params = parameters(d.params) if d.params else ""
            return (f"forbid {d.target}.{d.option}", params, _guard(d.guard))
        case ast.ValueDecl():
            policy = "" if d.policy == "unique" else f", {d.policy}"
            return (f"value {d.name}", parameters(d.params), _result(d.type), policy)
        case ast.Contribution():
            return (f"{d.verb} {d.target}", parameters(d.params), _guard(d.guard))
        case ast.ActionDecl():
            return _action(d)
        case ast.HookDecl():
            return (f"{d.when} {d.target}", parameters(d.params), _guard(d.guard))
        case ast.ChoiceDecl():
            by: Text = (" by ", expression(d.by), _result(d.type), " repeat" if d.repeat else "")
            return (f"choice {d.name}", parameters(d.params), by)
        case ast.OptionDecl():
            return _option(d)
        case ast.AlwaysDecl():
            return ("always for ", binder(d.binder, within=False))
        case ast.InvariantDecl():
            return (f"invariant {d.name}: ", expression(d.holds))
        case ast.WithDecl():
            return f"with {', '.join(map(str, d.names))}"
        case ast.Broken():
            return d.span.text
        case _:
            assert_never(d)


def _action(d: ast.ActionDecl) -> Text:
    step = "step " if d.step else ""
    depth: Text = (" recursive up to ", expression(d.depth)) if d.depth else ""
    result = (parameters(d.params), _result(d.type))
    return (f"{step}action {d.name}", result, depth, _once(d.once), _guard(d.guard))


def _option(d: ast.OptionDecl) -> Text:
    choice = f"{d.choice}." if d.choice else ""
    ranges = [binder(each) for each in d.binders]
    brackets: Text = Brackets("(", listed(ranges), ")") if ranges else ""
    return (f"option {choice}{d.name}", brackets, _once(d.once), _guard(d.guard))


def _result(type_: ast.TypeRef | None) -> Text:
    return (" -> ", type_text(type_)) if type_ else ""


def _once(once: ast.OnceIn | None) -> Text:
    return f" once in {once.action}" if once else ""


def _guard(guard: ast.Expr | None) -> Text:
    return (" when ", expression(guard)) if guard else ""


def _loop(s: ast.For | ast.While) -> Text:
    if isinstance(s, ast.While):
        return ("while ", expression(s.condition))
    text: Text = ()
    for each in _ranges(s):
        start: Text = (" from ", expression(each.start)) if each.start else ""
        comma: Text = (",", AFTER_OPERATOR) if text else ""
        text = (text, comma, binder(each.binder, within=False), start)
    return ("for ", Group(text))


def _ranges(s: ast.For) -> Iterator[ast.For]:
    """Yield a loop, and the loops in it that are written as its further ranges."""
    yield s
    match s.body:
        case ast.Block(joined=True, statements=(ast.For() as inner,)):
            yield from _ranges(inner)


def _body(s: ast.For | ast.While) -> ast.Block:
    return s.body if isinstance(s, ast.While) else [*_ranges(s)][-1].body


def _simple(s: ast.Let | ast.Assign | ast.ExprStmt | ast.Later | ast.Return | ast.Simple) -> Text:
    match s:
        case ast.Let():
            type_: Text = (": ", type_text(s.type)) if s.type else ""
            return (f"{'var' if s.mutable else 'let'} {s.name}", type_, " = ", expression(s.value))
        case ast.Assign():
            return (expression(s.target), f" {s.operator} ", expression(s.value))
        case ast.ExprStmt():
            return expression(s.value)
        case ast.Later():
            return ("later ", expression(s.call))
        case ast.Return():
            return ("return ", expression(s.value)) if s.value else "return"
        case ast.Simple():
            return s.word
        case _:
            assert_never(s)


def _inline(s: ast.Stmt) -> Text:
    """Return the text of a statement that is written after a colon, like its own blocks."""
    match s:
        case ast.If():
            return ("if ", expression(s.condition), ": ", _inline(s.then.statements[0]))
        case ast.For() | ast.While():
            return (_loop(s), ": ", _inline(_body(s).statements[0]))
        case ast.When():
            raise ValueError("a ladder takes lines of its own")
        case _:
            return _simple(s)


# --- lines ---------------------------------------------------------------------------------------


def _comments(lines: Iterable[str], depth: int) -> list[str]:
    return [f"{' ' * INDENT * depth}{line}" if line else "" for line in lines]


@dataclass(frozen=True)
class _Printer:
    """Formatter of declarations as lines of at most `width` columns, if they can be broken so."""

    width: int | None

    def declaration(self, d: ast.Decl, depth: int = 0) -> list[str]:
        match d:
            case ast.ChoiceDecl():
                lines = self.line((_declaration(d), ":"), depth, d.trivia, head=True)
                for option in d.options:
                    lines += self.headed(
                        _declaration(option), option.body, depth + 1, option.trivia
                    )
                if d.otherwise:
                    lines += self.headed("otherwise", d.otherwise, depth + 1, d.otherwise_trivia)
                return lines
            case ast.StateDecl() | ast.InvariantDecl() | ast.OrderDecl() | ast.ForbidDecl():
                return self.line(_declaration(d), depth, d.trivia)
            case ast.WithDecl():
                lines = self.line((_declaration(d), ":"), depth, d.trivia, head=True)
                inside = (line for each in d.declarations for line in self.declaration(each, 1))
                return [*lines, *inside, *_comments(d.trailing, 1)]
            case ast.Broken():
                first, *rest = d.span.text.split("\n")
                return [*_comments((*d.trivia.before, first), depth), *rest]
            case _:
                return self.headed(_declaration(d), d.body, depth, d.trivia)

    def line(self, text: Text, depth: int, trivia: ast.Trivia, *, head: bool = False) -> list[str]:
        """Return a line with its comments, broken if necessary.

        A `head` is followed by a block, so its broken lines are indented further than that.
        """
        text, left = with_remarks(text, trivia.inner)
        after = [trivia.after] if trivia.after else []
        rest = [each.text for each in left]
        if not after and rest:
            after = [rest.pop()]
        lines = lay_out(text, INDENT * depth, INDENT if head else 0, self.width)
        lines[-1] = "  ".join((lines[-1], *after))
        return [*_comments((*trivia.before, *rest), depth), *lines]

    def headed(
        self, head: Text, body: ast.Block | None, depth: int, trivia: ast.Trivia
    ) -> list[str]:
        """Return a head with the block below it, or after it if it was written so and fits."""
        if body is None:
            return self.line(head, depth, trivia)
        first = body.statements[0]
        if body.inline:
            whole: Text = (head, ": ", _inline(first))
            if not trivia.inner and self._fits(whole, depth):
                return self.line(whole, depth, trivia)
            trivia, inner = _parted(trivia, words_in(head) + 1)
            first = replace(first, trivia=ast.Trivia(inner=inner))
        lines = self.line((head, ":"), depth, trivia, head=True)
        for statement in (first, *body.statements[1:]):
            lines += self.statement(statement, depth + 1)
        return lines + _comments(body.trailing, depth + 1)

    def statement(self, s: ast.Stmt, depth: int) -> list[str]:
        match s:
            case ast.If():
                return self._if(s, depth, "", s.trivia)
            case ast.When():
                return [line for case in s.cases for line in self._case(case, depth)]
            case ast.For() | ast.While():
                return self.headed(_loop(s), _body(s), depth, s.trivia)
            case _:
                return self.line(_simple(s), depth, s.trivia)

    def _if(self, s: ast.If, depth: int, prefix: str, trivia: ast.Trivia) -> list[str]:
        lines = self.headed((f"{prefix}if ", expression(s.condition)), s.then, depth, trivia)
        if s.otherwise is None:
            return lines
        first = s.otherwise.statements[0]
        if s.otherwise.inline and isinstance(first, ast.If):
            return lines + self._if(first, depth, "else ", s.else_trivia)
        return lines + self.headed("else", s.otherwise, depth, s.else_trivia)

    def _case(self, case: ast.Case, depth: int) -> list[str]:
        head: Text = ("when ", expression(case.condition)) if case.condition else "otherwise"
        return self.headed(head, case.body, depth, case.trivia)

    def _fits(self, text: Text, depth: int) -> bool:
        return self.width is None or INDENT * depth + len(flat(text)) <= self.width


def _parted(trivia: ast.Trivia, count: int) -> tuple[ast.Trivia, tuple[ast.Inner, ...]]:
    rest = tuple(replace(each, after=each.after - count) for each in trivia.inner)
    stays = tuple(each for each in trivia.inner if each.after < count)
    return replace(trivia, inner=stays), tuple(each for each in rest if each.after >= 0)
