"""Manifests against their schema: every mistake once, in its place; nothing breaks the reader."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from rulesdsl.language.diagnostics import Report, Source
from rulesdsl.language.model.nodes import plain
from rulesdsl.language.read.files import FileProblem, decode
from rulesdsl.language.read.manifest import ManifestHeader, peek, version_bounds
from rulesdsl.language.read.yaml import parse_yaml
from tests.small_games import parse_manifest

HERE = Path(__file__).parent
MISTAKES = yaml.safe_load((HERE / "manifest_mistakes.yaml").read_text(encoding="utf-8"))
SPECIFICATION = (HERE.parent.parent / "docs" / "reference" / "language.md").read_text(
    encoding="utf-8"
)
EXAMPLE = re.findall(r"```yaml\n(.*?)```", SPECIFICATION, re.S)[0]
HEAD = "ruleset: a\nedition: 1\nversion: 1.0.0\n"


def found(text: str) -> list[str]:
    report = Report()
    parse_manifest(Source("f.yaml", text), report)
    return [f"{d.slug} {d.span.line}:{d.span.column} {d.message}" for d in report if d.span]


@pytest.mark.parametrize("case", MISTAKES, ids=[case["why"] for case in MISTAKES])
def test_mistakes(case: dict[str, Any]) -> None:
    assert found(case["text"]) == case["found"]


def test_entries_with_each_are_bounded_together() -> None:
    entries = "".join(f"- {{id: a{i}, each: {{n: 1..4000}}}}\n" for i in range(2000))
    assert found(f"{HEAD}cards:\n{entries}") == [
        "too-large 6:18 `each` stands for more than 5000 members in this manifest"
    ]


def test_a_label_of_an_entry_with_each_is_written_for_its_members() -> None:
    text = (
        "enums: {suit: [cups, coins]}\n"
        "cards: [{id: c, each: {suit: suit, rank: 1..2}}]\n"
        "dice: [{id: d, faces: [{id: f, each: {pips: 1..2}}]}]\n"
        "labels:\n"
        "  en: {c: '{rank} of {suit}', suit.cups: Cups | many, c-coins-1: Ace, d.f: '{pips}'}\n"
        "  es: {c: '{rank} de {suit}', coins: oros}\n"
        "draw: {c: {fill: red}, f: {fill: blue}}\n"
    )
    report = Report()
    read = parse_manifest(Source("a.yaml", HEAD + text), report)
    assert read is not None, list(report)
    manifest: Any = plain(read)
    assert manifest["labels"] == {
        "en": {
            "c-cups-1": "1 of Cups",
            "c-cups-2": "2 of Cups",
            "c-coins-2": "2 of coins",
            "suit.cups": "Cups | many",
            "c-coins-1": "Ace",
            "d.f-1": "1",
            "d.f-2": "2",
        },
        "es": {
            "c-cups-1": "1 de Cups",
            "c-cups-2": "2 de Cups",
            "c-coins-1": "1 de oros",
            "c-coins-2": "2 de oros",
            "coins": "oros",
        },
    }
    assert [*manifest["draw"]] == ["c-cups-1", "c-cups-2", "c-coins-1", "c-coins-2", "f-1", "f-2"]


def test_texts_of_members_are_bounded() -> None:
    languages = "".join(f"  {a}{b}: {{c: x}}\n" for a in "abcdefgh" for b in "abcdefgh")
    text = f"cards: [{{id: c, each: {{rank: 1..4000}}}}]\nlabels:\n{languages}"
    assert found(HEAD + text) == [
        "too-large 11:8 members of `each` have more than 20000 texts and styles"
    ]


GOOD = [
    "players: {min: 1, max: 1, colours: [x]}\ngame: {play: p, finish: f, score: player.s}",
    "settings:\n  a: {default: 1, range: [-1, 2]}\n  b: {default: true}\n"
    "  c: {default: x, values: [x, y]}",
    "attributes: {a: {of: [tile, card], type: 'good?'}, b: {of: face, type: int 0..9}}",
    "grids: {g: {holds: [tile, die], match: any, touch: false, size: [5, 5], per: player}}",
    "zones: {z: {holds: card, per: colour, order: true, visible: owner, room: {red: 2}}}",
    "zones: {z: {holds: card, room: 3 if settings.a else 4, when: settings.a}}",
    "tracks: {t: {length: 50, loop: true, holds: figure}}",
    "tables: {t: [1, 2], u: {from: 1, values: [3]}}",
    "tiles: [{id: 1a-b_c, size: [2, 1], lane: ['r0c0.N'], worth: 2, name: x, round: true}]",
    "tiles: [{id: a, lane: [{at: N-S, over: E-W, borders: [b], w: 1}], count: 0, when: false}]",
    "tiles: [{id: a, count: 3, some: [{copies: 1, in: start, w: 2}], in: bag}]",
    "dice: [{id: d, faces: [{id: one, village: [N], pips: 1}, {id: two}]}]",
    "figures: [{id: f, per: player, weight: 2}]\ntokens: [{id: t, count: settings.n}]",
    "extend: {b/t: [{copies: 4, w: 1}, {v: 2}], b/e: [m, n], b/z: {holds: [token]}}",
    "totals: {tiles: 72, cards: 3 if settings.a else 4}",
    "labels: {en: {road-curve: Bend, build.put: 'one | many'}, pt-BR: {a: 'Não'}}",
    "house: true\nrequires: [b]\ninteraction: [c, d]\nrules: a.rules",
]


@pytest.mark.parametrize("text", GOOD)
def test_good_manifests(text: str) -> None:
    assert found(f"{HEAD}{text}\n") == []


def test_the_example_of_the_specification() -> None:
    assert found(EXAMPLE) == []


def test_a_misspelt_key_is_suggested() -> None:
    report = Report()
    parse_manifest(Source("f.yaml", f"{HEAD}settigns: {{}}\n"), report)
    assert [d.help for d in report] == [("did you mean `settings`?",)]


def test_a_value_is_never_dumped_into_a_message() -> None:
    long = "x" * 5000
    for text in (
        f"zz{long}: 1",
        f"rules: [{long}]",
        f"labels: {{en: {{a: {long}}}}}",
        f"house: {long}",
    ):
        assert all(len(message) < 200 for message in found(f"{HEAD}{text}\n"))
        assert found(f"{HEAD}{text}\n")


PEEKS: list[tuple[str, ManifestHeader | None]] = [
    ("ruleset: a\n", ManifestHeader("a")),
    (
        "# c\n\ntiles: [\n}\nruleset: a\nrequires: [b,\n c]\nhouse: true\n",
        ManifestHeader("a", ("b", "c"), (), True),
    ),
    ("ruleset: a\nrequires: [b,\nc]\n", ManifestHeader("a", ("b", "c"))),
    (
        "ruleset: a\r\ninteraction:\r\n- b\r\n- c\r\ntiles: x: y\r\n",
        ManifestHeader("a", (), (("b", "c"),)),
    ),
    ("{ruleset: a, requires: b}\n", ManifestHeader("a", ("b",))),
    ('"ruleset": a\n', ManifestHeader("a")),
    ("# the ruleset: a\nb: 1\n", None),
    ("a: {ruleset: b}\n", None),
    ("- ruleset: b\n", None),
    ("ruleset: [a]\n", None),
    ("ruleset: 'a\n", None),
    ("nothing\n", None),
]


@pytest.mark.parametrize(("text", "header"), PEEKS)
def test_headers(text: str, header: ManifestHeader | None) -> None:
    assert peek(text) == header


def test_a_large_manifest_is_read_quickly() -> None:
    tiles = "".join(
        f"  - {{id: t{n}, count: {n % 5}, lane: [N-E, {{at: S-W, well: 1}}], village: [N, S]}}\n"
        for n in range(500)
    )
    started = time.process_time()
    assert found(f"{HEAD}tiles:\n{tiles}") == []
    assert time.process_time() - started < 2


@pytest.mark.parametrize(
    "text",
    [
        "requires: [" + "a1, 1, " * 60_000 + "]",
        "extend: {a/b: [" + "1, " * 150_000 + "]}",
        "".join(f"k{n}: 1\n" for n in range(60_000)),
        "tiles: [" + "{x: []}, " * 60_000 + "]",
    ],
    ids=["mixed list", "alternatives", "unknown keys", "missing keys"],
)
def test_a_hostile_manifest_is_refused_in_time(text: str) -> None:
    started = time.process_time()
    assert 0 < len(found(HEAD + text)) <= 100
    assert time.process_time() - started < 20


_BYTES = EXAMPLE.encode()
_CHANGES = st.lists(
    st.tuples(st.integers(0, len(_BYTES)), st.integers(0, 20), st.binary(max_size=4)),
    min_size=1,
    max_size=4,
)


@settings(max_examples=300)
@given(_CHANGES)
def test_no_bytes_break_the_reader(changes: list[tuple[int, int, bytes]]) -> None:
    data = _BYTES
    for at, cut, new in changes:
        data = data[:at] + new + data[at + cut :]
    report = Report()
    try:
        source = decode(data, "f.yaml")
    except FileProblem as problem:
        report.error(problem.slug, problem.message)
        source = Source("f.yaml", "")
    if not report.ok:
        (found,) = report
        assert found.slug in ("file-not-text", "file-empty", "hidden-character")
        return
    manifest = parse_manifest(source, report)
    assert (manifest is None) == (len(report) > 0)
    for each in report:
        assert each.span is not None
        assert 0 <= each.span.start <= each.span.end <= len(source.text)
    assert manifest is None or isinstance(plain(manifest), dict)


@pytest.mark.parametrize(
    ("version", "fits"),
    [
        *(("1.2.0", True), ("1.10.0", True), ("1.1.9", False), ("2.0.0", False)),
        *(("1.x", True), ("1.2", True), ("", True)),  # mistakes that are reported elsewhere
    ],
)
def test_bounds_of_versions(version: str, fits: bool) -> None:
    node = parse_yaml(Source("a.yaml", "[base >= 1.2, < 2]"), Report())
    bounds = list(version_bounds(node))
    assert [each.ruleset for each in bounds] == ["base", "base"]
    assert all(each.allows(version) for each in bounds) == fits
