"""What names mean, where they stand, and what there is to say about them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from rulesdsl.author.lsp.family import Family, Refused, renamed
from rulesdsl.author.lsp.hover import aggregate_at, hover
from rulesdsl.author.lsp.workspace import Fold, Workspace, folds, tokens
from rulesdsl.language.diagnostics import Span
from rulesdsl.language.model.uses import Symbol
from rulesdsl.language.parse.grammar import WORDS
from tests.errors.test_mistakes import FILES
from tests.rulesets.shipped import FOLDER, ROOTS

NAME = re.compile(r"[A-Za-z_]\w*")
REMARK = re.compile(r"#[^\n]*")


def opened(folder: Path, files: dict[str, str]) -> Workspace:
    studio = Workspace()
    for name, text in files.items():
        studio.open(str(folder.resolve() / name), text)
    return studio


def test_names_in_a_block_about_a_stranger(tmp_path: Path) -> None:
    rules = (
        "with other:\n    after cheer(): boast(level())\n    order other.turn before more.turn\n"
        "    action boast(n: int): nothing\n    value level() -> int: other.level() + 1\n"
    )
    other = "action cheer(): nothing\nbefore turn(): cheer()\nvalue level() -> int: 7\n"
    head = "ruleset: other\nedition: 1\nversion: 1.0.0\nrequires: [game]\nrules: other.rules\n"
    files = {**FILES, "other.yaml": head, "other.rules": other}
    files["more.rules"] += rules
    studio = opened(tmp_path, files)
    path = str(tmp_path.resolve() / "more.rules")
    start = files["more.rules"].count("\n", 0, files["more.rules"].index(rules))

    def at(text: str) -> list[str]:
        found = studio.family(path).index.at(path, files["more.rules"].index(text))
        assert found is not None
        uses = studio.family(path).index.of(found.symbol)
        places = ((Path(use.span.source.name).name, use.span.line, use.declares) for use in uses)
        return sorted(
            f"{name}:{line - (start if name == 'more.rules' else 0)}{' declared' * declares}"
            for name, line, declares in places
        )

    assert at("cheer(): boast") == ["more.rules:2", "other.rules:1 declared", "other.rules:2"]
    assert at("boast(level") == ["more.rules:2", "more.rules:4 declared"]
    assert at("level())") == ["more.rules:2", "more.rules:5 declared"]
    assert at("level() + 1") == ["more.rules:5", "other.rules:3 declared"]
    assert at("other:") == ["more.rules:1", "more.rules:3", "more.rules:5", "other.yaml:1 declared"]
    game = studio.own(path)
    edits = renamed(studio.family(path), symbol(game, "action", "cheer"), "shout")
    assert {Path(name).name for name in edits} == {"more.rules", "other.rules"}


@pytest.fixture(scope="module")
def family(tmp_path_factory: pytest.TempPathFactory) -> Family:
    folder = tmp_path_factory.mktemp("rulesets")
    return opened(folder, FILES).family(str(folder.resolve() / "game.yaml"))


def symbol(family: Family, what: str, name: str) -> Symbol:
    found = [each for each in family.index.symbols if (each.what, each.name) == (what, name)]
    assert len(found) == 1, found
    return found[0]


def link(span: Span) -> str:
    return f"{Path(span.source.name).name}:{span.line}"


def places(family: Family, what: str, name: str) -> list[str]:
    uses = family.index.of(symbol(family, what, name))
    return [f"{link(use.span)}{' declared' if use.declares else ''}" for use in uses]


def line(name: str, text: str) -> str:
    """Where a text stands, as `link` has it."""
    content = FILES[name]
    assert content.count(text) == 1
    return f"{name}:{content.count(chr(10), 0, content.index(text)) + 1}"


@pytest.mark.parametrize("root", ROOTS)
def test_every_name_in_rules_has_a_meaning(root: str) -> None:
    family = Workspace().family(str(FOLDER / f"{root}.yaml"))
    assert len(family.examined.rulesets) > 1 or root != "base"
    for ruleset in family.examined.rulesets:
        if ruleset.rules is not None:
            starts = {use.span.start for use in family.index.file(ruleset.rules.name)}
            text = REMARK.sub(lambda remark: " " * len(remark[0]), ruleset.rules.text)
            words = [word for word in NAME.finditer(text) if word[0] not in WORDS]
            without = [word[0] for word in words if word.start() not in starts]
            quoted = re.findall(r"'([\w-]+)'", text)
            assert not [word for word in without if not any(word in name for name in quoted)]
    for each in family.index.symbols:
        assert each.own or family.index.declaration(each), f"nobody declares {each}"


@pytest.mark.parametrize(
    ("what", "name", "found"),
    [
        ("value", "strength", [("game.rules", "value strength"), ("game.rules", "by strength")]),
        ("attribute", "tower", [("more.rules", "t.tower"), ("more.yaml", "tower: true")]),
        ("setting", "quick", [("game.yaml", "quick: {"), ("game.yaml", "5 if")]),
        ("feature", "meadow", [("game.yaml", "meadow:")]),
        ("zone", "box", [("game.rules", "t in box"), ("game.rules", "move(t, box")]),
        ("ruleset", "more", [("more.yaml", "ruleset: more")]),
        ("option", "put", [("game.rules", "option put"), ("game.yaml", "build.put")]),
        ("state", "score", [("game.rules", "state player.score"), ("game.yaml", "score: player")]),
        ("member", "wine", [("game.yaml", "[wine"), ("game.rules", "[wine]")]),
        ("track", "path", [("game.rules", "figures(path)"), ("game.yaml", "in: path")]),
        ("component", "house", [("game.yaml", "id: house"), ("game.yaml", "house: House")]),
    ],
)
def test_it_stands_there(
    what: str, name: str, found: list[tuple[str, str]], family: Family
) -> None:
    there = {place.removesuffix(" declared") for place in places(family, what, name)}
    for file, text in found:
        content = FILES[file]
        number = content.count("\n", 0, content.index(text)) + 1
        assert f"{file}:{number}" in there
    assert sum(place.endswith(" declared") for place in places(family, what, name)) == 1


def test_locals_of_one_name_are_told_apart(family: Family) -> None:
    uses = [use for use in family.index.file(_rules(family)) if use.symbol.what == "local"]
    named_t = {use.symbol for use in uses if use.symbol.name == "t"}
    assert len(named_t) == 5
    lay = FILES["game.rules"].index("choice lay")
    own = next(use.symbol for use in uses if use.span.start > lay and use.symbol in named_t)
    assert len(family.index.of(own)) == 3, "a parameter of a choice is seen by its options"


def _rules(family: Family) -> str:
    return next(str(r.rules.name) for r in family.examined.rulesets if r.rules and r.id == "game")


def test_it_is_told_which_rules_win(family: Family) -> None:
    text = hover(family, symbol(family, "value", "strength"), link)
    refined, declared = line("more.rules", "refine"), line("game.rules", "value strength")
    assert "value strength(p: player, f: feature) -> int" in text
    assert (
        f"1. `more`: `refine strength(p, f) when f.well > 0: previous + 1`, {refined}; beats 2"
        in text
    )
    assert f"2. `game`: as declared, {declared}" in text


@pytest.mark.parametrize(
    ("what", "name", "parts"),
    [
        ("value", "bonus", ["-> int, sum", "are added", "`more`: `add bonus(f) when"]),
        ("action", "turn", ["action turn()", "`more`: `before turn()`"]),
        ("choice", "build", ["choice build(t: tile)", "`build.put` of `game`"]),
        ("option", "put", ["*put a house*"]),
        ("state", "goods", ["state player.goods[good]: int 0..99"]),
        ("attribute", "well", ["attribute well of village: int = 0, sum"]),
        ("setting", "houses", ["setting houses = 4, one of 1, 2, 3, 4, 5, 6"]),
        ("component", "house", ["figure house, 12 in the box", "*House | Houses*"]),
        ("enum", "good", ["enum good: wine, grain"]),
        ("track", "path", ["track path of 10 spaces, a loop"]),
        ("function", "closed", ["closed(feature): bool", "no open end"]),
        ("property", "owner", ["piece.owner: player"]),
    ],
)
def test_it_is_told_what_something_is(
    what: str, name: str, parts: list[str], family: Family
) -> None:
    text = hover(family, symbol(family, what, name), link)
    assert [part for part in parts if part not in text] == []


def test_an_invariant_is_shown_with_its_expression(tmp_path: Path) -> None:
    said = "invariant few_points: all(\n    p.score < 9\n    for p in players)"
    files = {**FILES, "game.rules": f"{FILES['game.rules']}# Nobody wins.\n{said}\n"}
    family = opened(tmp_path, files).family(str(tmp_path.resolve() / "game.yaml"))
    text = hover(family, symbol(family, "invariant", "few_points"), link)
    assert text.startswith(f"```rulesdsl\n{said}\n```\n\nNobody wins.")


def test_the_forms_of_an_aggregate_are_shown() -> None:
    text = "value a() -> int: count(top(2, x in S by E))  # top(3\nvalue top() -> int: most(S"
    found = aggregate_at(text, text.index("top(2") + 1)
    assert found is not None
    start, end, page = found
    assert text[start:end] == "top"
    assert "top(N, x in S by K1, K2 where C)" in page
    assert "So many elements" in page
    assert aggregate_at(text, text.index("top(3")) is None, "a comment"
    assert aggregate_at(text, text.index("x in")) is None
    assert "most(E for x in S" in (aggregate_at(text, len(text) - 3) or ("", "", ""))[2]


def test_it_is_told_what_its_author_says() -> None:
    family = Workspace().own(str(FOLDER / "base.yaml"))
    due = hover(family, symbol(family, "value", "due"), link)
    assert "Everything that the tile may have completed: its own features" in due
    started = hover(family, symbol(family, "setting", "classic_start"), link)
    assert "Every known list has 72 tiles" in started


def test_a_label_of_a_word_of_a_setting_names_it() -> None:
    family = Workspace().family(str(FOLDER / "dice_game.yaml"))
    turn = [s for s in family.index.symbols if s.key == "dice_game/settings.catapults.turn"]
    assert [sum(use.declares for use in family.index.of(each)) for each in turn] == [1]
    labels = [
        use
        for use in family.index.of(turn[0])
        if "catapults.turn:" in use.span.source.line(use.span.line)
    ]
    assert len(labels) == 2


# --- another name -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("what", "old", "new"),
    [
        ("value", "strength", "power"),
        ("attribute", "tower", "spire"),
        ("component", "shrine-road", "chapel"),
        ("feature", "village", "town"),
        ("member", "wine", "cheese"),
        ("state", "score", "points"),
        ("setting", "houses", "number"),
        ("colour", "red", "pink"),
    ],
)
def test_everything_follows_a_new_name(what: str, old: str, new: str, tmp_path: Path) -> None:
    studio = opened(tmp_path, FILES)
    roots = [str(tmp_path.resolve() / name) for name in ("game.yaml", "more.yaml")]
    family = studio.family(roots[0])
    before = family.index.of(symbol(family, what, old))
    edits = renamed(family, symbol(family, what, old), new)
    assert sum(map(len, edits.values())) == len(before)
    studio.check_edits(edits)
    for path, edit in edits.items():
        text = studio.text(path)
        for span, word in sorted(edit, key=lambda each: -each[0].start):
            text = text[: span.start] + word + text[span.end :]
        studio.open(path, text)
    found = [each for root in roots for file in studio.check(root).values() for each in file]
    assert not found
    after = studio.family(roots[0])
    assert len(after.index.of(symbol(after, what, new))) == len(before)


@pytest.mark.parametrize(
    ("what", "old", "new", "reason"),
    [
        ("value", "strength", "owners", "`owners` "),
        ("value", "strength", "two words", "is not a valid name"),
        ("value", "strength", "while", "keyword of the language"),
        ("function", "closed", "shut", "name of the language"),
        ("ruleset", "more", "less", "by hand"),
        ("feature", "village", "a-b", "is not a valid name"),
    ],
)
def test_a_name_that_breaks_something_is_refused(
    what: str, old: str, new: str, reason: str, tmp_path: Path
) -> None:
    studio = opened(tmp_path, FILES)
    family = studio.family(str(tmp_path.resolve() / "game.yaml"))
    with pytest.raises(Refused, match=reason):
        studio.check_edits(renamed(family, symbol(family, what, old), new))


@pytest.mark.parametrize(
    ("name", "text"),
    [("compose.yaml", "services:\n  web: {image: a}\n"), ("alone.rules", "value a() -> int: b\n")],
)
def test_of_other_files_nothing_is_known(name: str, text: str, tmp_path: Path) -> None:
    studio = opened(tmp_path, {name: text})
    file = str(tmp_path.resolve() / name)
    assert studio.check(file) == {file: []}
    assert not list(studio.family(file).index.symbols)
    assert studio.complete(file, len(text))[1] == []


SCENARIOS = """\
scenarios: game
edition: 1
settings: {houses: 3}
tests:
  - name: a village with wine, seen by red
    players: 2
    board:
      - {piece: square, at: [0, 0], stands: {village@N.E.S.W: red.house}}
      - {piece: ends, at: [0, 1]}
    zones: {bag: [corner, 'shrine-road'], box: rest}
    state: {red.score: 5, 'red.goods[wine]': 2, active: red}
    moves: [take corner, 'at 1,0,180']
    expect:
      mover: red
      scores: {red: 5}
      zones: {'home[red]': [red.house, red.house]}
      holds:
        - red.score == 5 and any(f in features(board) where f is village and strength(red, f) > 0)
        - "count(bag) == 1 and count(t in box where t is 'shrine-road') == 1"
      features:
        village@N.E.S.W(0,0):
          - owners(f) == {red}
      legal: [build.pass]
      illegal: ['put house village@S.W(1,0)', 'build.put(k=house, s=village@S.W)']
