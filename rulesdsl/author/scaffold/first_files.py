"""The first files of expansions and games, and archives of rulesets."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator, Mapping, Sequence
from io import BytesIO
from tempfile import TemporaryDirectory
from typing import NamedTuple
from zipfile import ZIP_STORED, ZipFile, ZipInfo

from rulesdsl.base.records import dataclass
from rulesdsl.base.writing import create_all
from rulesdsl.engine.build.stages import expression
from rulesdsl.engine.run import READY_ENGINE
from rulesdsl.language.builtins import why_taken
from rulesdsl.language.diagnostics import Diagnostic, Report, RulesError, Source
from rulesdsl.language.model import game as model
from rulesdsl.language.model import nodes
from rulesdsl.language.model.checked import Checked, IsKind, ValueDef, walk
from rulesdsl.language.model.game import FeatureKindDef, Ruleset
from rulesdsl.language.model.geometry import Shape
from rulesdsl.language.model.names import short_name
from rulesdsl.language.model.nodes import Scalar
from rulesdsl.language.model.types import FEATURE, INT, PLAYER, IntType, Type
from rulesdsl.language.model.values import Value
from rulesdsl.language.read.files import (
    CHECKSUMS,
    MAX_IMAGE,
    SUFFIX,
    DiskFolder,
    FileProblem,
    checksums,
    shipped,
    unpacked,
    user_file,
)
from rulesdsl.language.read.find import (
    GOLDEN_SUFFIX,
    SCENARIO_SUFFIXES,
    FolderSearch,
    search_folders,
)
from rulesdsl.language.read.manifest import EDITION, without_editor_lines
from rulesdsl.language.read.yaml import parse_yaml
from rulesdsl.play import Game, PlayError, load
from rulesdsl.play.scenario import read_scenarios
from rulesdsl.play.scenario.outcome import Failed
from rulesdsl.play.scenario.scene import set_scene

# --- all first files -----------------------------------------------------------------------------

_ID = re.compile(r"[a-z][a-z0-9_]{0,59}")
ENDINGS = ("yaml", "rules", "test.yaml", "md")
"""The endings of the first files of a ruleset."""


def check_name(name: str) -> None:
    """Raise RulesError if a name is not an id."""
    if not _ID.fullmatch(name):
        raise refused(
            f"`{name}` is not a valid id",
            "use up to 60 lower-case letters, digits and `_`, a letter first: `my_expansion`",
        )
    if reason := why_taken(name, "ruleset"):
        raise refused(reason)


def check_free(name: str, folder: str, paths: Sequence[str]) -> None:
    """Raise RulesError if a ruleset has this id, or if a file to be made exists.

    Rulesets are looked up in the folder, in `paths` and in the usual places.
    """
    search = FolderSearch(search_folders([DiskFolder.at(folder)], paths, Report()))
    if taken := search.by_id(name):
        raise refused(f"a ruleset `{name}` exists: `{taken[0].shown}`", "choose another name")
    for ending in ENDINGS:
        file = os.path.join(folder, f"{name}.{ending}")
        if os.path.lexists(file):
            raise refused(f"there is a file `{file}`", "name another folder with `--folder`")


def title(name: str) -> str:
    """Return an id as people write it."""
    return name.replace("_", " ").capitalize()


def refused(message: str, *help: str) -> RulesError:
    """Return the error that says why no files are made."""
    return RulesError([Diagnostic("bad-argument", message, help=help)])


_MOVES = 300
"""The number of moves to play to see that a game works."""


class Measured(NamedTuple):
    """The number that a value gives in a scene, and the name of the feature asked about, if any."""

    feature: str
    worth: int


def plays(game: Game) -> bool:
    """Return whether a random game goes on for a while without a rule failing."""
    try:
        list(game.playouts(range(1), limit=_MOVES))
    except PlayError:
        return False
    return True


def measured(game: Game, scene: str, call: str, kind: str = "") -> Measured | None:
    """Return the number that `call` gives in a scene, a mapping in YAML.

    If a kind is named, `f` is the first feature of that kind. None if there is no such number.
    """
    test = parse_yaml(Source("", scene), Report())
    types, values, name = dict[str, Type](), dict[str, Value](), ""
    try:
        state = game.start()
        if isinstance(test, nodes.Mapping):
            set_scene(state, test)
        if kind:
            named = ((str(state.names.full(each)), each) for each, _ in state.position.features())
            name, values["f"] = next((n, f) for n, f in named if n.startswith(f"{kind}@"))
            types["f"] = FEATURE
        span = Source("", call).span(0, len(call))
        asked = expression(span, game.checked, INT, types, Report())
        worth = None if asked is None else state.position.evaluate(asked, values)
    except (Failed, PlayError):
        return None
    return Measured(name, worth) if isinstance(worth, int) else None


def holds(scenarios: str, folder: str, paths: Sequence[str], engine: str) -> bool:
    """Return whether all scenarios hold, in a folder with the rulesets that they are about."""
    source = Source(os.path.join(folder, "new.test.yaml"), scenarios)
    try:
        return all(each.run().passed for each in read_scenarios(source, paths, engine))
    except RulesError:
        return False


# --- expansions ----------------------------------------------------------------------------------

PORTS = {Shape.LINE: "N-S", Shape.AREA: "N", Shape.INSIDE: "I"}
"""The ports of a first segment of each shape."""

Attributes = Mapping[str, int | bool | str | None]


@dataclass(frozen=True)
class RefinedRule:
    """A rule that refines `value` of the root; scenarios call it as `call`.

    `counts` is True if it gives a number, to which something can be added.
    """

    value: ValueDef
    call: str
    counts: bool

    @property
    def name(self) -> str:
        return short_name(self.value.key)

    @property
    def feature(self) -> str:
        """The name of its first parameter that is a feature; empty if there is none."""
        names = (each.name for each in self.value.params if each.type == FEATURE)
        return next(names, "")

    @property
    def params(self) -> str:
        """The names of its parameters, as a rule writes them."""
        return f"({', '.join(each.name for each in self.value.params)})"


@dataclass(frozen=True)
class FirstTile:
    """A tile with one segment of a kind of feature, drawn as `at`.

    Tile and segment have the attributes that the root requires of them. The tile lies on the first
    cell of a grid, which scenarios name if they must. `other` is a tile of the root that shows such
    a feature, None if there is none.
    """

    feature: FeatureKindDef
    at: str
    of_tile: Attributes
    of_segment: Attributes
    grid: str | None
    other: str | None


@dataclass(frozen=True)
class FirstRule:
    """A first rule, about a tile of its own, or (None) about a setting."""

    rule: RefinedRule
    piece: FirstTile | None


def drafts(checked: Checked) -> Iterator[FirstRule]:
    """Yield the drafts to try, the best first.

    They are a tile whose feature has another value, a number that a setting raises, and any value,
    unchanged.
    """
    found = [
        rule
        for key, value in checked.values.items()
        if key not in checked.actions and (rule := _rule(value, checked.game))
    ]
    counting = sorted((rule for rule in found if rule.counts), key=_fitness)
    everywhere = _kinds((*checked.values.values(), *checked.actions.values()))
    for rule in counting:
        if rule.feature:
            for piece in _pieces(checked.game, [*_kinds(rule.value.rules), *everywhere]):
                yield FirstRule(rule, piece)
    yield from (FirstRule(rule, None) for rule in counting if not rule.feature)
    yield from (FirstRule(rule, None) for rule in found if not rule.counts)


def _fitness(rule: RefinedRule) -> tuple[int, bool, bool]:
    """Return the sort key of a rule.

    Rules whose value tells most kinds of features apart come first, then those whose first
    parameter is a feature, and then those whose value is unbounded.
    """
    about = [each.type for each in rule.value.params]
    return -len(_kinds(rule.value.rules)), about[:1] != [FEATURE], rule.value.type != INT


def _rule(value: ValueDef, game: model.LinkedGame) -> RefinedRule | None:
    """Return a rule for a value that falls back on another rule.

    None if there is nothing to refine, or if scenarios cannot call a value that gives a number.
    """
    if value.policy != "unique" or not value.rules:
        return None
    words: dict[Type, str] = {FEATURE: "f", PLAYER: game.roles.colours[0]}
    given = [words.get(each.type, "") for each in value.params]
    counts = isinstance(value.type, IntType)
    if counts and "" in given:
        return None
    return RefinedRule(value, f"{short_name(value.key)}({', '.join(given)})", counts)


def _kinds(tree: object) -> list[str]:
    """Return the kinds of features that rules tell apart, each once, in order."""
    nodes = (node for node in walk(tree) if isinstance(node, IsKind))
    return list(dict.fromkeys(node.name for node in nodes if node.test == "feature"))


def _pieces(game: model.LinkedGame, first: list[str]) -> Iterator[FirstTile]:
    """Yield a tile for every kind of feature that can be drawn, those in `first` before others."""
    grid = next((each for each in game.grids if "tile" in each.holds), None)
    tiles = [each for each in game.kinds if each.cls == "tile" and each.outline]
    if grid is None or not tiles:
        return
    # Scenarios name the grid if each player has one (then the first one's) or there are several.
    named = grid.name if len(game.grids) > 1 else None
    if grid.owned:
        named = f"{grid.name}[{game.roles.colours[0]}]"
    drawn = ((tile.name, tile.outline) for tile in tiles if tile.outline)
    segments = [(name, segment) for name, outline in drawn for segment in outline.segments]
    order = [*first, *(kind.key for kind in game.feature_kinds)]
    for kind in sorted(game.feature_kinds, key=lambda kind: order.index(kind.key)):
        if kind.shape.shape in PORTS:
            shown = [(name, each.attributes) for name, each in segments if each.kind == kind.key]
            yield FirstTile(
                kind,
                PORTS[kind.shape.shape],
                _needed(game, "tile", tiles[0].attributes),
                _needed(game, kind.key, shown[0][1] if shown else {}),
                named,
                shown[0][0] if shown else None,
            )


def _needed(game: model.LinkedGame, owner: str, values: Attributes) -> Attributes:
    """Return the values of the attributes that every such component or segment must have."""
    needed = (each for each in game.attributes if each.required and owner in each.owners)
    return {each.name: values.get(each.key) for each in needed}


TILE_ADDS = 2
SETTING_ADDS = 1
"""The number that the first rule adds."""


@dataclass(frozen=True)
class Wording:
    """The words of an expansion called `name` of `game`, for the texts of its files.

    The files are for `folder`, and find the root with `--path` if `path` is not empty.
    """

    name: str
    game: model.LinkedGame
    folder: str
    draft: FirstRule
    path: str

    @property
    def root(self) -> str:
        return self.game.roles.ruleset

    @property
    def title(self) -> str:
        return title(self.name)

    @property
    def kind(self) -> str:
        """The kind of feature on the tile; empty without a tile."""
        return self.draft.piece.feature.name if self.draft.piece else ""

    @property
    def special(self) -> str:
        """The attribute of the tile, or the setting, with a name that the root does not use."""
        named = {short_name(key) for labels in self.game.labels.values() for key in labels}
        declared = {each.name for each in (*self.game.attributes, *self.game.settings)}
        words = ("special", "marked") if self.kind else ("extra", "more")
        return next((w for w in words if w not in named | declared | {self.name}), words[0])

    @property
    def tile(self) -> str:
        return f"{self.special}-{self.kind}".replace("_", "-")

    @property
    def scene(self) -> str:
        """The scene in which the rule applies."""
        return self._board(self.tile) if self.kind else ""

    @property
    def other_scene(self) -> str:
        """The scene in which the rule does not apply; empty if there is none."""
        if not self.kind:
            return f"settings: {{{self.name}.{self.special}: 0}}\n"
        other = self.draft.piece.other if self.draft.piece else None
        return self._board(other) if other else ""

    def _board(self, tile: str) -> str:
        grid = self.draft.piece.grid if self.draft.piece else None
        named = f", grid: '{grid}'" if grid else ""
        return f"board:\n  - {{piece: {tile}, at: [0, 0]{named}}}\n"

    def command(self, what: str) -> str:
        """Return a command line for the folder of the files."""
        path = f" --path {self.path}" if self.path else ""
        return f"rulesdsl {what}{path}"

    def modeline(self, schema: str) -> str:
        """Return the line that names the schema of a file to editors."""
        return modeline(schema, self.folder)


def modeline(schema: str, folder: str) -> str:
    """Return the line that names the schema of a file in a folder to editors.

    It has the path of the schema that came with the program.
    """
    path = shipped("schemas") / f"{schema}.schema.json"
    try:
        way = os.path.relpath(path, os.path.realpath(folder or ".")).replace(os.sep, "/")
    except ValueError:  # another drive
        way = path.as_uri()
    return f"# yaml-language-server: $schema={way}\n"


def manifest(words: Wording) -> str:
    """Return the text of the manifest."""
    return f"""\
{words.modeline("ruleset")}\
# The components of {words.title}, an expansion of {words.root}.
# Its rules are in {words.name}.rules.
ruleset: {words.name}
edition: {EDITION}
version: 0.1.0
rules: {words.name}.rules
requires: [{words.root}]

