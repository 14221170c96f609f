"""What stands in a book."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from rulesdsl.language.read.files import shipped
from rulesdsl.play import load
from rulesdsl.show.doc import page
from tests.doc.conftest import RULESETS, BoxOf, Page, book, words

HAMLETS, WELLS = str(RULESETS / "hamlets.yaml"), str(RULESETS / "wells.yaml")
TILES = """\
grids: {board: {holds: tile}}
zones: {bag: {holds: tile, initial: true}}
tiles: [{id: bare, count: 2}]
"""


@pytest.fixture(scope="module")
def hamlets() -> Page:
    return book(HAMLETS, WELLS)


def test_it_needs_nothing_else(hamlets: Page) -> None:
    for tag in ("script", "link", "img", "iframe", "object", "embed"):
        assert not hamlets.all(tag)
    for element in hamlets.root.iter():
        for name, value in element.attrib.items():
            assert not name.startswith("on")
            if name.rpartition("}")[2] in ("href", "src"):
                assert value.startswith("#")
    (style,) = hamlets.all("style")
    assert "url(" not in (style.text or "")
    assert "@import" not in (style.text or "")
    assert "prefers-color-scheme: dark" in (style.text or "")
    assert "@media print" in (style.text or "")


def test_every_link_leads_somewhere(hamlets: Page) -> None:
    ids = [e.get("id") for e in hamlets.root.iter() if e.get("id")]
    assert len(ids) == len(set(ids))
    targets = [e.get("href", "")[1:] for e in hamlets.all("a")]
    assert targets
    assert not set(targets).difference(map(str, ids))


def test_it_is_the_same_each_time(hamlets: Page) -> None:
    assert book(HAMLETS, WELLS).text == hamlets.text


def test_every_declaration_is_told(hamlets: Page) -> None:
    checked = load(HAMLETS, [WELLS], engine="python").checked
    names = [*checked.states, *checked.values, *checked.actions, *checked.choices]
    for name in names:
        entry = hamlets.one(name.replace("/", "."))
        assert name.rpartition("/")[2] in words(entry)
    index = [words(e) for e in hamlets.one("..index").iter("li")]
    assert len(index) == len(names) + len(checked.game.settings)


def test_pieces_have_pictures_counts_and_what_is_special(hamlets: Page) -> None:
    chapter = hamlets.one("wells")
    (figure,) = chapter.iter("figure")
    assert any(e.tag.endswith("svg") for e in figure.iter())
    assert "spring" in words(figure)
    assert "\u00d7 2" in words(figure)
    assert "\u00d7 4 for each player" in hamlets.words("hamlets..box")


def test_settings_have_their_values(hamlets: Page) -> None:
    assert "houses houses of each player 1 … 6 4 4" in hamlets.words("hamlets..settings")
    assert "deep no, yes no no" in hamlets.words("wells..settings")


def test_the_words_of_a_setting_are_told(made: BoxOf) -> None:
    path = made(
        "settings: {pace: {default: slow, values: [slow, fast]}}\n"
        "labels: {en: {pace: how it goes, pace.fast: at a run}}\n"
    )
    told = book(str(path)).words("glade..settings")
    assert "pace how it goes slow, fast (at a run) slow slow" in told


def test_a_value_names_what_changes_it(made: BoxOf) -> None:
    path = made(rules="value prize(p: player) -> int, sum\n")
    (path.parent / "more.yaml").write_text(
        "ruleset: more\nedition: 1\nversion: 1.0.0\nrules: more.rules\nrequires: [glade]\n"
        "labels: {en: {more: More of it}}\n"
    )
    (path.parent / "more.rules").write_text(
        "# Says why.\nadd prize(p) when p.score > 3: 5\nafter game(): nothing\n"
    )
    told = book(str(path), str(path.parent / "more.yaml"))
    value = told.words("glade.prize")
    assert "The results of all rules are added." in value
    assert "no rule of its own" in value
    assert "More of it adds to it, when p.score is more than 3 Says why." in value
    assert "More of it after it" in told.words("glade.game")
    (link,) = (e for e in told.one("more.line-2").iter("h4"))
    assert [e.get("href") for e in link.iter("a")] == ["#glade.prize"]


def test_rules_about_others_that_are_on_are_told_together(made: BoxOf) -> None:
    path = made(rules="value prize(p: player) -> int, sum\n")
    head = "edition: 1\nversion: 1.0.0\nrequires: [glade]\n"
    for name, rules in {
        "amber": "# Of both.\nwith birch:\n    # Says why.\n    add prize(p): more(p)\n"
        "    value more(p: player) -> int: p.score\n    after birch.walk(): nothing\n",
        "birch": "action walk(): nothing\n",
    }.items():
        (path.parent / f"{name}.yaml").write_text(f"ruleset: {name}\nrules: {name}.rules\n{head}")
        (path.parent / f"{name}.rules").write_text(rules)
    alone, both = (book(str(path), *map(str, on)) for on in _with(path.parent))
    assert "more" not in alone.words("amber")
    assert "amber together with birch adds to it" in both.words("glade.prize")
    section = both.words("amber..rules.1")
    assert "Together with birch Of both." in section
    assert "Says why." in section
    assert both.words("amber.more")
    (link,) = (e for e in both.one("amber.line-6").iter("h4"))
    assert [e.get("href") for e in link.iter("a")] == ["#birch.walk"]


def _with(folder: Path) -> tuple[list[Path], list[Path]]:
    amber, birch = (folder / f"{name}.yaml" for name in ("amber", "birch"))
    return [amber], [amber, birch]


def test_a_choice_tells_its_options(hamlets: Page) -> None:
    choice = hamlets.words("hamlets.build")
    assert "decides active" in choice
    assert "may choose k: kinds(home[active])" in choice
    assert "s is a village and free(s) holds" in choice
    assert "pass “build nothing” when at any time" in choice


def test_comments_are_told_where_they_belong(made: BoxOf) -> None:
    told = book(
        str(
            made(
                about="# yaml-language-server: $schema=x\n# About `the` game.\n",
                rules="\n# --- the end of it ---\n\n# Apart.\n\n# Of the prize.\n"
                "value prize() -> int: 3\n",
            )
        )
    )
    chapter = told.words("glade")
    assert "About the game." in chapter
    assert "schema" not in chapter
    section = told.words("glade..rules.1")
    assert re.search(r"The end of it Apart\. value prize Of the prize\.", section)
    assert "The end of it" in words(told.all("nav")[0])


def test_a_scenario_is_an_example(made: BoxOf) -> None:
    told = book(
        str(
            made(
                manifest=TILES,
                rules="choice ask() by first(players):\n    option stay\n",
                tests="tests:\n  # --- first things ---\n\n  # Said of it.\n"
                "  - name: a tile lies there\n    players: 3\n"
                "    board: [{piece: bare, at: [0, 0]}]\n"
                "    expect:\n      scores: {red: 0}\n      holds: [count(bag) == 1]\n",
            )
        )
    )
    (example,) = told.all("article", class_="example")
    assert "First things" in words(told.one("glade"))
    text = words(example)
    for part in ("a tile lies there", "Said of it.", "3 players", "points red: 0", "holds count"):
        assert part in text
    assert "glade.test.yaml, line 7" in text
    assert any(e.tag.endswith("svg") for e in example.iter())


def test_what_pictures_have_in_common_stands_there_once(made: BoxOf) -> None:
    test = "  - {name: it, board: [{piece: bare, at: [0, 0]}], expect: {mover: nobody}}\n"
    told = book(str(made(manifest=TILES, tests=f"tests:\n{test}{test.replace('it', 'more', 1)}")))
    uses = [e.get("href", "") for e in told.root.iter() if e.tag.endswith("use")]
    ids = [e.get("id", "") for e in told.root.iter() if e.get("id", "").startswith("picture.")]
    assert len(uses) >= 4
    assert sorted({*uses}) == sorted(f"#{id}" for id in ids)


def test_its_own_words_and_the_labels_are_in_the_language_asked_for(made: BoxOf) -> None:
    path = str(
        made(
            "labels: {en: {glade: The glade}, es: {glade: El claro}}\n"
            "settings: {a: {default: true}}\n"
        )
    )
    spanish = book(path, language="es")
    assert spanish.all("html", lang="es")
    assert words(spanish.all("h1")[0]) == "El claro"
    assert "Ajustes" in words(spanish.one("glade"))
    other = book(path, language="qq")
    assert words(other.all("h1")[0]) == "The glade"


def test_what_a_stranger_wrote_is_never_markup(made: BoxOf) -> None:
    evil = "</code></style><script>alert(1)</script><img src=x onerror=alert(1)>&amp;"
    quoted = f"'{evil}'"
    told = book(
        str(
            made(
                about=f"# {evil}\n",
                manifest=f"{TILES}settings: {{a: {{default: true}}}}\n"
                f"labels: {{en: {{glade: {quoted}, a: {quoted}, bare: {quoted}, ask: {quoted}, "
                f"ask.stay: {quoted}, bag: {quoted}}}}}\n",
                rules=f"\n# --- {evil} ---\n\n# {evil}\nchoice ask() by first(players):  # {evil}\n"
                f"    option stay when settings.a == settings.a\n",
                tests=f"tests:\n  # {evil}\n  - name: {quoted}\n    expect: {{mover: nobody}}\n",
            )
        )
    )
    assert not told.all("script")
    assert not told.all("img")
    assert len(told.all("style")) == 1
    assert told.text.count("&lt;script&gt;") > 10
    assert "<script" not in told.text
    assert "&amp;amp;" in told.text


@pytest.mark.long
@pytest.mark.parametrize(
    "names",
    [
        ("base", "crop_circles", "hills_and_sheep", "inns_and_cathedrals", "river", "robbers"),
        ("base", "traders_and_builders", "wheel_of_fortune"),
        ("card_game",),
        ("dice_game",),
    ],
)
@pytest.mark.parametrize("language", ["en", "es"])
def test_every_shipped_ruleset_has_a_book(names: tuple[str, ...], language: str) -> None:
    told = book(*names, language=language)
    ids = {e.get("id") for e in told.root.iter()}
    assert not {e.get("href", "")[1:] for e in told.all("a")} - ids
    scenarios = sum(
        (Path(str(shipped("rulesets"))) / f"{name}.test.yaml").read_text().count("- name:")
        for name in names
    )
    assert len(told.all("article", class_="example")) >= scenarios


def test_scenarios_that_cannot_be_read_are_said(made: BoxOf) -> None:
    from rulesdsl.language.diagnostics import RulesError

    path = made(tests="tests: []\n")
    with pytest.raises(RulesError):
        page(load(path, engine="python"))
