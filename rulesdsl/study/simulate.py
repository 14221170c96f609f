"""Statistics of many games: `simulate` plays a study and keeps its games in a folder.

The folder has Parquet files. If writing is interrupted, complete files stay, and a half-written
file is never read.

    results.parquet/
        _study.json                        the study: see `Study.parameters`
        games-000000000-000001000.parquet  games 0 to 999 in all variants

A file gets its name when it is complete. Readers of Parquet take the folder for one table, as they
leave out names that begin with `_` or `.`.
"""

from __future__ import annotations

import json
import os
import re
from array import array
from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

from rulesdsl.base.interrupts import INTERRUPTS
from rulesdsl.base.writing import is_draft, replace
from rulesdsl.language.read.files import MAX_TEXT, FileProblem, content
from rulesdsl.study.playing import (
    COUNTED,
    Columns,
    Runner,
    Study,
    cores,
    gain,
    local,
    names,
    score,
)
from rulesdsl.study.report import Summary


def simulate(
    study: Study, runner: Runner | None = None, store: GameStore | None = None
) -> Generator[Summary, None, None]:
    """Yield the summary so far, first of the games in `store`, then after every portion of games.

    It is always the same object. However the iteration ends, all games that are counted are then in
    the store. Raises PlayError if a rule fails, OutOfTime if a deadline passes, WorkerLost or
    `NoScheduler` if nobody can play, and OSError if the store cannot be written.
    """
    summary = Summary(study)
    done = list[range]()
    if store is not None:
        for games, played in store.read():
            summary.add(games.start, played)
            done.append(games)
    yield summary
    run = runner or local(cores())
    gathering = Gathering(store, study, done) if store is not None else None
    try:
        for games, played in run(study, study.blocks(done)):
            with INTERRUPTS:
                summary.add(games.start, played)
                if gathering is not None:
                    gathering.add(games, played)
            yield summary
    finally:
        if gathering is not None:
            gathering.flush()


STUDY = "_study.json"
LOCK = ".lock"
_NEW = "name a new folder"
_PART = re.compile(r"games-(\d+)-(\d+)\.parquet")


class UnusableStore(Exception):
    """An error for a folder that is not usable: what is wrong, and what to do.

    Another study or nobody has written it, another process is adding games, or a file is damaged.
    """


class GameStore:
    """The games of a study in a folder, which is made if it does not exist.

    As long as the object exists, no other process can add games there; the lock of a process that
    dies is released. Raises ImportError without pyarrow and filelock, UnusableStore, and OSError
    for files that cannot be read or written; `read` also raises UnusableStore.
    """

    def __init__(self, folder: str | Path, study: Study) -> None:
        import filelock
        import pyarrow.parquet

        self._parquet: Any = pyarrow.parquet
        self._study = study
        self._folder = Path(folder)
        self._schema = _schema(study)
        self._lock = filelock.FileLock(self._folder / LOCK, blocking=False)
        self._open()

    @property
    def name(self) -> str:
        """The folder as it was named."""
        return str(self._folder)

    def read(self) -> Iterator[tuple[range, tuple[Columns, ...]]]:
        """Yield the stored games, without those that the study does not include."""
        for games in self._parts():
            wanted = range(games.start, min(games.stop, self._study.games))
            if wanted:
                yield wanted, self._read(games, len(wanted))

    def _read(self, games: range, count: int) -> tuple[Columns, ...]:
        path = self._path(games)
        try:
            table = self._parquet.ParquetFile(path).read()
            if table.num_rows != len(games) * len(self._study.variants):
                raise ValueError("rows are missing")
            return tuple(
                self._columns(table, number, len(games), count)
                for number in range(len(self._study.variants))
            )
        except (ValueError, KeyError, TypeError):
            raise UnusableStore(
                f"`{path}` is damaged", "remove it; its games are then played again"
            ) from None

    def write(self, games: range, played: Sequence[Columns]) -> None:
        tables = [self._table(games, number, each) for number, each in enumerate(played)]
        import pyarrow

        table = pyarrow.concat_tables(tables)
        content = BytesIO()
        self._parquet.write_table(table, content)
        replace(str(self._path(games)), content.getvalue())

    # --- the folder --------------------------------------------------------------------------

    def _open(self) -> None:
        folder, manifest = self._folder, self._folder / STUDY
        if folder.exists() and not folder.is_dir():
            raise UnusableStore(f"`{folder}` is a file, not a folder of games", _NEW)
        if not manifest.exists():
            if folder.exists() and not all(
                # These may be in a folder that no study has claimed yet.
                name == LOCK or is_draft(name)
                for name in os.listdir(folder)
            ):
                raise UnusableStore(f"`{folder}` is not empty and contains no games", _NEW)
            folder.mkdir(parents=True, exist_ok=True)
            self._claim()
            content = {"digest": self._study.digest, **self._study.parameters}
            replace(str(manifest), (json.dumps(content, indent=1) + "\n").encode())
            return
        self._compare(manifest)
        self._claim()
        for name in filter(is_draft, os.listdir(folder)):
            (folder / name).unlink(missing_ok=True)

    def _claim(self) -> None:
        try:
            self._lock.acquire()
        except TimeoutError:
            message = f"another process is adding games to `{self._folder}`"
            raise UnusableStore(message, "wait until it ends, or name another folder") from None

    def _compare(self, manifest: Path) -> None:
        try:
            there = json.loads(content(str(manifest), str(manifest), MAX_TEXT))
            digest = there.pop("digest")
        except (FileProblem, ValueError, RecursionError, KeyError, AttributeError, TypeError):
            raise UnusableStore(f"`{manifest}` is not valid", _NEW) from None
        if digest == self._study.digest:
            return
        wanted = json.loads(json.dumps(self._study.parameters))
        differ = [key for key in wanted if key != "variants" and there.get(key) != wanted[key]]
        told = [f"{key} {there.get(key)!r} there, {wanted[key]!r} here" for key in differ]
        what = "; ".join(told or ["expansions, settings or rulesets differ"])
        message = f"`{self._folder}` holds games of another study: {what}"
        raise UnusableStore(message, "name another folder, or repeat the study of this folder")

    def _parts(self) -> list[range]:
        """Return the games of each file, without files whose games are in another one, too."""
        found = [_PART.fullmatch(name) for name in os.listdir(self._folder)]
        parts = [range(int(each[1]), int(each[2])) for each in found if each]
        kept = list[range]()
        for part in sorted(parts, key=lambda each: (each.start, -each.stop)):
            if not kept or part.start >= kept[-1].stop:
                kept.append(part)
        return kept

    def _path(self, games: range) -> Path:
        return self._folder / f"games-{games.start:09}-{games.stop:09}.parquet"

    # --- tables ------------------------------------------------------------------------------

    def _table(self, games: range, number: int, played: Columns) -> Any:
        import pyarrow

        study, count = self._study, len(games)
        own = _names(study, study.kinds[number].sources)
        columns: dict[str, Any] = {
            "variant": [study.variants[number].name] * count,
            "game": games,
            "over": [bool(each) for each in played["over"]],
            **{name: played[column] for name, column in own.items() if column != "over"},
        }
        arrays = [
            pyarrow.array(columns[field.name], field.type)
            if field.name in columns
            else pyarrow.nulls(count, field.type)
            for field in self._schema
        ]
        return pyarrow.table(arrays, schema=self._schema)

    def _columns(self, table: Any, number: int, there: int, count: int) -> Columns:
        """Return the first `count` games of a variant; there are `there` games of each."""
        rows = table.slice(number * there, count)
        sources = self._study.kinds[number].sources
        named = {column: name for name, column in _names(self._study, sources).items()}
        return {
            column: array("q", map(int, rows.column(named[column]).to_pylist()))
            for column in names(self._study.players, sources)
        }