{_tile(words) if words.kind else _setting(words)}"""


def _tile(words: Wording) -> str:
    piece, special, kind = words.draft.piece, words.special, words.kind
    assert piece is not None, "there is one of that kind"
    of_segment = _written({"at": piece.at, special: True, **piece.of_segment})
    entry = _written({"id": words.tile, "count": 2, **piece.of_tile})
    return f"""\
# An attribute of a {kind}. Rename it for your game, here and below.
attributes:
  {special}: {{of: {kind}, default: false}}

# Draw it with: {words.command(f"show piece {words.name}.yaml/{words.tile}")}
tiles:
  - {{{entry}, {kind}: [{{{of_segment}}}]}}

labels:
  en:
    {words.name}: {words.title}
    {special}: {special}
    {words.tile}: {special} {kind}
"""


def _setting(words: Wording) -> str:
    return f"""\
# A setting that players choose before the game. Rename it for your game, here and below.
settings:
  {words.special}: {{default: {SETTING_ADDS}, range: [0, 9]}}

labels:
  en:
    {words.name}: {words.title}
    {words.special}: {words.special}
"""


def _written(entries: Attributes) -> str:
    return ", ".join(f"{key}: {nodes.shown(value)}" for key, value in entries.items())


def rules(words: Wording) -> str:
    """Return the text of the rules."""
    rule = words.draft.rule
    span = rule.value.span
    adds = f" + {TILE_ADDS}" if words.kind else f" + settings.{words.special}"
    guard = f"settings.{words.special} > 0"
    if words.kind:
        guard = f"{rule.feature} is {words.kind} and {rule.feature}.{words.special}"
    place = f"{os.path.basename(span.source.name)}, line {span.line}"
    return f"""\
