"""Mutation testing: rulesets with one small change each, to find changes no scenario notices."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import field, replace
from enum import Enum
from functools import cached_property
from itertools import cycle
from os.path import splitext
from pathlib import PurePath
from string import whitespace

from rulesdsl.author.testing import Options, SuiteFile, Tried, read_tests
from rulesdsl.base.cache import uncached
from rulesdsl.base.deadline import Deadline, OutOfTime, under
from rulesdsl.base.processes import Workers
from rulesdsl.base.records import dataclass
from rulesdsl.engine.build import Memory, build, remembering
from rulesdsl.engine.run import DEFAULT_ENGINE, playable
from rulesdsl.engine.run.interface import PlayError, Playout
from rulesdsl.language.diagnostics import Diagnostic, Report, RulesError, Severity, Source
from rulesdsl.language.diagnostics.allow import Allowance, allowances, unused
from rulesdsl.language.model import ast, nodes
from rulesdsl.language.model.checked import walk
from rulesdsl.language.model.game import Ruleset
from rulesdsl.language.model.nodes import Node, Scalar
from rulesdsl.language.model.nodes import Sequence as SequenceNode
from rulesdsl.language.parse import parse
from rulesdsl.language.read.files import DiskFolder, overlaid
from rulesdsl.language.read.find import SCENARIO_SUFFIXES, FoundFile
from rulesdsl.language.read.manifest import read_ruleset
from rulesdsl.play import Game
from rulesdsl.play.scenario import Cast, Scenario
from rulesdsl.play.scenario.coverage import Event, rulesets_at
from rulesdsl.play.scenario.outcome import try_within

Keys = tuple[str, ...]
"""The keys that lead to a node of a manifest; `*` for an item of a list."""


@dataclass(frozen=True, order=True)
class Mutation:
    """A replacement of the characters `start` to `end` of a text by `new`.

    `what` describes it, and `missing` names the situation that would reveal it. `condition` is the
    place of the condition that is left out, if there is one: the change makes a difference only
    where it is `wanted`. `node` is the node that was changed. Changes with the same result are
    equal.
    """

    kind: str = field(compare=False)
    start: int
    end: int
    new: str
    what: str = field(compare=False)
    missing: str = field(compare=False)
    condition: tuple[int, int] | None = field(default=None, compare=False)
    wanted: bool = field(default=False, compare=False)
    node: object = field(default=None, compare=False)

    def of(self, text: str) -> str:
        return text[: self.start] + self.new + text[self.end :]


# --- rules ---------------------------------------------------------------------------------------

_LEAVES = (ast.Return, ast.Simple)
_RULES = (ast.Contribution, ast.HookDecl, ast.ForbidDecl, ast.AlwaysDecl)
_TURNED = {"==": "!=", "!=": "==", "in": "not in", "not in": "in", "is": "is not", "is not": "is"}
_OPERATORS = {
    operator: (kind, new, missing)
    for kind, missing, changed in (
        (
            "comparison",
            "no scenario has {left} equal to {right} where that matters",
            {"<": "<=", "<=": "<", ">": ">=", ">=": ">"},
        ),
        ("comparison turned", "no scenario depends on {whole}", _TURNED),
        (
            "arithmetic",
            "no scenario depends on the value of {whole}",
            {"+": "-", "-": "+", "*": "+", "div": "*", "mod": "div"},
        ),
    )
    for operator, new in changed.items()
}
"""The kind of the change of an operator, what replaces it, and the missing situation."""
_GATHERED = {"max": "min", "min": "max"}


def of_rules(module: ast.Module) -> Iterator[Mutation]:
    """Yield the changes of rules, each once, in the order of the text."""
    return iter(sorted(dict.fromkeys(_of_rules(module))))


def _of_rules(module: ast.Module) -> Iterator[Mutation]:
    yield from guards(module)
    yield from proceeds(module)
    text = module.source.text
    for each in _without_invariants(module):
        # The limits of types and of recursion only say what is impossible.
        limits = [ref for ref in walk(each) if isinstance(ref, ast.TypeRef)]
        aside = {id(inner) for inner in walk((*limits, getattr(each, "depth", None)))}
        if isinstance(each, _RULES):
            body = getattr(each, "body", None)
            end = each.span.end if body is None else max(each.span.end, _block_end(body))
            what, missing = "this rule is left out", "no scenario depends on this rule"
            yield Mutation("rule", each.span.start, end, "", what, missing, node=each)
        for node in walk(each):
            if id(node) not in aside:
                yield from _of_node(text, node)


def _without_invariants(module: ast.Module) -> tuple[ast.Decl, ...]:
    """Return the declarations without the invariants, which are tests and not tested."""

    def kept(found: tuple[ast.Decl, ...]) -> tuple[ast.Decl, ...]:
        return tuple(each for each in found if not isinstance(each, ast.InvariantDecl))

    return tuple(
        replace(each, declarations=kept(each.declarations))
        if isinstance(each, ast.WithDecl)
        else each
        for each in kept(module.declarations)
    )


def guards(module: ast.Module) -> Iterator[Mutation]:
    """Yield the changes that leave out a condition.

    That is a guard of a rule or option, a condition of a set, an `if`, or an operand of `and`.
    """
    for node in walk(_without_invariants(module)):
        yield from _dropped(module.source.text, node)


def proceeds(module: ast.Module) -> Iterator[Mutation]:
    """Yield the changes that leave out the `proceed` of an `around`."""
    for hook in module.declarations:
        for node in walk(hook) if isinstance(hook, ast.HookDecl) else ():
            if isinstance(node, ast.ExprStmt) and isinstance(node.value, ast.Proceed):
                start, end = node.span.start, node.span.end
                missing = "no scenario depends on the hooked code"
                yield Mutation(
                    "proceed", start, end, "nothing", "`proceed` is left out", missing, node=hook
                )


def _dropped(text: str, node: object) -> Iterator[Mutation]:
    match node:
        case (
            ast.Contribution(guard=guard)
            | ast.ActionDecl(guard=guard)
            | ast.HookDecl(guard=guard)
            | ast.OptionDecl(guard=guard)
            | ast.ForbidDecl(guard=guard)
        ) if guard is not None:
            start = _trimmed(text, text.rindex("when", 0, guard.span.start))
            kind = "guard of option" if isinstance(node, ast.OptionDecl) else "guard of rule"
            yield _left_out(text, kind, start, guard.span.end, guard, node)
        case ast.OnceIn():
            start = _trimmed(text, node.span.start)
            yield _left_out(text, "guard of rule", start, node.span.end, node, node, wanted=True)
        case ast.Binder(where=where) if where is not None:
            start = _trimmed(text, text.rindex("where", 0, where.span.start))
            yield _left_out(text, "where", start, where.span.end, where, node)
        case ast.If(condition=condition, then=then, otherwise=None):
            start = text.rindex("if", 0, condition.span.start)
            body = then.statements[0]
            if isinstance(body, _LEAVES):
                # Without the condition it would always leave, so the whole statement is left out.
                yield _left_out(
                    text, "if that leaves", start, body.span.end, condition, node, "nothing", True
                )
            elif then.inline:
                yield _left_out(text, "if", start, body.span.start, condition, node)
        case ast.Binary(operator="and"):
            for start, end, part in _operands(text, node):
                yield _left_out(text, "part of and", start, end, part, node)


def _operands(text: str, node: ast.Binary) -> Iterator[tuple[int, int, ast.Expr]]:
    """Yield each operand with the start and end of what goes with it, brackets only in pairs."""
    left, right = node.left, node.right
    for start, end, part in (
        (left.span.end, right.span.end, right),
        (left.span.start, right.span.start, left),
    ):
        if text.count("(", start, end) == text.count(")", start, end):
            yield start, end, part


def _left_out(
    text: str,
    kind: str,
    start: int,
    end: int,
    condition: ast.Expr | ast.OnceIn,
    node: object,
    new: str = "",
    wanted: bool = False,
) -> Mutation:
    """Return a change that leaves out a condition, with what is done only under it."""
    said = _said(text, condition)
    where = "where that matters"
    if kind == "part of and":
        where = "while the rest is true"
    missing = f"no scenario has {said} {'true' if wanted else 'false'} {where}"
    what = f"`{_words(text[start:end])}` is left out"
    place = (condition.span.start, condition.span.end)
    return Mutation(kind, start, end, new, what, missing, place, wanted, node)


def _of_node(text: str, node: object) -> Iterator[Mutation]:
    match node:
        case ast.Compare() | ast.Binary() if node.operator in _OPERATORS:
            yield from _operator(text, node)
        case ast.Binary(operator="or"):
            for start, end, part in _operands(text, node):
                what = f"`{_words(text[start:end])}` is left out"
                missing = f"no scenario has {_said(text, part)} true while the rest is false"
                yield Mutation("part of or", start, end, "", what, missing)
        case ast.Int(value=value):
            yield from _beside(text, "number", node, value)
        case ast.Bool(value=value):
            missing = "no scenario depends on this value"
            yield _replaced(text, "truth", node, "false" if value else "true", missing)
        case ast.Unary(operator="not", operand=operand):
            what, missing = "`not` is left out", f"no scenario depends on {_said(text, operand)}"
            yield Mutation("not", node.span.start, operand.span.start, "", what, missing)
        case ast.IfElse(then=then, condition=condition, otherwise=otherwise):
            for part, wanted in ((then, False), (otherwise, True)):
                missing = (
                    f"no scenario has {_said(text, condition)} {str(wanted).lower()} "
                    "where that matters"
                )
                new = text[part.span.start : part.span.end]
                place = (condition.span.start, condition.span.end)
                yield _replaced(text, "either", node, new, missing, place, wanted)
        case ast.Aggregate(function=function) if _GATHERED.get(function):
            new, start = _GATHERED[function], node.span.start
            missing = f"no scenario has several different values for `{function}` here"
            what = f"`{function}` becomes `{new}`"
            yield Mutation("aggregate", start, start + len(function), new, what, missing)
        case ast.When(cases=cases):
            yield from _ladder(text, cases)
        case ast.Block(statements=statements):
            yield from _statements(statements)


def _operator(text: str, node: ast.Compare | ast.Binary) -> Iterator[Mutation]:
    """Yield the change of an operator, unless other text is between its operands, too."""
    kind, new, missing = _OPERATORS[node.operator]
    start, end = node.left.span.end, node.right.span.start
    between = text[start:end].lstrip(whitespace + ")")
    if between.rstrip(whitespace + "(") == node.operator:
        at = end - len(between)
        what = f"`{node.operator}` becomes `{new}`"
        left, right, whole = (_said(text, each) for each in (node.left, node.right, node))
        missing = missing.format(left=left, right=right, whole=whole)
        yield Mutation(kind, at, at + len(node.operator), new, what, missing)


def _replaced(
    text: str,
    kind: str,
    node: ast.Node | Scalar,
    new: str,
    missing: str,
    condition: tuple[int, int] | None = None,
    wanted: bool = False,
) -> Mutation:
    start, end = node.span.start, node.span.end
    what = f"`{_words(text[start:end])}` becomes `{_words(new)}`"
    return Mutation(kind, start, end, new, what, missing, condition, wanted)


def _ladder(text: str, cases: Sequence[ast.Case]) -> Iterator[Mutation]:
    """Yield the changes that leave out a line of a ladder, if one with a condition remains."""
    if len([each for each in cases if each.condition is not None]) < 2:
        return
    for case in cases:
        start = text.rfind("\n", 0, case.span.start) + 1
        if case.condition is not None and not text[start : case.span.start].strip():
            end = text.find("\n", _block_end(case.body)) + 1 or len(text)
            condition = case.condition.span
            missing = f"no scenario has {_said(text, case.condition)} true where that matters"
            what, place = "this line is left out", (condition.start, condition.end)
            yield Mutation("line of ladder", start, end, "", what, missing, place, True)


def _statements(statements: Sequence[ast.Stmt]) -> Iterator[Mutation]:
    """Yield the changes that leave out a statement, unless it is the whole body."""
    for each in statements:
        if isinstance(each, ast.Let | ast.Return | ast.When | ast.Simple):
            continue
        if isinstance(each, ast.ExprStmt) and not isinstance(each.value, ast.Call):
            continue
        start, end = each.span.start, _statement_end(each)
        missing = "no scenario depends on the effect of this"
        yield Mutation("statement", start, end, "nothing", "this is left out", missing)


def _block_end(block: ast.Block) -> int:
    return max((_statement_end(each) for each in block.statements), default=block.span.end)


def _statement_end(node: ast.Stmt) -> int:
    blocks = [each for each in vars(node).values() if isinstance(each, ast.Block)]
    return max([node.span.end, *map(_block_end, blocks)])


def _trimmed(text: str, at: int) -> int:
    while text[at - 1] == " ":
        at -= 1
    return at


_LONG = 60


def _words(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONG else f"{line[: _LONG - 1]}…"


def _said(text: str, node: ast.Node) -> str:
    return f"`{_words(text[node.span.start : node.span.end])}`"


# --- manifests -----------------------------------------------------------------------------------


def scalars(node: Node, keys: Keys = ()) -> Iterator[tuple[Keys, Scalar, bool]]:
    """Yield every scalar of a manifest with the keys that lead to it, and whether it is a key."""
    match node:
        case Scalar():
            yield keys, node, False
        case SequenceNode():
            for item in node:
                yield from scalars(item, (*keys, "*"))
        case nodes.Mapping():
            for key, value in node:
                yield (*keys, str(key.value)), key, True
                yield from scalars(value, (*keys, str(key.value)))


def counts(found: Iterable[tuple[Keys, Scalar, bool]]) -> Iterator[tuple[Keys, Scalar]]:
    """Yield the counts of components and of copies, and declared totals."""
    for keys, scalar, key in found:
        counted = keys[-1] in ("count", "copies") or keys[0] == "totals"
        if counted and not key and keys[0] != "labels":
            yield keys, scalar


def conditions(
    source: Source, found: Iterable[tuple[Keys, Scalar, bool]]
) -> Iterator[tuple[Scalar, int]]:
    """Yield each `when` of a component, and the start of the comma before it."""
    for keys, scalar, key in found:
        if not key and keys[-1] == "when" and keys[0] != "refuse":
            start = source.text.rfind("when", 0, scalar.span.start)
            yield scalar, source.text.rfind(",", 0, start)


def of_manifest(manifest: Node) -> Iterator[Mutation]:
    """Yield the changes of a manifest, in the order of its text."""
    source = manifest.span.source
    found, changes = list(scalars(manifest)), set[Mutation]()
    for _, scalar in counts(found):
        if scalar.span.text.isdecimal():
            changes.update(_beside(source.text, "count", scalar, int(scalar.span.text)))
    for scalar, start in conditions(source, found):
        said = _words(scalar.span.text)
        what, missing = f"`when: {said}` is left out", f"no scenario has `{said}` false"
        changes.add(Mutation("when", start, scalar.span.end, "", what, missing))
    return iter(sorted(changes))


def _beside(text: str, kind: str, node: ast.Node | Scalar, value: int) -> Iterator[Mutation]:
    for other in (value + 1, value - 1):
        if other >= 0:
            missing = f"no scenario distinguishes `{value}` from `{other}` here"
            yield _replaced(text, kind, node, str(other), missing)


# --- verdicts ------------------------------------------------------------------------------------

GAMES = 50
"""The number of random games for each cast with a number of players."""
CASTS = 4
"""The most casts of which random games are played."""
SEED = 7
MOVES = 3_000
"""The number of moves after which a random game is given up."""
SECONDS = 60
"""The seconds that random games of one cast may take before a mutant counts as endless."""
SLOWER, PATIENCE = 10, 5.0
"""A scenario fails if it takes `SLOWER` times as long as without the change, plus `PATIENCE` s."""
REMEMBERED = 4
"""The number of checked games to cache."""

TestKey = tuple[int, int]
"""A test by the number of its file and its own."""
Played = tuple[Playout | str, ...]
"""The results of random games, or the reason why one could not be played."""


class Fate(Enum):
    """The result of a mutant."""

    INVALID = "invalid"
    """It is not valid syntax, and so not a mutant."""
    REFUSED = "refused"
    """`check` reports a finding."""
    NOTICED = "noticed"
    """A scenario fails."""
    SURVIVED = "survived"
    """No scenario fails, but random games go another way."""
    SAME = "same"
    """No scenario fails, and all random games go the same way."""


@dataclass(frozen=True)
class Mutant:
    """A mutant, with the tests that may notice it.

    It changes the text at the real path `file`, and belongs to the ruleset of `manifest`. The tests
    are sorted by how likely they are to notice it.
    """

    number: int
    manifest: str
    file: str
    change: Mutation
    tests: tuple[TestKey, ...]


@dataclass(frozen=True)
class Verdict:
    """The fate of a mutant.

    `by` is the scenario that fails, or the slug of what `check` finds. `games` is the number of
    random games that were played.
    """

    number: int
    fate: Fate
    by: str = ""
    games: int = 0


@dataclass
class Judge:
    """Judges mutants one after the other.

    `files` have the tests, and `seconds` are the times that tests take without a change. `texts`
    are the texts of the rulesets by their real paths.
    """

    files: Sequence[SuiteFile]
    options: Options
    texts: Mapping[str, str]
    seconds: Mapping[TestKey, float]
    _read: dict[int, Sequence[Scenario]] = field(default_factory=dict)
    _known: dict[str, Counter[tuple[str, str]]] = field(default_factory=dict)
    _games: dict[tuple[Cast, bool], Played] = field(default_factory=dict)

    def __call__(self, mutant: Mutant) -> Verdict:
        slug = self._refused(mutant)
        if slug is not None:
            fate = Fate.INVALID if slug in ("bad-syntax", "bad-indent") else Fate.REFUSED
            return Verdict(mutant.number, fate, slug)
        by = self._noticed(mutant)
        if by is not None:
            return Verdict(mutant.number, Fate.NOTICED, by)
        games = 0
        for key, most in self._sittings(mutant):
            before = self._before(key, most)
            games += len(before)
            with self._with(mutant), uncached():
                if _played(self._scenario(key), most) != before:
                    return Verdict(mutant.number, Fate.SURVIVED, "", games)
        return Verdict(mutant.number, Fate.SAME, "", games)

    # --- the three stages ------------------------------------------------------------------------

    def _refused(self, mutant: Mutant) -> str | None:
        """Return the slug of a finding that `check` reports only with the change.

        None if there is none. The check is of the smallest game with the ruleset.
        """
        known = self._findings(mutant.manifest)
        with self._with(mutant):
            found = findings(mutant.manifest, self.options.paths)
        new = Counter(map(_key, found)) - known
        return next((slug for slug, _ in new), None)

    def _noticed(self, mutant: Mutant) -> str | None:
        with self._with(mutant):
            for key in mutant.tests:
                limit = self.options.seconds or SLOWER * self.seconds[key] + PATIENCE
                if not try_within(self._scenario(key), limit).passed:
                    return self._scenario(key).name
        return None

    def _sittings(self, mutant: Mutant) -> list[tuple[TestKey, bool]]:
        """Return a test for each of some games whose tests may notice the mutant.

        They are the smallest game, the largest, and some between. Each comes with a flag for the
        most players, otherwise the fewest play. The flags take turns, since each number of players
        needs a program of its own, but the smallest game is played with both.
        """
        found: dict[Cast, TestKey] = {}
        for key in mutant.tests:
            found.setdefault(self._scenario(key).cast, key)
        ordered = sorted(found, key=lambda cast: (len(cast[1]), len(cast[2]), str(cast)))
        last = len(ordered) - 1
        places = sorted({round(n * last / (CASTS - 1)) for n in range(CASTS)}) if ordered else []
        chosen = [found[ordered[place]] for place in places]
        return [*((key, False) for key in chosen[:1]), *zip(chosen, cycle((True, False)))]

    # --- state kept between mutants --------------------------------------------------------------

    @contextmanager
    def _with(self, mutant: Mutant) -> Iterator[None]:
        text = mutant.change.of(self.texts[mutant.file])
        self._forget()
        try:
            with remembering(self._memory), overlaid({mutant.file: text.encode()}):
                yield
        finally:
            self._forget()

    def _forget(self) -> None:
        for scenarios in self._read.values():
            scenarios[0].forget()

    @cached_property
    def _memory(self) -> Memory:
        return Memory(REMEMBERED)

    def _scenario(self, key: TestKey) -> Scenario:
        file, number = key
        if file not in self._read:
            tests = read_tests(self.files[file], self.options)
            wanted = (each for each in tests if self.options.wants(each))
            self._read[file] = [each for each in wanted if isinstance(each, Scenario)]
        return self._read[file][number]

    def _findings(self, manifest: str) -> Counter[tuple[str, str]]:
        if manifest not in self._known:
            with remembering(self._memory):
                found = findings(manifest, self.options.paths)
            self._known[manifest] = Counter(map(_key, found))
        return self._known[manifest]

    def _before(self, key: TestKey, most: bool) -> Played:
        scenario = self._scenario(key)
        place = scenario.cast, most
        if place not in self._games:
            with remembering(self._memory):
                self._games[place] = _played(scenario, most)
        return self._games[place]


def findings(manifest: str, paths: Sequence[str] = ()) -> list[Diagnostic]:
    """Return the findings of `check` in the smallest game with a ruleset, without notes."""
    report = Report()
    build(manifest, paths=paths, report=report)
    return [each for each in report if each.severity is not Severity.NOTE]


def _key(found: Diagnostic) -> tuple[str, str]:
    return found.slug, found.message


def _played(scenario: Scenario, most: bool) -> Played:
    engine, _ = playable(DEFAULT_ENGINE)
    try:
        game = scenario.game(engine)
    except RulesError as error:
        return (error.diagnostics[0].slug,) * GAMES
    return tuple(played(game, game.players[-1 if most else 0], GAMES))


def played(game: Game, seats: int, games: int) -> Iterator[Playout | str]:
    """Yield the results of random games, always the same; a game that is stopped is the last."""
    try:
        with under(Deadline(SECONDS)):
            yield from game.playouts(range(games), seats, SEED, limit=MOVES)
    except PlayError as error:
        yield f"{error.slug}: {error.message}"
    except OutOfTime:
        yield "out-of-time"


# --- the survey ----------------------------------------------------------------------------------

UNNOTICED = "unnoticed"
_ELSEWHERE = (ast.ChoiceDecl, ast.OptionDecl, ast.AlwaysDecl)
"""Declarations whose parts are evaluated where they are not noted as run."""


@dataclass(frozen=True, eq=False)
class _Test:
    """A test that passes: its file and number, the rulesets of its game, and the events it ran."""

    key: TestKey
    stem: str
    rulesets: tuple[str, ...]
    reached: Mapping[str, frozenset[Event]]


@dataclass
class Survey:
    """The mutants of rulesets, in the order of their texts, and their verdicts so far.

    `packed` are rulesets in archives, of which no mutants are made.
    """

    mutants: list[Mutant] = field(default_factory=list)
    packed: list[str] = field(default_factory=list)
    verdicts: dict[int, Verdict] = field(default_factory=dict)
    _sources: list[Source] = field(default_factory=list)
    _judge: Judge | None = None

    @classmethod
    def of(cls, paths: Sequence[str], tried: Sequence[Tried], options: Options) -> Survey:
        """Return a survey of the rulesets in the folders that are named and below.

        A file `NAME.test.yaml` that is named adds the ruleset `NAME.yaml` beside it. `tried` are
        the tests, all of which pass, with the events they reached.
        """
        survey = cls()
        files = tuple(each.file for each in tried)
        tests = list(_tests(tried))
        texts: dict[str, str] = {}
        for found in rulesets_at(paths):
            ruleset = read_ruleset(found.folder, found.file, Report())
            if ruleset is None:
                continue
            if not isinstance(found.folder, DiskFolder):
                survey.packed.append(found.shown)
                continue
            for file, source, changes, module in _parts(found, ruleset):
                texts[file] = source.text
                chooser = _Chooser(ruleset, found, tests, module)
                for change in changes:
                    survey._add(found, file, source, change, chooser)
        seconds = {
            (file, number): spent
            for file, each in enumerate(tried)
            for number, spent in enumerate(each.seconds)
        }
        survey._judge = Judge(files, replace(options, reach=False), texts, seconds)
        return survey

    def _add(
        self, found: FoundFile, file: str, source: Source, change: Mutation, chooser: _Chooser
    ) -> None:
        tests = chooser.tests(change)
        if change.condition is not None and not chooser.seen(*change.condition, change.wanted):
            missing = change.missing.partition(" where ")[0].partition(" while ")[0]
            change = replace(change, missing=missing)
        if not tests:
            change = replace(change, missing="no scenario reaches this")
        change = replace(change, node=None)
        self.mutants.append(Mutant(len(self.mutants), found.shown, file, change, tests))
        self._sources.append(source)

    def judged(self, jobs: int) -> Iterator[Verdict]:
        """Judge all mutants in `jobs` processes and yield the verdicts as they are known.

        Raises WorkerLost if a process is lost.
        """
        assert self._judge is not None, "it is made by `of`"
        jobs = min(jobs, len(self.mutants))
        if jobs < 2:
            for mutant in self.mutants:
                yield self._keep(self._judge(mutant))
            return
        with Workers(self._judge, jobs) as workers:
            for _, verdict in workers.unordered(self.mutants):
                yield self._keep(verdict)

    def _keep(self, verdict: Verdict) -> Verdict:
        self.verdicts[verdict.number] = verdict
        return verdict

    # --- results ---------------------------------------------------------------------------------

    @property
    def complete(self) -> bool:
        return len(self.verdicts) == len(self.mutants)

    def count(self, *fates: Fate) -> int:
        return sum(each.fate in fates for each in self.verdicts.values())

    def sifted(self) -> tuple[list[Diagnostic], int]:
        """Return the findings that no comment allows, and the number of those that are allowed.

        There is one for each mutant that no scenario notices, in the order of the texts: a warning,
        or a note if it changes no random game. If all mutants are judged, comments that allow
        nothing are added.
        """
        verdicts = (verdict for _, verdict in sorted(self.verdicts.items()))
        found = [self._finding(e) for e in verdicts if e.fate in (Fate.SURVIVED, Fate.SAME)]
        sources = {source.name: source for source in self._sources}
        written = (each for source in sources.values() for each in allowances(source))
        comments = [e for e in written if isinstance(e, Allowance) and e.slug == UNNOTICED]
        left = [each for each in found if not any(comment.covers(each) for comment in comments)]
        idle = [
            unused(comment, None)
            for comment in comments
            if self.complete and not any(comment.covers(each) for each in found)
        ]
        return [*left, *idle], len(found) - len(left)

    def _finding(self, verdict: Verdict) -> Diagnostic:
        source, change = self._sources[verdict.number], self.mutants[verdict.number].change
        changed = source.text[change.start : change.end]
        start = change.end - len(changed.lstrip())
        span = source.span(start, start + len(changed.strip()))  # without the space around it
        message = f"no scenario notices it if {change.what}"
        if verdict.fate is Fate.SURVIVED:
            help, severity = (change.missing,), Severity.WARNING
        else:
            help = (f"it changes nothing in {verdict.games} random games",)
            severity = Severity.NOTE
        return Diagnostic(UNNOTICED, message, span, help=help, severity=severity)


def _tests(tried: Sequence[Tried]) -> Iterator[_Test]:
    for file, each in enumerate(tried):
        stem = PurePath(each.file.file).name
        for suffix in SCENARIO_SUFFIXES:
            stem = stem.removesuffix(suffix)
        for number, (outcome, reached) in enumerate(zip(each.outcomes, each.reached, strict=True)):
            yield _Test((file, number), stem, outcome.rulesets, reached)


Part = tuple[str, Source, list[Mutation], ast.Module | None]


def _parts(found: FoundFile, ruleset: Ruleset) -> Iterator[Part]:
    manifest = ruleset.manifest
    source = manifest.span.source
    yield found.identity, source, list(of_manifest(manifest)), None
    named = manifest.get("rules")
    if ruleset.rules is not None and isinstance(named, Scalar):
        module = parse(ruleset.rules, Report())
        file = found.folder.identity(str(named.value))
        yield file, ruleset.rules, list(of_rules(module)), module


class _Chooser:
    """Chooses the tests that may notice a change of a text: those that ran the part it changes."""

    def __init__(
        self, ruleset: Ruleset, found: FoundFile, tests: Iterable[_Test], module: ast.Module | None
    ) -> None:
        stem = splitext(PurePath(found.file).name)[0]
        ran = {
            each: each.reached.get(ruleset.digest, frozenset())
            for each in tests
            if ruleset.id in each.rulesets
        }
        # Those of its own file first; then those of small games, which run little else.
        ordered = sorted(
            ran,
            key=lambda each: (each.stem != stem, len(each.rulesets), len(ran[each]), each.key),
        )
        self._all = [each.key for each in ordered]
        self._spans = {each.key: {place[:2] for place in ran[each]} for each in ordered}
        self._places = sorted({place for spans in self._spans.values() for place in spans})
        self._events = set[Event]().union(*ran.values())
        self._module = module
        nodes = walk(module.declarations) if module else []
        self._elsewhere = [
            (node.span.start, node.span.end) for node in nodes if isinstance(node, _ELSEWHERE)
        ]

    def seen(self, start: int, end: int, outcome: bool) -> bool:
        """Return whether a condition had an outcome; True if its outcomes are not recorded."""
        noted = any((start, end) == event[:2] and event[2] for event in self._events)
        return not noted or (start, end, True, outcome) in self._events

    def tests(self, change: Mutation) -> tuple[TestKey, ...]:
        start, end = change.start, change.end
        around = [each for each in self._places if each[0] <= start and end <= each[1]]
        nearest = max(around, key=_innermost, default=None)
        outer = [each for each in self._elsewhere if each[0] <= start and end <= each[1]]
        if self._module is None or (nearest is None and not self._inside(start, end)):
            return tuple(self._all)
        if outer and (nearest is None or max(map(_innermost, outer)) >= _innermost(nearest)):
            return tuple(self._all)
        wanted = {nearest, *self._inside(start, end)}
        return tuple(key for key in self._all if wanted & self._spans[key])

    def _inside(self, start: int, end: int) -> list[tuple[int, int]]:
        return [each for each in self._places if start <= each[0] and each[1] <= end]


def _innermost(place: tuple[int, int]) -> tuple[int, int]:
    """Return a sort key by which the innermost of several nested places is the largest."""
    return place[0], -place[1]
