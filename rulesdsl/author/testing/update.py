"""Test files from recorded games, and updates of failing tests."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from collections.abc import Mapping as MappingType
from difflib import unified_diff
from itertools import count

from rulesdsl.author.testing.running import Options, SuiteFile, Tried
from rulesdsl.base.deadline import Deadline, OutOfTime, under
from rulesdsl.base.records import dataclass
from rulesdsl.language.diagnostics import Diagnostic, Report, RulesError, Source
from rulesdsl.language.model.nodes import Mapping, Node, plain
from rulesdsl.language.model.nodes import Sequence as SequenceNode
from rulesdsl.language.read import parse_yaml
from rulesdsl.language.read.manifest import EDITION
from rulesdsl.play import Game, PlayError
from rulesdsl.play.golden import golden_text, read_golden
from rulesdsl.play.scenario.outcome import FileEdit, Outcome, block, item

Test = MappingType[str, object]


class OtherGame(Exception):
    """An error for a scenario that does not fit into a file of scenarios; the message says why."""


def new_file(game: Game, test: Test, remark: str = "") -> str:
    """Return a file with this scenario only, below a remark."""
    head: dict[str, object] = {"scenarios": _root(game), "edition": EDITION}
    if expansions := _expansions(game):
        head["with"] = expansions
    if chosen := _chosen(game):
        head["settings"] = chosen
    lines = [*block(head, 0), "tests:", *_item(test, 2, remark)]
    return "\n".join(lines) + "\n"


def added_to(source: Source, game: Game, test: Test, remark: str = "") -> str:
    """Return the text of a file of scenarios with one more at its end; the rest does not change.

    Raises OtherGame if the file is about another game, and RulesError if it cannot be read.
    """
    report = Report()
    document = parse_yaml(source, report)
    report.check()
    tests = document.get("tests") if isinstance(document, Mapping) else None
    if not isinstance(document, Mapping) or not isinstance(tests, SequenceNode) or not tests.items:
        raise OtherGame("it is not a file of scenarios")
    if source.text[tests.span.start] == "[":
        raise OtherGame("its scenarios are written in brackets, not each below a `-`")
    names = {plain(each.get("name") or each) for each in tests if isinstance(each, Mapping)}
    name, more = str(test["name"]), _besides(document, game)
    others = (f"{name} ({number})" for number in count(2))
    free = name if name not in names else next(each for each in others if each not in names)
    full = {"name": free, **more, **{key: test[key] for key in test if key != "name"}}
    text = source.text if source.text.endswith("\n") else source.text + "\n"
    lines = _item(full, tests.span.column - 1, remark)
    return text + "\n".join(lines) + "\n"


def _item(test: Test, indent: int, remark: str) -> list[str]:
    above = [" " * indent + f"# {remark}"] if remark else []
    return [*above, *item(test, indent)]


def _besides(document: Mapping, game: Game) -> dict[str, object]:
    """Return the rulesets and settings that a scenario must add to those of its file."""
    if plain(document.get("scenarios") or document) != _root(game):
        raise OtherGame(f"it is about another game than `{_root(game)}`")
    there, wanted = _plain(document.get("with"), []), _expansions(game)
    if left := [each for each in _listed(there) if each not in wanted]:
        raise OtherGame(f"its scenarios are played with `{left[0]}`, the recorded game was not")
    settings, chosen = _plain(document.get("settings"), {}), _chosen(game)
    assert isinstance(settings, dict), "the schema asks for a mapping"
    for name, value in settings.items():
        named = (e for e in game.settings if e in (name, f"{e.partition('.')[0]}.{name}"))
        full = next(named, str(name))
        if game.settings.get(full) != value:
            raise OtherGame(f"its scenarios are played with `{name}: {value}`, the game was not")
        chosen.pop(full, None)
    more = [each for each in wanted if each not in _listed(there)]
    found: dict[str, object] = {"with": more} if more else {}
    return {**found, "settings": chosen} if chosen else found


def _plain(node: Node | None, otherwise: object) -> object:
    return otherwise if node is None else plain(node)


def _listed(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _root(game: Game) -> str:
    return game.checked.game.roles.ruleset


def _expansions(game: Game) -> list[str]:
    """Return the rulesets besides the root, without interactions, which load automatically."""
    root = _root(game)
    return [each.id for each in game.rulesets if each.id != root and not each.interaction]


def _chosen(game: Game) -> dict[str, object]:
    return {
        f"{each.ruleset}.{each.name}": each.chosen
        for each in game.checked.game.settings
        if each.chosen != each.default
    }


@dataclass(frozen=True)
class UpdatedTest:
    """A change of a test that fails.

    `edits` are those of its file; `anew` is the whole text of a golden record instead. `by_hand`
    are failures that a person has to fix.
    """

    outcome: Outcome
    edits: tuple[FileEdit, ...]
    by_hand: tuple[Diagnostic, ...]
    anew: str | None = None

    @property
    def possible(self) -> bool:
        return bool(self.edits) or self.anew is not None

    def lines(self) -> Iterator[str]:
        """Yield the lines that would change: `- ` and the old line, `+ ` and the new one."""
        text = self.outcome.span.source.text
        changed = edited(text, self.edits)
        before, after = text.splitlines(), changed.splitlines()
        for line in list(unified_diff(before, after, n=0, lineterm=""))[2:]:
            if line[0] in "-+":
                yield f"{line[0]} {line[1:]}"


def changes(tried: Tried, options: Options) -> list[UpdatedTest]:
    """Return the possible changes of the tests of a file that fail."""
    if tried.file.golden:
        return [_golden(tried.file, each, options) for each in tried.outcomes if not each.passed]
    found = list[UpdatedTest]()
    for outcome in (each for each in tried.outcomes if not each.passed):
        edits = tuple(edit for each in outcome.found for edit in each.edits)
        by_hand = tuple(each.diagnostic for each in outcome.found if not each.edits)
        found.append(UpdatedTest(outcome, edits, by_hand))
    return found


def _golden(file: SuiteFile, outcome: Outcome, options: Options) -> UpdatedTest:
    """Return the change to the same moves under the current rules, as far as they are legal."""
    if any(each.slug == "broken-invariant" for each in outcome.findings):
        return UpdatedTest(outcome, (), outcome.findings)
    try:
        golden = read_golden(file.read()[0], options.paths, options.engine)
        with under(Deadline.after(options.seconds)):
            return UpdatedTest(outcome, (), (), golden_text(golden.record, golden.game()))
    except (OutOfTime, RulesError, PlayError, ValueError):
        return UpdatedTest(outcome, (), outcome.findings)


def edited(text: str, edits: Iterable[FileEdit]) -> str:
    """Return a text with edits made; no two may touch."""
    for each in sorted(set(edits), key=lambda each: each.span.start, reverse=True):
        text = text[: each.span.start] + each.text + text[each.span.end :]
    return text