# The rules of {words.title}. This one changes `{rule.name}` ({place})
# where its condition holds; `previous` is the result without this rule.

refine {rule.name}{rule.params} when {guard}:
    previous{adds if rule.counts else ""}
"""


def scenarios(words: Wording, at_work: Measured | None, not_at_work: Measured | None) -> str:
    """Return the text of the scenarios: one with the rule applied, and one without if possible."""
    found = _scenario(words, _change(words), words.scene, at_work)
    if words.other_scene:
        name = f"{words.draft.rule.name} is unchanged otherwise"
        found += "\n" + _scenario(words, name, words.other_scene, not_at_work)
    return f"""\
{words.modeline("scenarios")}\
# Tests of {words.title}. Write one for every rule, before you write the rule.
scenarios: {words.root}
edition: {EDITION}
with: [{words.name}]
tests:

{found}"""


def _change(words: Wording) -> str:
    rule = words.draft.rule
    if words.kind:
        return f"a {words.special} {words.kind} adds {TILE_ADDS} to {rule.name}"
    if rule.counts:
        return f"{words.special} adds {SETTING_ADDS} to {rule.name}"
    return f"{rule.name} may depend on {words.special}"


def _scenario(words: Wording, name: str, scene: str, found: Measured | None) -> str:
    lines = [f"- name: {name}", *(f"  {line}" for line in scene.splitlines()), "  expect:"]
    rule = words.draft.rule
    if found is None:  # not a number: authors change it and its expectation
        chosen = "== 0" if scene else f"== {SETTING_ADDS}"
        lines += ["    holds:", f"      - settings.{words.special} {chosen}"]
    elif found.feature:
        lines += ["    features:", f"      {found.feature}:"]
        lines += [f"        - {rule.call} == {found.worth}"]
    else:
        lines += ["    holds:", f"      - {rule.call} == {found.worth}"]
    return "".join(f"  {line}\n" for line in lines)


def page(words: Wording) -> str:
    """Return the text of the page that people read first."""
    name, change = words.name, _change(words)
    box = f"2 tiles with a {words.special} {words.kind}." if words.kind else "No components yet."
    return f"""\
