"""`rulesdsl index`: a site about the rulesets in a folder, and answers about submitted ones."""

from __future__ import annotations

import os
import shlex
from argparse import Namespace
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from urllib.parse import quote

from rulesdsl import __version__
from rulesdsl.author.index import KEPT, Shelf, kept_text, read_kept, summary
from rulesdsl.author.index.matrix import BROKEN, GOOD, GameMatrix
from rulesdsl.author.lint.formats import FORMATS, Run
from rulesdsl.base.processes import WorkerLost, Workers, cores
from rulesdsl.base.writing import write_all
from rulesdsl.cli.console import (
    CLEAN,
    PROBLEMS,
    Console,
    bad_argument,
    output_to,
    package_missing,
    progress_bar,
    worker_lost,
    write_output,
)
from rulesdsl.cli.loading import parts
from rulesdsl.language.diagnostics import Diagnostic
from rulesdsl.language.read.files import SUFFIX
from rulesdsl.language.read.load import ids_of


def command(arguments: Namespace, console: Console) -> int:
    """Write the site of a folder, or judge submitted rulesets against all others in it."""
    folder = os.path.normpath(arguments.folder)
    if os.path.isfile(folder):
        help = f"name the folder that it is in: `{os.path.dirname(folder) or os.curdir}`"
        raise bad_argument(f"`{arguments.folder}` is a file", help)
    if not os.path.isdir(folder):
        raise bad_argument(f"there is no folder `{arguments.folder}`")
    # A path is never taken for an id.
    named = [
        os.path.join(os.curdir, each) if os.path.exists(each) else each
        for each in parts(arguments.submitted)
    ]
    asked = [os.path.normpath(id) for id in ids_of(named)]
    if arguments.to == "":
        raise bad_argument("`--to` needs the name of a folder")
    if not asked and arguments.to is None:
        raise bad_argument("`rulesdsl index` needs a folder to write", "name it: `--to SITE`")
    _check_site(arguments.to, folder)
    shelf = Shelf(folder)
    if not (shelf.rulesets or shelf.problems):
        raise bad_argument(f"there is no ruleset in `{arguments.folder}`")
    unknown = [id for id in asked if id not in shelf.rulesets and id not in shelf.problems]
    if unknown:
        raise bad_argument(f"`{unknown[0]}` is not a ruleset in `{arguments.folder}`")
    submitted = shelf.judged(asked)
    problems = {id: e for id, e in shelf.problems.items() if not asked or id in asked}
    studio = _studio(shelf, arguments)
    known, keys = read_kept(arguments.to) if arguments.to else ({}, {})
    jobs = arguments.jobs or cores()
    try:
        made = {}
        if submitted or not asked:
            made = shelf.matrices(known, games=arguments.games, jobs=jobs, only=submitted)
        if arguments.to is not None and not asked:
            _write(shelf, made, keys, arguments, studio, jobs, console)
    except WorkerLost as error:
        raise worker_lost(error) from None
    return _reported(made, submitted, problems, arguments, console)


def _check_site(site: str | None, folder: str) -> None:
    """Raise an error about a site in the folder of the rulesets, or in that of another site."""
    if site is None or not os.path.isdir(site):
        return
    if os.path.samefile(site, folder):
        message = f"the folder `{site}` has the rulesets: a site needs another one"
        raise bad_argument(message, f"for example `--to {os.path.join(site, 'site')}`")
    page, index = (os.path.join(site, name) for name in ("index.html", "index.json"))
    if os.path.exists(page) and not os.path.exists(index):
        message = f"`{site}` has a page `index.html` that is not of an index"
        raise bad_argument(message, "name another folder, or delete the page")


def _studio(shelf: Shelf, arguments: Namespace) -> str:
    """Return the address of the studio for the pages of rulesets; empty if none is named."""
    given = arguments.studio or ""
    if not given or arguments.to is None or given.startswith(("https://", "http://")):
        return str(given)
    file = os.path.join(given, "index.html") if os.path.isdir(given) else given
    if not os.path.isfile(file):
        help = f"to write one: rulesdsl studio --site {shlex.quote(given)}"
        raise bad_argument(f"there is no studio in `{given}`", help)
    inside = os.path.relpath(file, arguments.to).split(os.sep)[0]
    if inside in shelf.rulesets:
        message = f"`{given}` is the folder for the pages of `{inside}`"
        raise bad_argument(message, "write the studio into another folder")
    return quote(os.path.relpath(file, os.path.join(arguments.to, "id")).replace(os.sep, "/"))


