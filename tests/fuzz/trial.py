"""Trials of very many spoilt files: how each ends, and what the slowest and the largest take.

`run` tries them in processes of their own, each with no more than `MEMORY` bytes of addresses.
"""

from __future__ import annotations

import os
import resource
import traceback
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from io import BytesIO
from multiprocessing import get_context
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import process_time
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

from rulesdsl.engine.build.stages import build
from rulesdsl.language.diagnostics import Report, RulesError
from rulesdsl.language.read.files import CHECKSUMS, checksums
from rulesdsl.play import Game, load
from rulesdsl.show.doc import rule_book
from tests.fuzz import drive
from tests.fuzz.mutate import ODD, spoil, spoil_bytes
from tests.fuzz.structure import VALUES, renamed, tampered
from tests.performance.measured import peak

MEMORY = 1_000_000_000
SECONDS = 5
HANGS = 30
"""After so many seconds of the processor's time nobody waits any longer."""
BATCH = 200
BATCHES = 15
"""After so many batches another process goes on: games fill the caches of one that lives long."""
ENGINE = "python"

Trial = Callable[[Random, Path], bool]
"""Tries one file that is spoilt; whether it can still be used. Anything but findings is raised."""


def _ruleset(random: Random, folder: Path, texts: drive.Texts, spoilt: str) -> bool:
    files = {name: text.encode() for name, text in texts.items()}
    main, name = (next(name for name in texts if name.endswith(end)) for end in (".yaml", spoilt))
    if random.random() < 0.05:
        files[name] = spoil_bytes(random, files[name])
    else:
        files[name] = spoil(random, texts[name]).encode(errors="surrogatepass")
    return drive.check_texts(folder, files, main, random)


def _texts(random: Random) -> drive.Texts:
    """Mostly those of the smallest game, so that there can be many trials."""
    sort = random.random()
    if sort < 0.02:
        return drive.BASE
    return random.choice(drive.SMALL) if sort < 0.1 else _pile()


@cache
def _pile() -> drive.Texts:
    return drive.texts(drive.PILE)


def manifest(random: Random, folder: Path) -> bool:
    """A ruleset with a manifest that is spoilt."""
    return _ruleset(random, folder, _texts(random), ".yaml")


def rules(random: Random, folder: Path) -> bool:
    """A ruleset with rules that are spoilt."""
    return _ruleset(random, folder, _texts(random), ".rules")


def scenarios(random: Random, folder: Path) -> bool:
    """Scenarios that are spoilt, beside their ruleset."""
    path = drive.PILE.with_suffix(".test.yaml")
    text = spoil(random, path.read_text(encoding="utf-8"))
    return drive.check_scenarios(path, text, ENGINE)


def record(random: Random, folder: Path) -> bool:
    """A recorded game that is spoilt."""
    return drive.check_record(_game(), spoil(random, _recorded()))


@cache
def _game() -> Game:
    return load(drive.PILE, engine=ENGINE)


@cache
def _recorded() -> str:
    return drive.record_of(_game(), 3)


def archive(random: Random, folder: Path) -> bool:
    """An archive that is spoilt: its names, its texts, or any of its bytes."""
    files = {name: text.encode() for name, text in _pile().items()}
    sort = random.randrange(3)
    if sort == 0:
        name = random.choice(sorted(files))
        files[name] = spoil(random, _pile()[name]).encode(errors="surrogatepass")
    elif sort == 1:
        name = random.choice(sorted(files))
        at = random.randrange(1, len(name))
        odd = random.choice((*ODD, "/", "../", "\\", "C:", "a/" * 2000, "a" * 60_000, "\n", "."))
        files[f"{name[:at]}{odd}{name[at:]}"[:65_000]] = files.pop(name)
    data = _zipped(files, random.choice((ZIP_STORED, ZIP_DEFLATED)))
    if sort == 2:
        data = spoil_bytes(random, data)
    return drive.check_texts(folder, {"pile.zip": data}, "pile.zip", random)


def values(random: Random, folder: Path) -> bool:
    """A manifest with other values, keys and references, and all that is made of it."""
    texts = dict(_whole_games()[0] if random.random() < 0.6 else random.choice(_whole_games()))
    main = min((name for name in texts if name.endswith(".yaml")), key=len)
    if random.random() < 0.15:
        texts = renamed(random, texts)
    else:
        texts[main] = tampered(random, texts[main])
        if random.random() < 0.2:
            rules = main.replace(".yaml", ".rules")
            texts[rules] = spoil(random, texts[rules])
    files = {name: text.encode(errors="surrogatepass") for name, text in texts.items()}
    return drive.check_tools(folder, files, main, random)


def expansion(random: Random, folder: Path) -> bool:
    """An expansion with other values, beside its game."""
    texts = _files("fair", "stall")
    main = "stall.yaml"
    name = random.choice((main, main, "fair.yaml"))
    if random.random() < 0.15:
        texts = renamed(random, texts)
    else:
        texts[name] = tampered(random, texts[name])
    files = {name: text.encode(errors="surrogatepass") for name, text in texts.items()}
    return drive.check_tools(folder, files, main, random)


