"""The text of the first files of an expansion."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

from rulesdsl.author.draft import Draft
from rulesdsl.author.names import title
from rulesdsl.author.proof import Measured
from rulesdsl.edition import EDITION
from rulesdsl.model.game import Game
from rulesdsl.model.names import short_name
from rulesdsl.read.shipped import shipped

TILE_ADDS = 2
SETTING_ADDS = 1
"""How much more the first rule gives."""

Attributes = Mapping[str, int | bool | str | None]


@dataclass(frozen=True)
class Wording:
    """What an expansion called `name` of `game` is about, as its files say it; they are for
    `folder`, and find the root with `--path` if `path` says where."""

    name: str
    game: Game
    folder: str
    draft: Draft
    path: str

    @property
    def root(self) -> str:
        """The id of the root."""
        return self.game.roles.ruleset

    @property
    def title(self) -> str:
        """The name for people."""
        return title(self.name)

    @property
    def kind(self) -> str:
        """The kind of feature on the tile; empty without a tile."""
        return self.draft.piece.feature.name if self.draft.piece else ""

    @property
    def special(self) -> str:
        """The attribute that the tile has, or the setting: a name that the root does not use."""
        named = {short_name(key) for labels in self.game.labels.values() for key in labels}
        declared = {each.name for each in (*self.game.attributes, *self.game.settings)}
        words = ("special", "marked") if self.kind else ("extra", "more")
        return next((w for w in words if w not in named | declared | {self.name}), words[0])

    @property
    def tile(self) -> str:
        """The id of the tile."""
        return f"{self.special}-{self.kind}".replace("_", "-")

    @property
    def scene(self) -> str:
        """The scene in which the rule is at work."""
        return self._board(self.tile) if self.kind else ""

    @property
    def other_scene(self) -> str:
        """The scene in which it is not; empty if there is none."""
        if not self.kind:
            return f"settings: {{{self.name}.{self.special}: 0}}\n"
        other = self.draft.piece.other if self.draft.piece else None
        return self._board(other) if other else ""

    def _board(self, tile: str) -> str:
        grid = self.draft.piece.grid if self.draft.piece else None
        named = f", grid: '{grid}'" if grid else ""
        return f"board:\n  - {{piece: {tile}, at: [0, 0]{named}}}\n"

    def command(self, what: str) -> str:
        """A command line that is given in the folder of the files."""
        path = f" --path {self.path}" if self.path else ""
        return f"rulesdsl {what}{path}"

    def modeline(self, schema: str) -> str:
        """What tells editors the schema of a file."""
        return modeline(schema, self.folder)


def modeline(schema: str, folder: str) -> str:
    """What tells editors the schema of a file in a folder: the way to the one that came with the
    program."""
    path = shipped("schemas") / f"{schema}.schema.json"
    try:
        way = os.path.relpath(path, os.path.realpath(folder or ".")).replace(os.sep, "/")
    except ValueError:  # another drive
        way = path.as_uri()
    return f"# yaml-language-server: $schema={way}\n"


def manifest(words: Wording) -> str:
    """What is in the box."""
    return f"""\
{words.modeline("ruleset")}\
# What is in the box of {words.title}, an expansion of {words.root}.
# What changes stands in {words.name}.rules.
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
# What can be so of a {kind}. Call it what it is in your game, here and below.
attributes:
  {special}: {{of: {kind}, default: false}}

# Draw it with: {words.command(f"show tile {words.name}.yaml/{words.tile}")}
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
# What players may choose before they begin. Call it what it is in your game, here and below.
settings:
  {words.special}: {{default: {SETTING_ADDS}, range: [0, 9]}}

labels:
  en:
    {words.name}: {words.title}
    {words.special}: {words.special}
"""


def _written(entries: Attributes) -> str:
    return ", ".join(f"{key}: {_plain(value)}" for key, value in entries.items())


def _plain(value: int | bool | str | None) -> str:
    return str(value).lower() if isinstance(value, bool) or value is None else str(value)


def rules(words: Wording) -> str:
    """What changes."""
    rule = words.draft.rule
    span = rule.value.span
    adds = f" + {TILE_ADDS}" if words.kind else f" + settings.{words.special}"
    guard = f"settings.{words.special} > 0"
    if words.kind:
        guard = f"{rule.feature} is {words.kind} and {rule.feature}.{words.special}"
    place = f"{os.path.basename(span.source.name)}, line {span.line}"
    return f"""\
# What {words.title} changes. Say here when `{rule.name}` is another one, and what it is then;
# `previous` is what it is without this rule ({place}).

refine {rule.name}{rule.params} when {guard}:
    previous{adds if rule.counts else ""}
"""


def scenarios(words: Wording, at_work: Measured | None, not_at_work: Measured | None) -> str:
    """What can be relied on: one scenario with the rule at work, and one without, if there is."""
    found = _scenario(words, _change(words), words.scene, at_work)
    if words.other_scene:
        name = f"{words.draft.rule.name} is as before otherwise"
        found += "\n" + _scenario(words, name, words.other_scene, not_at_work)
    return f"""\
{words.modeline("scenarios")}\
# What a player of {words.title} may rely on. Add one for every rule, before you write the rule.
scenarios: {words.root}
edition: {EDITION}
with: [{words.name}]
tests:

{found}"""


def _change(words: Wording) -> str:
    """What the rule does, in a few words."""
    rule = words.draft.rule
    if words.kind:
        return f"a {words.special} {words.kind} adds {TILE_ADDS} to {rule.name}"
    if rule.counts:
        return f"{words.special} adds {SETTING_ADDS} to {rule.name}"
    return f"{rule.name} may depend on {words.special}"


def _scenario(words: Wording, name: str, scene: str, found: Measured | None) -> str:
    lines = [f"- name: {name}", *(f"  {line}" for line in scene.splitlines()), "  expect:"]
    rule = words.draft.rule
    if found is None:  # not a number: change it, and say here what has become of it
        chosen = "== 0" if scene else f"== {SETTING_ADDS}"
        lines += ["    holds:", f"      - settings.{words.special} {chosen}"]
    elif found.feature:
        lines += ["    features:", f"      {found.feature}:"]
        lines += [f"        - {rule.call} == {found.worth}"]
    else:
        lines += ["    holds:", f"      - {rule.call} == {found.worth}"]
    return "".join(f"  {line}\n" for line in lines)


def page(words: Wording) -> str:
    """What people read first."""
    name, change = words.name, _change(words)
    box = f"2 tiles with a {words.special} {words.kind}." if words.kind else "No components yet."
    return f"""\
# {words.title}

An expansion of `{words.root}`. Say here in two sentences what it adds to the game.

    {words.command(f"run {words.root} --with {name}.yaml")}

## In the box

{box}

## What it changes

- {change[0].upper()}{change[1:]}.
{"" if words.kind else _settings(words)}
## Work on it

Keep this open beside your editor: it shows what each change does, as soon as you save it.

    {words.command(f"dev {name}.yaml")}

1. Say what should happen in `{name}.test.yaml`, as a scenario: a board, and what must hold on it.
2. Put what it needs into the box, `{name}.yaml`: tiles, attributes, settings.
3. Write the rule into `{name}.rules`.
4. See what is wrong, and whether the scenarios show every rule at work:

        {words.command(f"check {name}.yaml")}
        {words.command(f"test {name}.test.yaml --coverage")}
"""


def _settings(words: Wording) -> str:
    what = "what is added" if words.draft.rule.counts else "what you make of it"
    return f"""
## Settings

| setting | values | means |
| --- | --- | --- |
| `{words.special}` | 0 to 9 (default {SETTING_ADDS}) | {what} |
"""