invariants: {few: red.score < 99, packed: count(bag) < 40}
"""


@pytest.mark.parametrize(
    ("what", "old", "new", "lines"),
    [
        ("feature", "village", "town", [8, 18, 21, 24, 24]),
        ("component", "house", "hut", [8, 16, 16, 24, 24]),
        ("component", "shrine-road", "chapel", [10, 19]),
        ("zone", "bag", "sack", [10, 19, 25]),
        ("zone", "home", "attic", [16]),
        ("state", "score", "points", [11, 18, 25]),
        ("state", "goods", "wares", [11]),
        ("member", "wine", "cheese", [11]),
        ("value", "strength", "power", [18]),
        ("value", "owners", "rulers", [22]),
        ("setting", "houses", "number", [3]),
        ("option", "put", "set", [24, 24]),
        ("option", "pass", "skip", [23]),
        ("choice", "build", "raise", [23, 24]),
        ("local", "k", "what", [24]),
        ("colour", "red", "pink", [8, 11, 11, 11, 14, 15, 16, 16, 16, 18, 18, 22, 25]),
    ],
)
def test_scenarios_follow_a_new_name(
    what: str, old: str, new: str, lines: list[int], tmp_path: Path
) -> None:
    files = ("game.test.yaml", "tests/game.test.yaml", "other/game.test.yaml")
    studio = opened(tmp_path, FILES | dict.fromkeys(files, SCENARIOS))
    for file in files:
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).touch()
    (tmp_path / "other" / "game.yaml").write_text("ruleset: game\n")
    family = studio.family(str(tmp_path.resolve() / "game.yaml"))
    edits, unsure = studio.rename(family, symbol(family, what, old), new)
    found = [edits.get(str(tmp_path.resolve() / file), []) for file in files]
    assert [sorted(span.line for span, _ in places) for places in found] == [lines, lines, []]
    assert unsure == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("scenarios: game", "scenarios: elsewhere"),
        ("      mover: red", "      fails: no wine"),
        ("      mover: red", "      holds: [wine + 1 == 2]"),
    ],
)
def test_what_a_scenario_may_mean_is_told(old: str, new: str, tmp_path: Path) -> None:
    text = SCENARIOS.replace(old, new).replace(
        "holds:\n", "said:\n" if "holds" in new else "holds:\n"
    )
    studio = opened(tmp_path, FILES | {"game.test.yaml": text})
    (tmp_path / "game.test.yaml").touch()
    family = studio.family(str(tmp_path.resolve() / "game.yaml"))
    _, unsure = studio.rename(family, symbol(family, "member", "wine"), "cheese")
    assert unsure == ["game.test.yaml"]


# --- colours and folds --------------------------------------------------------------------------


def test_every_word_has_a_colour(family: Family) -> None:
    text = FILES["game.rules"]
    found = tokens(text, family.index.file(_rules(family)), True)
    words = {(word.start(), word.end()) for word in NAME.finditer(text)}
    assert words <= {(token.start, token.end) for token in found}
    kinds = {text[token.start : token.end]: token.kind for token in found}
    assert kinds["action"] == "keyword"
    assert (kinds["strength"], kinds["turn"], kinds["village"]) == ("function", "method", "class")


def test_blocks_and_remarks_are_folded() -> None:
    text = "# one\n# two\na:\n  b:\n    c\n\n  d\n- x\ne:\n- f\n- g: 1\n  h: 2\n"
    assert folds(text) == [
        Fold(0, 1, comment=True),
        Fold(2, 7),
        Fold(3, 4),
        Fold(8, 11),
        Fold(10, 11),
    ]
