"""The changes of a new version that its files show, without any game."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from enum import IntEnum
from itertools import combinations, zip_longest
from typing import TypeVar

from rulesdsl.author.versions.forms import RuleForm, RuleForms
from rulesdsl.base.records import dataclass
from rulesdsl.language.diagnostics import Span
from rulesdsl.language.diagnostics.report import copies, listed, numbers
from rulesdsl.language.model import nodes
from rulesdsl.language.model.checked import Checked
from rulesdsl.language.model.game import Declaration, LinkedGame, Ruleset, SettingDef
from rulesdsl.language.model.geometry import Outline
from rulesdsl.language.model.names import short_name


class Raise(IntEnum):
    """The part of a version number that a change has to raise."""

    NONE = 0
    PATCH = 1
    MINOR = 2
    MAJOR = 3

    @property
    def word(self) -> str:
        """The level in the words of version numbers."""
        return self.name.lower()


PIECES, SETTINGS, RULES, DECLARATIONS, TEXTS = SECTIONS = (
    "pieces",
    "settings",
    "rules",
    "declarations",
    "texts and pictures",
)
"""The sections of changes, in the order they are told."""
ADDED, REMOVED, CHANGED = "added", "removed", "changed"
DRAWING, BEGINS = "drawing", "begins in"


@dataclass(frozen=True)
class VersionChange:
    """A change of something with a name: what happened to it, in words, and its places.

    `level` is what the change raises whatever the games say.
    """

    section: str
    what: str
    name: str
    text: str
    level: Raise
    old: Span | None = None
    new: Span | None = None


def changes(choices: Iterable[Sequence[Checked]]) -> list[VersionChange]:
    """Return the changes between two versions of a game, by section, then by name.

    Of choices of settings, the first is compared as a whole, others for what is there.
    """
    (old, new), *others = choices
    found = [*_boxes(old.game, new.game), *_rules(RuleForms(old), RuleForms(new))]
    for one, other in others:
        seen = {each.name for each in found}
        chosen = [each for each in other.game.settings if each.chosen != each.default]
        named = (f"{each.key.replace('/', '.')}={shown(each.chosen)}" for each in chosen)
        words = f", with {listed([*named], 'and')}"
        found += [
            replace(each, text=each.text + words)
            for each in _boxes(one.game, other.game)
            if each.name not in seen and each.section in (PIECES, DECLARATIONS)
        ]
    return sorted(found, key=lambda each: (SECTIONS.index(each.section), each.name, each.text))


# --- the box -------------------------------------------------------------------------------------


def _boxes(old: LinkedGame, new: LinkedGame) -> Iterator[VersionChange]:
    yield from _kinds(old, new)
    yield from _settings(old, new)
    for table in ("grids", "zones", "tracks", "tables", "enums", "attributes", "feature_kinds"):
        yield from _declarations(old, new, table)
    yield from _roles(old, new)
    yield from _texts(old, new)


_Declared = TypeVar("_Declared", bound=Declaration)


def _pairs(
    old: Iterable[_Declared], new: Iterable[_Declared]
) -> Iterator[tuple[str, _Declared | None, _Declared | None]]:
    """Yield each full name with what has it in both versions."""
    before, after = ({each.key: each for each in found} for found in (old, new))
    for key in {**before, **after}:
        yield key, before.get(key), after.get(key)


def _places(old: Declaration | None, new: Declaration | None) -> tuple[Span | None, Span | None]:
    return old.span if old else None, new.span if new else None


def _kinds(old: LinkedGame, new: LinkedGame) -> Iterator[VersionChange]:
    said = [_Kinds(game) for game in (old, new)]
    for key in {**said[0].at, **said[1].at}:
        before, after = (each.seen(key) for each in said)
        name = next(each.at[key].cls for each in said if key in each.at) + f" `{short_name(key)}`"
        places = [each.at[key].span if key in each.at else None for each in said]
        if before is None or after is None:
            found, what = (after, ADDED) if before is None else (before, REMOVED)
            assert found is not None, "one of the versions has it"
            level = Raise.MAJOR if before is not None or found["copies"] != "0" else Raise.MINOR
            yield VersionChange(PIECES, what, name, found["copies"], level, *places)
            continue
        for aspect in {**before, **after}:
            was, now = before.get(aspect, ""), after.get(aspect, "")
            if was != now and not (aspect == BEGINS and "" in (was, now)):  # it has no copies
                text = f"{aspect}: {now or 'none'}, was {was or 'none'}"
                text = "another drawing" if aspect == DRAWING else text
                yield VersionChange(PIECES, CHANGED, name, text, Raise.MAJOR, *places)
    both = said[0].at.keys() & said[1].at.keys()
    for cls in sorted({each.cls for each in old.kinds}):
        listed_in = [[k for k in each.at if k in both and each.at[k].cls == cls] for each in said]
        if listed_in[0] != listed_in[1]:
            text = "they are listed in another order"
            yield VersionChange(PIECES, CHANGED, f"the {cls}s", text, Raise.PATCH)


class _Kinds:
    """The kinds of components of a game by full name and variant; in `at`, their numbers."""

    def __init__(self, game: LinkedGame) -> None:
        self._game = game
        self._default = {each.key: each.default for each in game.attributes}
        self._number = {each.key + each.variant: at for at, each in enumerate(game.kinds)}
        self.at = {key: game.kinds[number] for key, number in self._number.items()}

    def seen(self, key: str) -> dict[str, str] | None:
        """Return what players see of a component, in words by aspect; None if there is none."""
        if key not in self.at:
            return None
        kind, number = self.at[key], self._number[key]
        count = self._game.copies[number]
        pieces = [each for each in self._game.pieces if each.kind == number]
        starts = Counter(
            short_name(each.start or "") + (f" {each.inner + 1}" if each.inner else "")
            for each in pieces
        )
        found = {
            "copies": str(*count) if len(count) == 1 else copies(count),
            "owner": "a player" if kind.owned else "nobody",
            BEGINS: ", ".join(
                name if len(starts) == 1 else f"{name} {count}"
                for name, count in sorted(starts.items())
            ),
            **self._attributes(kind.attributes),
        }
        if kind.outline is not None:
            found[DRAWING] = self._drawing(kind.outline)
        for face in kind.faces:
            given = self._attributes(face.attributes).items()
            words = (str(face.count), *(f"{name}={value}" for name, value in given))
            found[f"face `{face.name}`"] = " ".join(words)
            if face.outline is not None:
                found[DRAWING] = found.get(DRAWING, "") + self._drawing(face.outline)
        return found

    def _attributes(self, found: Mapping[str, object]) -> dict[str, str]:
        """Return the attributes whose value is not their default, which new ones have, too."""
        return {
            short_name(key): str(value)
            for key, value in sorted(found.items())
            if value != self._default.get(key)
        }

    def _drawing(self, outline: Outline) -> str:
        """Return a drawing as text that is equal for segments in another order."""
        ids = [f"{short_name(each.kind)} {sorted(each.ports)}" for each in outline.segments]

        def named(found: Iterable[int | None]) -> list[str]:
            return sorted("" if each is None else ids[each] for each in found)

        segments = sorted(
            f"{id} {sorted(each.cells)} {self._attributes(each.attributes)} {named(each.borders)} "
            f"{named(each.touches)} {named([each.over])} "
            f"{each.end and (named([each.end.segment]), each.end.rim)}"
            for id, each in zip(ids, outline.segments, strict=True)
        )
        sides = sorted(f"{side} {kind}" for side, kind in outline.sides.items())
        return f"{outline.size} {segments} {sides} {outline.hub} {sorted(outline.agreeing)}"


def _settings(old: LinkedGame, new: LinkedGame) -> Iterator[VersionChange]:
    for key, before, after in _pairs(old.settings, new.settings):
        name, places = f"`{key.replace('/', '.')}`", _places(before, after)
        if before is None:
            assert after is not None, "one of the versions has it"
            text = f"{shown(after.default)} unless chosen; values {_values(after)}"
            yield VersionChange(SETTINGS, ADDED, name, text, Raise.MINOR, *places)
        elif after is None:
            yield VersionChange(SETTINGS, REMOVED, name, "", Raise.MAJOR, *places)
        else:
            if before.default != after.default:
                text = f"default: {shown(after.default)}, was {shown(before.default)}"
                yield VersionChange(SETTINGS, CHANGED, name, text, Raise.MAJOR, *places)
            if before.values != after.values:
                was, now = {*before.values}, {*after.values}
                level = Raise.MAJOR if was - now else Raise.MINOR if now - was else Raise.PATCH
                text = f"values: {_values(after)}, were {_values(before)}"
                yield VersionChange(SETTINGS, CHANGED, name, text, level, *places)


def _values(setting: SettingDef) -> str:
    found = setting.values
    if isinstance(found[0], int) and not isinstance(found[0], bool):
        return f"{found[0]} to {found[-1]}"
    return listed([shown(each) for each in found])


def _declarations(old: LinkedGame, new: LinkedGame, table: str) -> Iterator[VersionChange]:
    """Yield changes of declarations, which other rulesets may use."""
    noun = table.removesuffix("s").replace("_", " ")
    for key, before, after in _pairs(getattr(old, table), getattr(new, table)):
        name, places = f"{noun} `{short_name(key)}`", _places(before, after)
        if before is None or after is None:
            what, level = (ADDED, Raise.PATCH) if before is None else (REMOVED, Raise.MAJOR)
            yield VersionChange(DECLARATIONS, what, name, "", level, *places)
            continue
        absent = [{"there": key not in game.absent} for game in (old, new)]
        for aspect, was in {**vars(before), **absent[0]}.items():
            now = {**vars(after), **absent[1]}[aspect]
            if aspect == "span" or was == now:
                continue
            level = Raise.MAJOR
            if table == "enums":
                level = Raise.MAJOR if {*was} - {*now} else Raise.PATCH
            if (table, aspect) != ("enums", "origins"):
                text = f"{aspect}: {shown(now)}, was {shown(was)}"
                yield VersionChange(DECLARATIONS, CHANGED, name, text, level, *places)


def _roles(old: LinkedGame, new: LinkedGame) -> Iterator[VersionChange]:
    span = old.roles.span, new.roles.span
    if old.numbers != new.numbers:
        level = Raise.MAJOR if {*old.numbers} - {*new.numbers} else Raise.MINOR
        text = f"{numbers(new.numbers)}, was {numbers(old.numbers)}"
        yield VersionChange(PIECES, CHANGED, "players", text, level, *span)
    for aspect in ("colours", "fewest", "limit", "play", "finish", "score"):
        was, now = getattr(old.roles, aspect), getattr(new.roles, aspect)
        if was != now:
            text = f"{shown(now)}, was {shown(was)}"
            yield VersionChange(DECLARATIONS, CHANGED, aspect, text, Raise.MAJOR, *span)
    for ruleset in new.rulesets:
        for earlier in (each for each in old.rulesets if each.id == ruleset.id):
            yield from _header(earlier, ruleset)


def _header(old: Ruleset, new: Ruleset) -> Iterator[VersionChange]:
    """Yield changes of what a ruleset goes together with, and of what it says about itself."""
    span = old.manifest.span, new.manifest.span
    needs = [{each.name for each in ruleset.needs} for ruleset in (old, new)]
    refuses = [
        {other.name for each in ruleset.exclusions for other in each.others}
        for ruleset in (old, new)
    ]
    for aspect, (was, now) in {"needs": needs, "refuses": refuses}.items():
        if was != now:
            level = Raise.MAJOR if now - was else Raise.MINOR
            text = f"{shown(sorted(now))}, was {shown(sorted(was))}"
            yield VersionChange(DECLARATIONS, CHANGED, f"`{new.id}` {aspect}", text, level, *span)
    if {*old.bounds} != {*new.bounds}:
        ends = {each.version for each in (*old.bounds, *new.bounds)}
        every = {(0, 0, 0), *ends, *((*end[:2], end[2] + 1) for end in ends)}
        lost = any(
            not bound.allows(at)
            and all(each.allows(at) for each in old.bounds if each.ruleset == bound.ruleset)
            for bound in new.bounds
            for at in (".".join(map(str, each)) for each in every)
        )
        level = Raise.MAJOR if lost else Raise.MINOR
        words = [f"{e.ruleset} {e.sign} {'.'.join(map(str, e.version))}" for e in new.bounds]
        yield VersionChange(
            DECLARATIONS, CHANGED, f"`{new.id}` versions", shown(words), level, *span
        )
    for aspect, before, after in zip(old.credits._fields, old.credits, new.credits, strict=True):
        if before != after:
            yield VersionChange(TEXTS, CHANGED, aspect, shown(after), Raise.PATCH, *span)


def _texts(old: LinkedGame, new: LinkedGame) -> Iterator[VersionChange]:
    for table in ("labels", "lines"):
        before, after = getattr(old, table), getattr(new, table)
        for language in {**before, **after}:
            was, now = before.get(language, {}), after.get(language, {})
            yield from _entries(was, now, f"{table.removesuffix('s')} `{{}}` ({language})", True)
    yield from _entries(old.styles, new.styles, "drawing of `{}`", False)


def _entries(
    old: Mapping[str, object], new: Mapping[str, object], name: str, told: bool
) -> Iterator[VersionChange]:
    for key in {**old, **new}:
        was, now = old.get(key), new.get(key)
        if was == now:
            continue
        what = ADDED if was is None else REMOVED if now is None else CHANGED
        text = "" if not told or now is None else str(now) + (f", was {was}" if was else "")
        yield VersionChange(TEXTS, what, name.format(short_name(key)), text, Raise.PATCH)


def shown(value: object) -> str:
    """Return a value in words."""
    if isinstance(value, frozenset):
        value = sorted(value, key=str)
    if isinstance(value, list | tuple):
        return ", ".join(map(shown, value)) or "none"
    return nodes.shown(value)


# --- rules ---------------------------------------------------------------------------------------


def _rules(old: RuleForms, new: RuleForms) -> Iterator[VersionChange]:
    """Yield the rules that differ in meaning; those of the same key are paired in order."""
    kept = Counter(each.form for each in old.rules) & Counter(each.form for each in new.rules)
    groups = defaultdict[tuple[str, ...], tuple[list[RuleForm], list[RuleForm]]](lambda: ([], []))
    for side, rules in enumerate((old.rules, new.rules)):
        for each in rules:
            groups[each.key][side].append(each)
    for before, after in groups.values():
        same = Counter(each.form for each in before) & Counter(each.form for each in after)
        pairs = zip_longest(_without(before, same), _without(after, same))
        for was, now in pairs:
            yield _rule(was, now)
    for key in old.orders.keys() & new.orders.keys():
        places = {form: at for at, form in enumerate(old.orders[key])}
        both = combinations([form for form in new.orders[key] if form in places], 2)
        if new.meet(key, [pair for pair in both if places[pair[0]] > places[pair[1]]]):
            yield _moved(" of ".join(key[:2]), "run")
    lost = {(name, one, two) for name, one, two in old.beaten if kept[one] and kept[two]}
    for name in sorted({name for name, one, two in lost if (name, two, one) in new.beaten}):
        yield _moved(name, "beat each other")


def _without(rules: Sequence[RuleForm], same: Counter[object]) -> list[RuleForm]:
    """Return the rules without those that are the same in the other version."""
    left = same.copy()
    found = []
    for each in rules:
        if left[each.form]:
            left[each.form] -= 1
        else:
            found.append(each)
    return found


def _rule(was: RuleForm | None, now: RuleForm | None) -> VersionChange:
    what = ADDED if was is None else REMOVED if now is None else CHANGED
    one = now or was
    assert one is not None, "a pair has a rule"
    lost = one.open if now is None else was is not None and was.secret != now.secret
    level = Raise.MAJOR if lost else Raise.PATCH
    return VersionChange(
        RULES, what, one.name, "", level, was.span if was else None, now.span if now else None
    )


def _moved(name: str, do: str) -> VersionChange:
    return VersionChange(RULES, CHANGED, name, f"they {do} in another order", Raise.PATCH)
