"""Replay games recorded by JCloisterZone, and compare all their legal moves and scores.

    python3 -m tools.recorded FOLDER-OR-FILE ...

Prints a line for each file, and below it the first differences; exits with 1 if there are any.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from tools.recorded import words
from tools.recorded.replay import Replay


def replays(path: Path, engine: str = "python", games: int | None = None) -> Iterator[Replay]:
    """Replay the first `games` games of a file, all of them by default, one after the other.

    The games of a file have the same setup. Raises LookupError if no ruleset plays it.
    """
    game = None
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in islice(lines, games):
            record = json.loads(line)
            game = game or words.load(record["setup"], engine)
            replay = Replay(game, record)
            replay.run()
            yield replay


def main(arguments: Sequence[str] | None = None) -> int:
    """Replay the files that the arguments name."""
    parser = argparse.ArgumentParser(
        prog="python3 -m tools.recorded",
        description="Replay games recorded by JCloisterZone, and compare legal moves and scores.",
    )
    parser.add_argument("paths", nargs="+", type=Path, help="a file .jsonl.gz, or a folder of them")
    parser.add_argument("--engine", default="python", help="the engine that plays")
    parser.add_argument("--games", type=int, help="replay so many games of each file")
    parser.add_argument("--show", type=int, default=3, help="show so many differences of each file")
    given = parser.parse_args(arguments)
    failed = False
    for path in given.paths:
        files = sorted(path.glob("*.jsonl.gz")) if path.is_dir() else [path]
        if not files or not all(file.exists() for file in files):
            parser.error(f"{path}: no records; name a file .jsonl.gz or a folder of them")
        for file in files:
            compared, differences, count = Counter[str](), list[str](), 0
            try:
                for count, replay in enumerate(replays(file, given.engine, given.games), 1):
                    compared += replay.compared
                    differences += [f"game {count}, {each}" for each in replay.differences]
            except LookupError as error:
                differences.append(str(error))
            name = file.name.removesuffix(".jsonl.gz")
            total = f"{compared.total()} comparisons, {len(differences)} differences"
            print(f"{name}: {count} games, {total}", flush=True)
            for difference in differences[: given.show]:
                print(f"    {difference[:1000]}")
            failed = failed or bool(differences)
    return int(failed)


if __name__ == "__main__":
    raise SystemExit(main())
