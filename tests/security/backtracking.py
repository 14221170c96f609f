"""How long a regular expression can take to fail: a search for ambiguity in its automaton.

A backtracking matcher tries every way in which a text can be read. There are exponentially many
ways if some state leads back to itself in two ways over the same text, and polynomially many if
over one text a state leads to itself, to another state, and that one to itself (Weber and Seidl,
"On the degree of ambiguity of finite automata", 1991). States from which a match cannot fail any
more are left out: a matcher never goes back past them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Literal, TypeVar

_parser: Any = import_module("re._parser")

Use = Literal["match", "search", "scan", "fullmatch"]
"""How a pattern is applied: at one place, at the first place it fits, at all, or to all."""

_START, _END = "start", "end"
_SAMPLES = (
    "\0\t\n\r !#$'\"*+,-.:;<=>?@AZ[\\]_`az{|}~09\x7f\x85\xa0\xb2é\u0661\u2028\ufeff\U0001f600"
)
_MOST_COPIES = 100

Chars = frozenset[str]
State = tuple[int, str]


@dataclass(frozen=True)
class _Free:
    """A way to the node `end` that takes no character. The guards say which characters may stand
    before and behind. `loop` numbers the loop whose body begins here, or ends here: then `leave` is
    the node behind the loop, to which a matcher goes after a round without characters."""

    end: int
    before: Chars | None = None
    behind: Chars | None = None
    loop: int | None = None
    leave: int | None = None


@dataclass
class _Node:
    """A place between characters; what can be done there."""

    free: list[_Free] = field(default_factory=list)
    reads: list[tuple[int, Chars]] = field(default_factory=list)


class _Automaton:
    """The automaton of a pattern, over the characters that the pattern tells apart."""

    def __init__(self, parsed: Any, use: Use) -> None:
        self.flags = parsed.state.flags
        self.nodes = [_Node()]
        self.samples = _samples(parsed)
        self.any = frozenset((*self.samples, _END))
        self.apart: list[Any] = []
        """The patterns of assertions longer than a character, which are matched by themselves."""
        self.first = 0
        self.scan: int | None = None
        if use in ("search", "scan"):
            self.scan = self.first = self._new()
            self.nodes[self.scan].reads.append((self.scan, frozenset(self.samples)))
            self._free(0, self.scan)
        last = self._sequence(parsed, self.first)
        self.last = self._new()
        self._free(last, self.last, behind=frozenset({_END}) if use == "fullmatch" else None)
        self.use = use

    def _new(self) -> int:
        self.nodes.append(_Node())
        return len(self.nodes) - 1

    def _free(self, start: int, end: int, **more: Any) -> int:
        self.nodes[start].free.append(_Free(end, **more))
        return end

    # --- from a parsed pattern

    def _sequence(self, ops: Iterable[Any], at: int) -> int:
        for op, data in ops:
            at = self._op(str(op), data, at)
        return at

    def _op(self, op: str, data: Any, at: int) -> int:
        match op:
            case "LITERAL" | "NOT_LITERAL" | "ANY" | "IN" | "CATEGORY":
                end = self._new()
                self.nodes[at].reads.append((end, self._chars(op, data)))
                return end
            case "SUBPATTERN":
                return self._sequence(data[3], at)
            case "ATOMIC_GROUP":
                return self._sequence(data, at)
            case "BRANCH":
                end = self._new()
                for branch in data[1]:
                    self._free(self._sequence(branch, self._free(at, self._new())), end)
                return end
            case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
                least, most, body = data
                return self._repeat(least, most, body, op == "POSSESSIVE_REPEAT", at)
            case "AT":
                return self._anchor(str(data), at)
            case "ASSERT" | "ASSERT_NOT":
                return self._assertion(data[0], data[1], op == "ASSERT_NOT", at)
        raise NotImplementedError(op)

    def _repeat(self, least: int, most: Any, body: Any, possessive: bool, at: int) -> int:
        only = self._only_char(body)
        stop = self.any - only if possessive and only is not None else None
        for _ in range(least):
            at = self._sequence(body, at)
        end = self._new()
        if str(most) == "MAXREPEAT":
            loop = self._free(at, self._new())
            inside = self._free(loop, self._new(), loop=loop)
            self._free(self._sequence(body, inside), loop, loop=loop, leave=end)
            return self._free(loop, end, behind=stop)
        assert most - least <= _MOST_COPIES, "a count this high needs a look by eye"
        for _ in range(most - least):
            self._free(at, end, behind=stop)
            at = self._sequence(body, self._free(at, self._new()))
        return self._free(at, end)

    def _anchor(self, kind: str, at: int) -> int:
        line_end, multi = frozenset({"\n"}), bool(self.flags & 8)
        words = self._chars("CATEGORY", "CATEGORY_WORD")
        edge = frozenset({_START, _END})
        others = self.any - words | edge
        end = self._new()
        match kind:
            case "AT_BEGINNING":
                self._free(at, end, before=frozenset({_START}) | (line_end if multi else set()))
            case "AT_BEGINNING_STRING":
                self._free(at, end, before=frozenset({_START}))
            case "AT_END":
                self._free(at, end, behind=frozenset({_END}) | line_end)
            case "AT_END_STRING":
                self._free(at, end, behind=frozenset({_END}))
            case "AT_BOUNDARY":
                self._free(at, end, before=words, behind=others)
                self._free(at, end, before=others, behind=words)
            case _:
                raise NotImplementedError(kind)
        return end

    def _assertion(self, direction: int, body: Any, negative: bool, at: int) -> int:
        end, only = self._new(), self._only_char(body)
        if only is None:
            self.apart.append(body)
            return self._free(at, end)
        outside = frozenset({_START, _END})
        chars = (self.any | outside) - only if negative else only
        if direction > 0:
            return self._free(at, end, behind=chars)
        return self._free(at, end, before=chars)

    def _only_char(self, body: Any) -> Chars | None:
        """The characters of a pattern that is one character long, otherwise None."""
        ops = list(body)
        while len(ops) == 1 and str(ops[0][0]) == "SUBPATTERN":
            ops = list(ops[0][1][3])
        if len(ops) == 1 and str(ops[0][0]) in ("LITERAL", "NOT_LITERAL", "ANY", "IN"):
            return self._chars(str(ops[0][0]), ops[0][1])
        return None

    def _chars(self, op: str, data: Any) -> Chars:
        return frozenset(each for each in self.samples if _holds(op, data, each, self.flags))

    # --- its states and moves

    def moves(self, state: State) -> Counter[State]:
        """The states that follow, each with the number of ways to it."""
        found: Counter[State] = Counter()
        for node, behind in self._ways(state):
            for end, chars in self.nodes[node].reads:
                found.update((end, char) for char in chars & behind)
        return found

    def is_sure(self, state: State) -> bool:
        """Whether no match fails that comes here."""
        if state[0] in (0, self.scan) and self.use != "search":
            return False
        return any(node == self.last and behind >= self.any for node, behind in self._ways(state))

    def _ways(self, state: State) -> Iterator[tuple[int, Chars]]:
        """The nodes that can be reached without a character, each for every way to it, and what
        may stand behind."""
        before = state[1]
        open_: list[tuple[int, Chars, frozenset[int]]] = [(state[0], self.any, frozenset())]
        while open_:
            node, behind, entered = open_.pop()
            yield node, behind
            for way in self.nodes[node].free:
                left = behind if way.behind is None else behind & way.behind
                if (way.before is None or before in way.before) and left:
                    if way.leave is not None:
                        empty = way.loop in entered
                        open_.append((way.leave if empty else way.end, left, entered))
                    else:
                        inside = entered if way.loop is None else entered | {way.loop}
                        open_.append((way.end, left, inside))


def _holds(op: str, data: Any, char: str, flags: int) -> bool:
    """Whether a character is one of those that an element of a pattern takes."""
    match op:
        case "LITERAL":
            return bool(ord(char) == data)
        case "NOT_LITERAL":
            return bool(ord(char) != data)
        case "ANY":
            return char != "\n" or bool(flags & 16)
        case "RANGE":
            return bool(data[0] <= ord(char) <= data[1])
        case "CATEGORY":
            return _in_category(str(data), char, bool(flags & 256))
    inner = [(str(each), what) for each, what in data]
    negative = inner[0][0] == "NEGATE"
    return negative != any(_holds(*each, char, flags) for each in inner[negative:])


def _in_category(name: str, char: str, ascii_: bool) -> bool:
    kind = name.removeprefix("CATEGORY_").removeprefix("NOT_")
    tests: dict[str, Callable[[str], bool]] = {
        "DIGIT": str.isdecimal,
        "SPACE": str.isspace,
        "WORD": lambda each: each.isalnum() or each == "_",
    }
    found = tests[kind](char) and (char.isascii() or not ascii_)
    return found != ("_NOT_" in name)


def _samples(parsed: Any) -> frozenset[str]:
    """A character of every set of characters that no part of the pattern tells apart."""
    tests, codes = list[tuple[str, Any]](), set(map(ord, _SAMPLES))
    for op, data in _elements(parsed):
        tests.append((op, data))
        for each, what in data if op == "IN" else [(op, data)]:
            if str(each) in ("LITERAL", "NOT_LITERAL"):
                codes.update((what, what + 1))
            elif str(each) == "RANGE":
                codes.update((what[0], what[1], what[1] + 1))
    flags = parsed.state.flags
    tests += [("LITERAL", 10), ("CATEGORY", "CATEGORY_WORD")]
    alike: dict[tuple[bool, ...], str] = {}
    for char in map(chr, sorted(code for code in codes if code < 0x110000)):
        alike.setdefault(tuple(_holds(*test, char, flags) for test in tests), char)
    return frozenset(alike.values())


def _elements(ops: Any) -> Iterator[tuple[str, Any]]:
    """The parts of a parsed pattern that take one character."""
    for op, data in ops:
        match str(op):
            case "LITERAL" | "NOT_LITERAL" | "ANY" | "IN":
                yield str(op), data
            case "SUBPATTERN":
                yield from _elements(data[3])
            case "ATOMIC_GROUP":
                yield from _elements(data)
            case "BRANCH":
                yield from (each for branch in data[1] for each in _elements(branch))
            case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
                yield from _elements(data[2])
            case "ASSERT" | "ASSERT_NOT":
                yield from _elements(data[1])


def slowness(pattern: str, flags: int = 0, use: Use = "search") -> str:
    """ "exponential" or "quadratic" (or a higher power) if matching can take so long, else ""."""
    parsed = _parser.parse(pattern, flags)
    automaton = _Automaton(parsed, use)
    found = {_of_automaton(automaton)}
    for body in automaton.apart:
        inner = _parser.SubPattern(parsed.state, list(body))
        found.add(_of_automaton(_Automaton(inner, "scan" if use != "match" else "match")))
    return next((each for each in ("exponential", "quadratic") if each in found), "")


def _of_automaton(automaton: _Automaton) -> str:
    first = (0, _START)
    moves: dict[State, Counter[State]] = {}
    open_ = [first]
    while open_:
        state = open_.pop()
        if state not in moves:
            moves[state] = automaton.moves(state)
            open_ += moves[state]
    sure = {state for state in moves if automaton.is_sure(state)}
    graph = {
        state: {end: ways for end, ways in ends.items() if end not in sure}
        for state, ends in moves.items()
        if state not in sure
    }
    part = _components(graph)
    cyclic = [state for state in graph if any(part[end] == part[state] for end in graph[state])]
    # If one state of a component leads back to itself in two ways, every one does.
    if any(_is_exponential(graph, part, s) for s in {part[s]: s for s in cyclic}.values()):
        return "exponential"
    pairs = ((p, q) for p in cyclic for q in cyclic if part[p] != part[q] and p[1] == q[1])
    return "quadratic" if any(_is_polynomial(graph, part, p, q) for p, q in pairs) else ""


_Graph = dict[State, dict[State, int]]


def _is_exponential(graph: _Graph, part: dict[State, int], state: State) -> bool:
    """Whether a state leads back to itself in two ways over the same text."""

    def within(at: State) -> Iterator[tuple[State, int]]:
        return ((e, ways) for e, ways in graph[at].items() if part[e] == part[state])

    def after(pair: tuple[State, State, bool]) -> Iterator[tuple[State, State, bool]]:
        left, right, split = pair
        for a, ways in within(left):
            for b, _ in within(right):
                if a[1] == b[1]:
                    yield a, b, split or a != b or (left == right and ways > 1)

    return _reaches((state, state, False), (state, state, True), after)


def _is_polynomial(graph: _Graph, part: dict[State, int], p: State, q: State) -> bool:
    """Whether over one text `p` leads to itself and to `q`, and `q` to itself."""

    def after(triple: tuple[State, State, State]) -> Iterator[tuple[State, State, State]]:
        for a in graph[triple[0]]:
            if part[a] == part[p]:
                for c in graph[triple[2]]:
                    if part[c] == part[q] and c[1] == a[1]:
                        yield from ((a, b, c) for b in graph[triple[1]] if b[1] == a[1])

    return _reaches((p, p, q), (p, q, q), after)


_Place = TypeVar("_Place", bound=Hashable)


def _reaches(start: _Place, end: _Place, after: Callable[[_Place], Iterable[_Place]]) -> bool:
    """Whether `end` is among what comes after `start`, after that, and so on."""
    seen, open_ = set[_Place](), [start]
    while open_:
        for each in after(open_.pop()):
            if each == end:
                return True
            if each not in seen:
                seen.add(each)
                open_.append(each)
    return False


def _components(graph: _Graph) -> dict[State, int]:
    """The number of the strongly connected component of every state (Tarjan, 1972)."""
    index: dict[State, int] = {}
    low: dict[State, int] = {}
    part: dict[State, int] = {}
    stack: list[State] = []
    for root in graph:
        if root in index:
            continue
        index[root] = low[root] = len(index)
        stack.append(root)
        path = [(root, iter(graph[root]))]
        while path:
            state, ends = path[-1]
            for end in ends:
                if end not in index:
                    index[end] = low[end] = len(index)
                    stack.append(end)
                    path.append((end, iter(graph[end])))
                    break
                if end not in part:
                    low[state] = min(low[state], index[end])
            else:
                path.pop()
                if path:
                    low[path[-1][0]] = min(low[path[-1][0]], low[state])
                if low[state] == index[state]:
                    while state not in part:
                        part[stack.pop()] = index[state]
    return part