# {words.title}

An expansion of `{words.root}`. Describe in two sentences here what it adds to the game.

    {words.command(f"run {words.root} --with {name}.yaml")}

## In the box

{box}

## What it changes

- {change[0].upper()}{change[1:]}.
{"" if words.kind else _settings(words)}
## Work on it

Run this beside your editor: it runs the scenarios after every change that you save.

    {words.command(f"test {name}.test.yaml --watch")}

1. Write a scenario in `{name}.test.yaml`: a board, and what must hold on it.
2. Add the components that it needs to `{name}.yaml`: tiles, attributes, settings.
3. Write the rule in `{name}.rules`.
4. Check the files, and whether the scenarios cover every rule:

        {words.command(f"check {name}.yaml")}
        {words.command(f"test {name}.test.yaml --coverage")}
"""


def _settings(words: Wording) -> str:
    what = "the number that is added" if words.draft.rule.counts else "not used yet"
    return f"""
## Settings

| setting | values | means |
| --- | --- | --- |
| `{words.special}` | 0 to 9 (default {SETTING_ADDS}) | {what} |
"""


def new_expansion(
    name: str, root: str = "base", folder: str = "", paths: Sequence[str] = ()
) -> dict[str, str]:
    """Return the files, as texts by name, of an expansion called `name` of the ruleset `root`.

    `root` is an id, a folder or a manifest; the files are for `folder`: manifest, rules, scenarios
    and a page. They were checked without a finding, their scenarios hold, and a game was played
    with them. Raises RulesError if `name` is not an id or is taken, if one of the files exists, if
    `root` is not a game, or if nothing that it declares allows a first rule.
    """
    check_name(name)
    game = load(root, engine=READY_ENGINE, paths=paths)
    rulesets = game.checked.game.rulesets
    if len(rulesets) > 1:
        help = f"name the game: `--of {rulesets[0].id}`"
        raise refused(f"`{root}` is an expansion itself", help)
    beside = os.path.dirname(rulesets[0].manifest.span.source.name) or "."
    check_free(name, folder, [*paths, beside])
    id = game.checked.game.roles.ruleset
    here = FolderSearch(search_folders([DiskFolder.at(folder)], [], Report())).by_id(id)
    path = "" if here else os.path.relpath(beside, folder or ".").replace(os.sep, "/")
    for draft in drafts(game.checked):
        words = Wording(name, game.checked.game, folder, draft, path)
        if files := _proved(words, root, [*paths, beside]):
            return files
    raise refused(f"`{id}` has nothing that a first rule could refine")


def _proved(words: Wording, root: str, paths: Sequence[str]) -> dict[str, str] | None:
    """Return the files of a draft, None if a check, a game or a scenario fails."""
    name = words.name
    files = {f"{name}.yaml": manifest(words), f"{name}.rules": rules(words)}
    with TemporaryDirectory() as place:
        create_all(place, {file: text.encode() for file, text in files.items()})
        try:
            game = load(
                root, [os.path.join(place, f"{name}.yaml")], engine=READY_ENGINE, paths=paths
            )
        except RulesError:
            return None
        if len(game.report) or not plays(game):
            return None
        files[f"{name}.test.yaml"] = scenarios(words, *_measured(words, game))
        files[f"{name}.md"] = page(words)
        return files if holds(files[f"{name}.test.yaml"], place, paths, READY_ENGINE) else None


def _measured(words: Wording, game: Game) -> tuple[Measured | None, Measured | None]:
    rule = words.draft.rule
    if not rule.counts:
        return None, None
    at_work = measured(game, words.scene, rule.call, words.kind)
    if words.kind:
        other = words.other_scene
        return at_work, measured(game, other, rule.call, words.kind) if other else None
    return at_work, at_work and Measured("", at_work.worth - SETTING_ADDS)


_BESIDE = (*SCENARIO_SUFFIXES, GOLDEN_SUFFIX, ".md")
"""The suffixes of files that belong to the manifest of the same name."""
_TIME = (1980, 1, 1, 0, 0, 0)
_MODE = (stat.S_IFREG | 0o644) << 16


def packed(
    given: str, ruleset: Ruleset, images: Mapping[str, bytes]
) -> tuple[bytes, tuple[str, ...]]:
    """Return an archive of a ruleset, named by its folder or its manifest, and the names in it.

    The archive of a folder holds every file in it and below, that of a manifest its rules, tests
    and page, both the `images` of the ruleset with these bytes; hidden files and archives are left
    out, and so are lines that name a schema to editors. Raises RulesError if a file cannot be read,
    or if there are too many or too large files for an archive to be opened.
    """
    folder = DiskFolder.at(given) if os.path.isdir(given) else user_file(given)[0]
    names = _below(given) if os.path.isdir(given) else _belonging(given, folder, ruleset)
    made = {_slashed(name): data for name, data in images.items()}
    try:
        files = {
            name: made[name] if name in made else folder.read(name, MAX_IMAGE)
            for name in sorted({*names, *made})
        }
        for name in files.keys() - made.keys():
            if name.endswith((".yaml", ".yml")):  # paths of one machine are left out
                files[name] = without_editor_lines(files[name])
        data = _zipped(files)
        unpacked(data, given)
    except FileProblem as problem:
        found = Diagnostic(problem.slug, problem.message, problem.span, help=problem.help)
        raise RulesError([found]) from None
    return data, tuple(files)


def _slashed(path: str) -> str:
    return os.path.normpath(path).replace(os.sep, "/")


def _below(path: str) -> Iterator[str]:
    for place, folders, names in os.walk(path):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in names:
            if not name.startswith(".") and not name.endswith(SUFFIX) and name != CHECKSUMS:
                yield os.path.relpath(os.path.join(place, name), path).replace(os.sep, "/")


def _belonging(given: str, folder: DiskFolder, ruleset: Ruleset) -> Iterator[str]:
    manifest = user_file(given)[1]
    yield manifest
    rules = ruleset.manifest.get("rules")
    if isinstance(rules, Scalar):
        yield _slashed(str(rules.value))
    stem = manifest.rpartition(".")[0]
    own = {f"{stem}{end}" for end in _BESIDE}
    for name in folder.files():
        if name in own or (name.startswith(f"{stem}.book.") and name.endswith(".md")):
            yield name


def _zipped(files: Mapping[str, bytes]) -> bytes:
    """Return a ZIP archive without compression, as programs compress differently."""
    out = BytesIO()
    with ZipFile(out, "w", ZIP_STORED) as archive:
        for name, data in sorted({**files, CHECKSUMS: checksums(files)}.items()):
            entry = ZipInfo(name, _TIME)
            entry.create_system, entry.external_attr = 3, _MODE
            archive.writestr(entry, data)
    return out.getvalue()