def chosen(random: Random, folder: Path) -> bool:
    """A game whose settings are chosen as somebody may type them."""
    report = Report()
    names = (
        "course",
        "rounds",
        "rain",
        "late",
        "wind",
        "fair.course",
        "stall.wind",
        "fair.",
        ".",
        "",
    )
    given = {
        random.choice(names): random.choice((*VALUES[:20], "narrow", "storm", "oen", "true", "2"))
        for _ in range(random.randrange(1, 4))
    }
    wanted = {name: value for name, value in given.items() if isinstance(value, int | bool | str)}
    checked = build(str(drive.FAIR / "stall.yaml"), settings=wanted, report=report)
    for diagnostic in report:
        drive.check_diagnostic(diagnostic)
    if checked is not None:
        drive.check_play(Game(checked, "python", report), random, 2)
    return checked is not None


def expectations(random: Random, folder: Path) -> bool:
    """Scenarios with other values, keys and names."""
    path = random.choice((drive.FAIR / "fair.test.yaml", *drive.SCENARIOS))
    return drive.check_scenarios(path, tampered(random, path.read_text(encoding="utf-8")), ENGINE)


def book(random: Random, folder: Path) -> bool:
    """The prose of a rule book."""
    files = {name: text.encode() for name, text in _files("fair").items()}
    text = spoil(random, files["fair.book.en.md"].decode())
    files["fair.book.en.md"] = text.encode(errors="surrogatepass")
    for name, data in files.items():
        (folder / name).write_bytes(data)
    report = Report()
    with suppress(RulesError):
        rule_book(load(folder / "fair.yaml", engine=ENGINE), "en", (), report)
    for diagnostic in report:
        drive.check_diagnostic(diagnostic)
    return report.ok


def _files(*names: str) -> dict[str, str]:
    found = (path for path in sorted(drive.FAIR.iterdir()) if path.name.split(".")[0] in names)
    return {path.name: path.read_text(encoding="utf-8") for path in found}


@cache
def _whole_games() -> list[drive.Texts]:
    return [_files("fair"), *drive.SMALL]


def _zipped(files: dict[str, bytes], method: int) -> bytes:
    out = BytesIO()
    with ZipFile(out, "w", method) as made:
        for name, data in {**files, CHECKSUMS: checksums(files)}.items():
            made.writestr(name, data)
    return out.getvalue()


TRIALS: dict[str, tuple[Trial, int]] = {
    "manifest": (manifest, 20),
    "rules": (rules, 20),
    "scenarios": (scenarios, 8),
    "record": (record, 10),
    "archive": (archive, 10),
    "values": (values, 14),
    "expansion": (expansion, 8),
    "chosen": (chosen, 2),
    "expectations": (expectations, 6),
    "book": (book, 2),
}
"""The trials by name, and how many of a hundred are of a sort."""


@dataclass
class Tally:
    """How many trials there were and how they ended; the most seconds and bytes that one took, and
    which that was."""

    tried: int = 0
    used: int = 0
    failures: list[str] = field(default_factory=list)
    seconds: float = 0
    slowest: tuple[float, str] = (0, "")
    largest: tuple[int, str] = (0, "")

    def add(self, other: Tally) -> None:
        """Count what another tally counted, too."""
        self.tried += other.tried
        self.used += other.used
        self.failures += other.failures
        self.seconds += other.seconds
        self.slowest = max(self.slowest, other.slowest)
        self.largest = max(self.largest, other.largest)

    def __str__(self) -> str:
        return (
            f"{self.tried} tried, {self.used} usable all the same, {len(self.failures)} failures; "
            f"slowest {self.slowest[0]:.2f} s ({self.slowest[1]}), "
            f"largest {self.largest[0] / 1e6:.0f} MB ({self.largest[1]}), "
            f"{self.seconds:.0f} s of the processor's time"
        )


def run(count: int, processes: int | None = None) -> dict[str, Tally]:
    """Try so many files, by default on all processors; a tally for each sort."""
    found = {name: Tally() for name in TRIALS}
    with ProcessPoolExecutor(
        processes or os.cpu_count(),
        get_context("spawn"),
        initializer=_limit,
        max_tasks_per_child=BATCHES,
    ) as pool:
        for name, tally in pool.map(tried, _batches(count)):
            found[name].add(tally)
    return found


def _batches(count: int) -> Iterator[tuple[str, range]]:
    for name, (_, share) in TRIALS.items():
        seeds = range(count * share // 100)
        yield from ((name, seeds[at : at + BATCH]) for at in range(0, len(seeds), BATCH))


def _limit() -> None:
    os.environ["RULESDSL_NO_CACHE"] = "1"
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def tried(batch: tuple[str, Iterable[int]]) -> tuple[str, Tally]:
    """The name and the tally of some trials of one sort, by their seeds."""
    name, seeds = batch
    trial, tally = TRIALS[name][0], Tally()
    with TemporaryDirectory() as folder:
        for seed in seeds:
            began, which = process_time(), f"{name} {seed}"
            try:
                with drive.limited(HANGS):
                    tally.used += trial(Random(seed), Path(folder))
            except Exception:
                tally.failures.append(f"{which}:\n{traceback.format_exc(limit=-6)}")
            spent = process_time() - began
            tally.tried += 1
            tally.seconds += spent
            tally.slowest = max(tally.slowest, (spent, which))
            most = peak()
            if most > tally.largest[0]:
                tally.largest = (most, which)
    return name, tally
