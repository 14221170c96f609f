"""A game that was built is taken from the cache exactly as long as it would be built just so."""

from __future__ import annotations

import marshal
import os
import pickle
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

from rulesdsl import PlayError, RulesError, State, load
from rulesdsl.base import cache
from rulesdsl.base.cache import Cache
from rulesdsl.engine.build import stages
from rulesdsl.language.diagnostics.render import render
from rulesdsl.language.model.checked import Checked
from rulesdsl.language.read import files
from rulesdsl.play import Game
from rulesdsl.play.events import GainLog

ROOT = Path(__file__).parents[2]
RULESETS = ROOT / "tests" / "cli" / "rulesets"


class Counter:
    """Builds as the stages do, and counts."""

    def __init__(self) -> None:
        self.count = 0
        self._build = stages.build

    def build(self, *args: object, **kwargs: object) -> object:
        self.count += 1
        return self._build(*args, **kwargs)  # type: ignore[arg-type]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Rulesets that may be changed, away from the user's own, with an empty cache."""
    for name in ("RULESDSL_PATH", "RULESDSL_NO_CACHE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("RULESDSL_CACHE", str(tmp_path / "cache"))
    shutil.copytree(RULESETS, tmp_path / "rulesets")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path / "rulesets"


@pytest.fixture
def builds(monkeypatch: pytest.MonkeyPatch) -> Counter:
    counter = Counter()
    monkeypatch.setattr(stages, "build", counter.build)
    return counter


def hamlets(*expansions: str, **settings: int) -> Game:
    return load("rulesets/hamlets.yaml", expansions, settings, "python")


def kept(folder: Path) -> Path:
    """The entry of the one game that was kept."""
    (entry,) = (folder.parent / "cache").glob("game-*")
    return entry


# --- the same game -------------------------------------------------------------------------------


def plain(checked: Checked) -> Checked:
    """A game without its files, each of which is equal to itself alone."""
    rulesets = tuple(replace(ruleset, rules=None) for ruleset in checked.game.rulesets)
    return replace(checked, game=replace(checked.game, rulesets=rulesets))


def told(state: State) -> list[object]:
    """All that can be seen of a game while it is played."""
    log = GainLog(state)
    state.listen(log.hear)
    seen: list[object] = [state.canonical()]
    while state.mover is not None:
        seen.append([str(move) for move in state.moves()])
        state.play(state.moves()[len(seen) % len(state.moves())])
        seen += [log.take(), state.view(state.players[0])]
    return [*seen, state.canonical(), state.scores(), state.features(), state.to_bytes()]


@pytest.mark.parametrize("engine", ["wasm", "python"])
@pytest.mark.parametrize("expansions", [(), ("wells", "mills")], ids=["alone", "expanded"])
def test_a_kept_game_is_the_game(
    folder: Path, builds: Counter, engine: str, expansions: tuple[str, ...]
) -> None:
    built, found = (load("rulesets/hamlets.yaml", expansions, engine=engine) for _ in range(2))
    assert builds.count == 1
    assert plain(found.checked) == plain(built.checked)
    assert (found.digest, found.rulesets, found.settings) == (
        built.digest,
        built.rulesets,
        built.settings,
    )
    assert told(found.start(2, 5)) == told(built.start(2, 5))
    assert (
        found.from_bytes(built.start(2, 1).to_bytes()).canonical() == built.start(2, 1).canonical()
    )


def play_out(state: State) -> None:
    while state.mover is not None:
        state.play(state.moves()[0])


def test_places_in_rules_are_found_again(folder: Path, builds: Counter) -> None:
    with (folder / "hamlets.rules").open("a") as rules:
        rules.write("after lay(t):\n    active.score = 9999 + count(box)\n")
    failures = []
    named = ("rulesets/hamlets.yaml", f"{folder}/hamlets.yaml")
    for name, engine in product(named, ("wasm", "python", "wasm", "python")):
        state = load(name, engine=engine).start(2, 1)
        with pytest.raises(PlayError, match="cannot become") as failed:
            play_out(state)
        failures.append(str(failed.value))
    assert builds.count == 2
    assert failures[0].startswith("rulesets/hamlets.rules:")
    assert failures == [failures[0]] * 4 + [f"{folder.parent}/{failures[0]}"] * 4


def test_findings_are_said_every_time(
    folder: Path, builds: Counter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RULESDSL_PATH", "nowhere")
    with (folder / "hamlets.rules").open("a") as rules:
        rules.write("value unneeded() -> int:\n    1\n")
    said = [render(hamlets().report) for _ in range(2)]
    assert builds.count == 1
    assert said[0] == said[1]
    assert "there is no folder `nowhere`" in said[0]


def test_mistakes_are_said_every_time(folder: Path) -> None:
    said = []
    for _ in range(2):
        with pytest.raises(RulesError) as failed:
            hamlets("spoilt")
        said.append(render(failed.value.diagnostics))
    assert said[0] == said[1]
    assert "`cuont`" in said[0]


def test_without_a_cache_it_is_built_every_time(
    folder: Path, builds: Counter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RULESDSL_NO_CACHE", "1")
    for _ in range(2):
        hamlets()
    assert builds.count == 2
    assert not (folder.parent / "cache").exists()


# --- what makes another game ---------------------------------------------------------------------


def write(name: str, change: Callable[[str], str]) -> Callable[[Path], object]:
    """Change the text of a file."""

    def apply(folder: Path) -> None:
        file = folder / name
        file.write_text(change(file.read_text() if file.exists() else ""))

    return apply


def copy(to: str) -> Callable[[Path], object]:
    """Put another ruleset into a folder beside that of the rulesets."""

    def apply(folder: Path) -> None:
        (folder.parent / to).mkdir(parents=True, exist_ok=True)
        manifest = (folder / "wells_mills.yaml").read_text()
        (folder.parent / to / "other.yaml").write_text(manifest.replace("wells_mills", "other"))

    return apply


CHANGES = {
    "a comment in the rules": write("hamlets.rules", lambda text: text + "# more\n"),
    "the manifest": write("hamlets.yaml", lambda text: text.replace("count: 6", "count: 7")),
    "what it requires": write("wells.rules", lambda text: text + "# more\n"),
    "an interaction": write("wells_mills.yaml", lambda text: text + "# more\n"),
    "the name of a file": lambda folder: (folder / "mills.yaml").rename(folder / "mill.yaml"),
    "another file": write("more.yaml", lambda _: "ruleset: more\nedition: 1\nversion: 1.0.0\n"),
    "another folder": lambda folder: (folder / "inner").mkdir(),
    "a user's ruleset": copy("data/rulesdsl/rulesets"),
    "a ruleset in a named folder": copy("elsewhere"),
    "a file that becomes a folder": lambda folder: (
        (folder / "generous.yaml").unlink(),
        (folder / "generous.yaml").mkdir(),
    ),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_whatever_changes_it_is_built_anew(
    folder: Path, builds: Counter, change: Callable[[Path], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RULESDSL_PATH", "elsewhere")
    hamlets("wells", "mills")
    change(folder)
    for _ in range(2):
        found = _outcome("wells", "mills")
    assert builds.count >= 2
    monkeypatch.setenv("RULESDSL_NO_CACHE", "1")
    assert _outcome("wells", "mills") == found


def _outcome(*expansions: str) -> str:
    """What is found of a game: what it is and what is said of it."""
    try:
        game = hamlets(*expansions)
    except RulesError as error:
        return render(error.diagnostics)
    return game.digest + game.start(2, 1).canonical() + render(game.report)


def test_what_is_asked_for_makes_another_game(
    folder: Path, builds: Counter, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Callable[[], Game]] = [
        hamlets,
        lambda: hamlets("wells"),
        lambda: hamlets("wells", "mills"),
        lambda: hamlets(houses=3),
        lambda: load("rulesets/hamlets.yaml", settings={"houses": "3"}),
        lambda: load("rulesets/../rulesets/hamlets.yaml"),
        lambda: load(Path("rulesets/hamlets.yaml")),
        lambda: load("hamlets", paths=["rulesets"]),
        lambda: load("rulesets/hamlets.yaml", paths=["elsewhere"]),
    ]
    for number, ask in enumerate(asked, 1):
        digests = {ask().digest for _ in range(2)}
        assert (builds.count, len(digests)) == (number, 1)
    monkeypatch.chdir(folder)
    load("hamlets.yaml")
    monkeypatch.setattr(cache, "own_sources", lambda: b"changed")
    load("hamlets.yaml")
    assert builds.count == len(asked) + 2


def test_the_age_of_files_does_not_count(folder: Path, builds: Counter) -> None:
    hamlets()
    for file in folder.iterdir():
        os.utime(file, (1_000_000_000, 1_000_000_000))
    write("notes.txt", lambda _: "")(folder.parent)
    hamlets()
    assert builds.count == 1


def test_a_file_that_changes_while_it_is_read_makes_nothing_to_keep(
    folder: Path, builds: Counter, monkeypatch: pytest.MonkeyPatch
) -> None:
    build = stages.build

    def unsteady(*args: object, **kwargs: object) -> object:
        built = build(*args, **kwargs)  # type: ignore[arg-type]
        write("hamlets.rules", lambda text: text + "# more\n")(folder)
        files.content(str(folder / "hamlets.rules"), "rulesets/hamlets.rules", files.MAX_TEXT)
        return built

    monkeypatch.setattr(stages, "build", unsteady)
    for _ in range(2):
        hamlets()
    assert builds.count == 2
    assert not list((folder.parent / "cache").glob("game-*"))


# --- what others may have done to the cache ------------------------------------------------------


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff",
        marshal.dumps(None),
        marshal.dumps((1, 2)),
        marshal.dumps(((), b"")),
        marshal.dumps(((), b"\x80\x05.")),
        marshal.dumps(((("nothing", (), b""),), pickle.dumps(1))),
        marshal.dumps(((("is_folder", (1, 2, 3), b""),), pickle.dumps(1))),
    ],
)
def test_what_is_no_game_is_built_anew(folder: Path, builds: Counter, content: bytes) -> None:
    expected = hamlets().start(2, 1).canonical()
    kept(folder).write_bytes(content)
    assert hamlets().start(2, 1).canonical() == expected
    Cache.of_user().put(kept(folder).name, content)
    assert hamlets().start(2, 1).canonical() == expected
    assert builds.count == 3


def test_what_others_can_write_is_not_read(folder: Path, builds: Counter) -> None:
    hamlets()
    for path in (kept(folder), folder.parent / "cache"):
        path.chmod(0o777)
        hamlets()
        path.chmod(0o700)
    assert builds.count == 3
    hamlets()
    assert builds.count == 3


# --- what a start takes --------------------------------------------------------------------------

START = """\
import sys, rulesdsl
state = rulesdsl.load("rulesets/hamlets.yaml", engine="wasm").start(2, seed=1)
print(state.moves()[0])
print(*sorted(set(sys.argv[1:]) & set(sys.modules)))
"""
LEFT_OUT = (
    "lark",
    "yaml",
    "jsonschema",
    "rich",
    "rulesdsl.language.check",
    "rulesdsl.engine.ir",
    "rulesdsl.engine.lower.program",
    "rulesdsl.language.model.ast",
    "rulesdsl.language.model.ir",
    "rulesdsl.language.parse",
    "rulesdsl.engine.build.stages",
    "rulesdsl.language.link",
)


def test_a_kept_game_starts_without_what_made_it(folder: Path) -> None:
    said = [
        subprocess.run(
            [sys.executable, "-c", START, *LEFT_OUT],
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.splitlines()
        for _ in range(2)
    ]
    assert said[0][0] == said[1][0]
    assert (said[0][1] != "", said[1][1]) == (True, "")