def _write(
    shelf: Shelf,
    made: Mapping[str, GameMatrix],
    keys: Mapping[str, str],
    arguments: Namespace,
    studio: str,
    jobs: int,
    console: Console,
) -> None:
    """Write a site; files of rulesets that have not changed stay."""
    try:
        from rulesdsl.author.index.site import files, files_key, made_files, written_files
    except ImportError:
        raise package_missing("`rulesdsl index`", "jinja2", "book") from None
    site, now = arguments.to, {id: files_key(shelf, id) for id in shelf.rulesets}
    due = [id for id in now if keys.get(id) != now[id] or not written_files(site, id)]
    fresh = dict[str, Mapping[str, bytes]]()
    work = partial(made_files, shelf)
    with progress_bar(console, len(due), "rulesets") as show, Workers(work, jobs, None) as pool:
        for id, found in pool.unordered(due):
            fresh[id] = found
            show(len(fresh), len(due))
    title = arguments.title or os.path.basename(os.path.abspath(shelf.folder))
    found = files(shelf, made, fresh, title, partial(written_files, site), studio)
    found[KEPT] = kept_text(made, now).encode()
    with output_to(f"`{site}`"):
        write_all(site, found)
    for id in keys:
        if id not in now and id.isidentifier():
            _withdraw(os.path.join(site, id))
    console.tell(f"written to {site}")


def _withdraw(folder: str) -> None:
    """Remove the files of a ruleset that is gone; those of somebody else stay."""
    with suppress(OSError):
        for name in os.listdir(folder):
            if name in _PAGES or name.endswith(SUFFIX):
                os.unlink(os.path.join(folder, name))
        os.rmdir(folder)


_PAGES = ("index.html", "play.html", "book.html", "pieces.svg")
"""The files about a ruleset, beside its archive."""


def _reported(
    made: Mapping[str, GameMatrix],
    submitted: tuple[str, ...],
    problems: Mapping[str, tuple[Diagnostic, ...]],
    arguments: Namespace,
    console: Console,
) -> int:
    """Report the answers: counts, or those about submitted rulesets; return the exit code."""
    if arguments.summary:
        ids = submitted or tuple(id for each in made.values() for id in each.alone)
        text, name = summary(made, ids, problems), arguments.summary
        with output_to(f"`{name}`"), Path(name).open("a", encoding="utf-8") as file:
            file.write(text)
    fresh = dict.fromkeys(
        each
        for matrix in made.values()
        for on, found in matrix.fresh.items()
        if not submitted or matrix.root in on or any(id in submitted for id in on)
        for each in found
    )
    wrong = dict.fromkeys(each for errors in problems.values() for each in errors)
    fresh |= wrong
    found = tuple(sorted(fresh, key=lambda each: each.sort_key))
    run = Run(__version__, (arguments.folder,), found, (), ())
    if arguments.sarif:
        write_output(arguments.sarif, FORMATS["sarif"](run).encode())
    if arguments.format != "text":
        console.document(FORMATS[arguments.format](run))
    else:
        console.show(wrong)
        for game, matrix in made.items():
            pairs = [each.verdict for on, each in matrix.sets.items() if len(on) == 2]
            good = sum(each in GOOD for each in pairs)
            console.say(
                f"{game}: {len(matrix.ids)} expansions; {good} of {len(pairs)} pairs go together; "
                f"{matrix.checked} games were proved and {matrix.played} of them played"
            )
            for line in _answers(matrix, submitted):
                console.say(line)
    alone = [
        each
        for matrix in made.values()
        for id, each in matrix.alone.items()
        if not submitted or id in submitted or id == matrix.root
    ]
    return PROBLEMS if problems or any(each.verdict == BROKEN for each in alone) else CLEAN


def _answers(matrix: GameMatrix, submitted: tuple[str, ...]) -> Iterator[str]:
    """Yield the errors of single rulesets, and the sets of submitted ones that need something."""
    for id, answer in matrix.alone.items():
        if answer.verdict == BROKEN and (not submitted or id in (*submitted, matrix.root)):
            for each in answer.findings:
                place = "{file}:{line}: ".format(**each["place"]) if each["place"] else f"{id}: "
                yield f"{place}{each['severity']}[{each['slug']}]: {each['message']}"
    for on, answer in matrix.rows():
        if answer.verdict not in (*GOOD, BROKEN) and any(id in submitted for id in on):
            yield "; ".join([f"{' + '.join(on)}: {answer.told}", *answer.messages])