def _names(study: Study, sources: Sequence[str]) -> dict[str, str]:
    """Return the names of columns in files, where seats are named by their colours."""
    seats = list(enumerate(study.colours))
    found = {name: name for name in (*COUNTED, "over", "winners")}
    found |= {f"points.{colour}": score(seat) for seat, colour in seats}
    for source in sources:
        found |= {f"points.{colour}.{source}": gain(source, seat) for seat, colour in seats}
    return found


def _schema(study: Study) -> Any:
    import pyarrow

    sources = dict.fromkeys(source for kind in study.kinds for source in kind.sources)
    fields = [("variant", pyarrow.string()), ("game", pyarrow.int64())]
    kinds = {"over": pyarrow.bool_(), "options": pyarrow.int64()}
    fields += [(name, kinds.get(name, pyarrow.int32())) for name in _names(study, list(sources))]
    return pyarrow.schema(fields)


Portion = tuple[range, Sequence[Columns]]


class Gathering:
    """Games on their way to a store: a block is written when all of its games are played."""

    def __init__(self, store: GameStore, study: Study, done: Iterable[range]) -> None:
        self._store, self._study = store, study
        self._there = Counter[int]()
        for games in done:
            for block in range(games.start // study.block, (games.stop - 1) // study.block + 1):
                own = self._games(block)
                self._there[block] += min(games.stop, own.stop) - max(games.start, own.start)
        self._waiting: dict[int, list[Portion]] = {}

    def add(self, games: range, played: Sequence[Columns]) -> None:
        """Add games of one block; raises OSError if they cannot be written."""
        block = games.start // self._study.block
        found = self._waiting.setdefault(block, [])
        found.append((games, played))
        wanted = len(self._games(block)) - self._there[block]
        if sum(len(each) for each, _ in found) == wanted:
            self._write(block)

    def flush(self) -> None:
        """Write the games of incomplete blocks; raises OSError."""
        for block in list(self._waiting):
            self._write(block)

    def _write(self, block: int) -> None:
        # A write that failed is not retried.
        for games, played in _runs(self._waiting.pop(block)):
            self._store.write(games, played)

    def _games(self, block: int) -> range:
        size = self._study.block
        return range(block * size, min((block + 1) * size, self._study.games))


def _runs(portions: Iterable[Portion]) -> Iterable[Portion]:
    """Return the portions, joined where one begins at the end of another."""
    found = list[Portion]()
    for games, played in sorted(portions, key=lambda each: each[0].start):
        if found and found[-1][0].stop == games.start:
            before, there = found.pop()
            played = [
                {name: column + other[name] for name, column in one.items()}
                for one, other in zip(there, played, strict=True)
            ]
            games = range(before.start, games.stop)
        found.append((games, played))
    return found
