"""The site of an index: its front page with the matrix, and the pages of the rulesets.

Strangers wrote all texts: the template escapes them, and the pages run no script.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from hashlib import sha256
from pathlib import Path, PurePath
from typing import Any, NamedTuple

from markupsafe import Markup

from rulesdsl import __version__
from rulesdsl.author.index import Shelf, relative
from rulesdsl.author.index.matrix import BROKEN, CLEAN, WORDS, GameMatrix, SetAnswer
from rulesdsl.author.scaffold.first_files import packed
from rulesdsl.base.cache import digest, entry_name
from rulesdsl.engine.run import READY_ENGINE
from rulesdsl.language.diagnostics import Report, RulesError
from rulesdsl.language.diagnostics.report import inert_json, inert_markup
from rulesdsl.language.model import nodes
from rulesdsl.language.model.game import Credits, Ruleset
from rulesdsl.language.model.names import RulesetId
from rulesdsl.language.read.files import SUFFIX, FileProblem, decode
from rulesdsl.language.read.load import load_rulesets
from rulesdsl.language.read.manifest import without_editor_lines
from rulesdsl.play import load
from rulesdsl.play.game import load_components
from rulesdsl.play.names import form
from rulesdsl.show.doc import rule_book
from rulesdsl.show.doc.page import templates
from rulesdsl.show.draw import Pieces, sheet_svg
from rulesdsl.show.page import write

_STYLE = Path(__file__).with_name("index.css")

MADE = ("book.html", "pieces.svg", "play.html")
"""The files that are made for a ruleset, besides its archive and its page."""

SHEET = 90
"""The width of a cell in the pictures of pieces, in pixels."""


class Entry(NamedTuple):
    """A ruleset of the index: its part of `index.json`, its settings, and its link to the studio.

    The link is the part of an address after `#`. It is empty if the manifest cannot be read, or if
    there are images, which links do not hold.
    """

    data: dict[str, Any]
    settings: Mapping[str, Any]
    link: str


def entry(
    shelf: Shelf, id: str, written: Mapping[str, bytes], made: Mapping[str, GameMatrix]
) -> Entry:
    """Return the entry of a ruleset, of which these files were written."""
    rulesets = load_rulesets(RulesetId(id), paths=shelf.paths, report=Report())
    ruleset = next((each for each in rulesets if each.id == id), None)
    version = ruleset.version if ruleset else ""
    own = {*MADE, f"{id}-{version}{SUFFIX}"}  # no older archives
    header, game = shelf.headers.get(id), shelf.game_of(id)
    matrix = made.get(game or "")
    alone = matrix.alone.get(id, SetAnswer(CLEAN)) if matrix else SetAnswer(BROKEN)
    plain: Any = nodes.plain(ruleset.manifest) if ruleset else {}
    data = {
        "id": id,
        "game": game,
        "label": label(id, ruleset),
        "version": version,
        **(ruleset.credits if ruleset else Credits("", (), "", ""))._asdict(),
        "requires": [*map(str, plain.get("requires", ()))],
        "interaction": header.interaction if header else (),
        "house": bool(header and header.house),
        "files": {
            f"{id}/{name}": sha256(text).hexdigest()
            for name, text in sorted(written.items())
            if name in own
        },
        "verdict": alone.verdict,
        "findings": relative(alone.findings, shelf.folder),
    }
    whole = ruleset and not any(each.images for each in rulesets)
    text = write.link(f"{id}.yaml", (), shared_files(shelf, id, rulesets)) if whole else ""
    return Entry(data, plain.get("settings", {}), text)


def label(id: str, ruleset: Ruleset | None) -> str:
    """Return the English name of a ruleset; its id if there is none."""
    labels = nodes.get(ruleset.manifest.get("labels"), "en") if ruleset else None
    return form(nodes.text(labels, id) or id, 1)


def shared_files(shelf: Shelf, id: str, rulesets: Sequence[Ruleset]) -> dict[str, str]:
    """Return the files of a ruleset for the studio, and of those it needs and that are not shipped.

    They are named after their rulesets: manifest, rules, and the scenarios of `id`.
    """
    found = dict[str, str]()
    for each in rulesets:
        if each.id == id or each.digest not in shelf.shipped:
            text, named = each.manifest.span.source.text, each.manifest.get("rules")
            if each.rules and named:
                found[f"{each.id}.rules"] = each.rules.text
                text = f"{text[: named.span.start]}{each.id}.rules{text[named.span.end :]}"
            found[f"{each.id}.yaml"] = without_editor_lines(text.encode()).decode()
    own = shelf.rulesets[id]
    with suppress(FileProblem):
        name = f"{PurePath(own.file).stem}.test.yaml"
        tests = decode(without_editor_lines(own.folder.read(name)), name).text
        found[f"{id}.test.yaml"] = tests
    return found


def made_files(shelf: Shelf, id: str) -> dict[str, bytes]:
    """Return the picture, the book, the page that plays, and the archive of a ruleset.

    What its mistakes make impossible is left out.
    """
    found, paths = dict[str, bytes](), shelf.paths
    try:
        box = load_components(RulesetId(id), paths=paths)
    except RulesError:
        return found
    ruleset = next(each for each in box.checked.game.rulesets if each.id == id)
    pieces = Pieces(box, "en")
    kinds = [(pieces, kind) for kind in box.checked.game.kinds if kind.ruleset == id]
    if kinds:
        found["pieces.svg"] = sheet_svg(kinds, SHEET).encode()
    try:
        game = load(RulesetId(id), (), {}, READY_ENGINE, paths=paths)
        found["play.html"] = write.page(game, game.players).encode()
        found["book.html"] = rule_book(game, "en", paths, Report()).encode()
        found[f"{id}-{ruleset.version}{SUFFIX}"] = _archive(shelf, id, ruleset)
    except RulesError:
        pass
    return found


def _archive(shelf: Shelf, id: str, ruleset: Ruleset) -> bytes:
    """Return the archive of a ruleset, that of the folder if it has one."""
    if id in shelf.archives:
        return Path(shelf.archives[id]).read_bytes()
    images: Mapping[str, bytes] = {}
    if ruleset.images:
        from rulesdsl.show.draw.images import portable

        game = load_components(RulesetId(id), paths=shelf.paths)
        images = portable(game.checked.game, ruleset)
    found = shelf.rulesets[id]
    given = found.folder.shown(found.file)
    inner = os.path.dirname(given)
    alone = os.path.abspath(inner or ".") != os.path.abspath(shelf.folder)
    return packed(os.path.join(os.curdir, inner if alone else given), ruleset, images)[0]


def written_files(site: str, id: str) -> dict[str, bytes]:
    """Return the files of a ruleset that a site has; none if they cannot be read."""
    own = Path(site) / id
    try:
        names = [each for each in sorted(own.iterdir()) if each.name != "index.html"]
        return {each.name: each.read_bytes() for each in names}
    except OSError:
        return {}


def files_key(shelf: Shelf, id: str) -> str:
    """Return the key of the files of a ruleset: it changes when they would be others."""
    rulesets = load_rulesets(RulesetId(id), paths=shelf.paths, report=Report())
    parts = [each.digest.encode() for each in rulesets]
    own = next((each for each in rulesets if each.id == id), None)
    if own is not None:
        try:
            parts.append(_archive(shelf, id, own))
        except (RulesError, OSError):
            parts.append(b"")
    return entry_name("page", digest(*parts).encode(), "html")


# --- the whole -----------------------------------------------------------------------------------


def files(
    shelf: Shelf,
    made: Mapping[str, GameMatrix],
    fresh: Mapping[str, Mapping[str, bytes]],
    title: str,
    read: Callable[[str], Mapping[str, bytes]],
    studio: str,
) -> dict[str, bytes]:
    """Return the files of a site by name, without those that keep results.

    `fresh` are the files of rulesets that were made now; `read` returns those of another one.
    `studio` is the address of a studio for the pages of rulesets, empty if there is none.
    """
    entries = [
        entry(shelf, id, fresh[id] if id in fresh else read(id), made) for id in shelf.rulesets
    ]
    found = {f"{id}/{name}": text for id, own in fresh.items() for name, text in own.items()}
    shelves = []
    for game in sorted({each.data["game"] or "" for each in entries}):
        own = [each.data for each in entries if (each.data["game"] or "") == game]
        root = made[game].rulesets.get(game) if game in made else None
        heading = label(game, root) if game else "Rulesets whose game is missing"
        shelves.append((heading, own, made.get(game)))
    for each in entries:
        id, matrix = each.data["id"], made.get(each.data["game"])
        sets = matrix.rows(id) if matrix else []
        found[f"{id}/index.html"] = _page(
            shelf, title=each.data["label"], entry=each, sets=sets, studio=studio
        )
    found["index.html"] = _page(shelf, title=title, entry=None, shelves=shelves)
    document = {
        "format": 1,
        "version": __version__,
        "rulesets": [each.data for each in entries],
        "games": [
            {
                "game": game,
                "expansions": matrix.ids,
                "sets": [
                    {
                        "with": on,
                        "verdict": answer.verdict,
                        "by": answer.by or None,
                        "because": answer.said or None,
                        "findings": relative(answer.findings, shelf.folder),
                    }
                    for on, answer in matrix.rows()
                ],
            }
            for game, matrix in made.items()
        ],
    }
    found["index.json"] = f"{inert_json(document)}\n".encode()
    return found


def _page(shelf: Shelf, **given: object) -> bytes:
    """Return a page that runs no script, and shows only pictures of its own folder."""
    style = _STYLE.read_text(encoding="utf-8")
    page = templates("rulesdsl.author.index").get_template("site.html.jinja")
    text = page.render(
        policy=f"style-src '{write.digest(style)}'",
        style=Markup(style),
        words=WORDS,
        relative=partial(relative, folder=shelf.folder),
        **given,
    )
    return inert_markup(text).encode()
