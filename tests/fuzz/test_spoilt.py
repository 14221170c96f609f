"""Whatever is spoilt, there are findings or a game: never another exception, never no end."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from random import Random

import pytest

from rulesdsl.engine.run import DEFAULT_ENGINE, ENGINES
from rulesdsl.play import Game, load
from tests.fuzz import drive
from tests.fuzz.mutate import spoil, spoil_bytes

Task = Callable[[Random, Path], None]


def ruleset(random: Random, folder: Path, texts: drive.Texts) -> None:
    """Spoil one file of a ruleset, the rules more often than the manifest."""
    manifest, rules = sorted(texts, key=lambda name: not name.endswith(".yaml"))
    name = random.choice((manifest, rules, rules))
    files = {each: text.encode() for each, text in texts.items()}
    if random.random() < 0.05:
        files[name] = spoil_bytes(random, files[name])
    else:
        files[name] = spoil(random, texts[name]).encode()
    drive.check_texts(folder, files, manifest, random)


def small(random: Random, folder: Path) -> None:
    ruleset(random, folder, random.choice(drive.SMALL))


def base(random: Random, folder: Path) -> None:
    ruleset(random, folder, drive.BASE)


def record(random: Random, folder: Path) -> None:
    path = random.choice(drive.MANIFESTS)
    drive.check_record(game(path), spoil(random, recorded(path)))


def saved(random: Random, folder: Path) -> None:
    path, engine = random.choice(drive.MANIFESTS), random.choice(sorted(ENGINES))
    data = stored(path, engine)
    if random.random() < 0.5:
        spoilt = spoil(random, data.decode()).encode()
    else:
        spoilt = spoil_bytes(random, data)
    drive.check_saved(game(path, engine), spoilt)


def scenarios(random: Random, folder: Path) -> None:
    path = random.choice(drive.MANIFESTS).with_suffix(".test.yaml")
    drive.check_scenarios(path, spoil(random, path.read_text(encoding="utf-8")))


@cache
def game(path: Path, engine: str = DEFAULT_ENGINE) -> Game:
    return load(path, engine=engine)


@cache
def recorded(path: Path) -> str:
    return drive.record_of(game(path), 3)


@cache
def stored(path: Path, engine: str) -> bytes:
    random, state = Random(5), game(path, engine).start(seed=5)
    for _ in range(drive.MOVES):
        drive.play_one(state, random)
    return state.to_bytes()


TASKS: dict[Task, int] = {small: 30, base: 3, record: 15, saved: 60, scenarios: 4}


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.__name__)
def test_some(task: Task, tmp_path: Path) -> None:
    run(task, TASKS[task], tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.__name__)
def test_many(task: Task, tmp_path: Path) -> None:
    run(task, 100 * TASKS[task], tmp_path)


def run(task: Task, count: int, folder: Path) -> None:
    for seed in range(count):
        try:
            with drive.limited():
                task(Random(seed), folder)
        except Exception as error:
            raise AssertionError(f"{task.__name__} fails with seed {seed}") from error


def test_numbers_of_thousands_of_digits_are_findings() -> None:
    path = drive.ROOT / "tests" / "games" / "stones.test.yaml"
    text = path.read_text(encoding="utf-8").replace("2,0,0", "9" * 5000 + ",0,0")
    assert not drive.check_scenarios(path, text, "python")
