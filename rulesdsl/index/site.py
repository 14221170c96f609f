"""The site of an index: its front page with the matrix, and the pages of the rulesets.

Strangers wrote all texts: they are escaped, and the pages run no script.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from html import escape
from pathlib import Path
from typing import Any

from rulesdsl import __version__
from rulesdsl.cache import entry_name
from rulesdsl.diagnostics import Diagnostic, Report, RulesError
from rulesdsl.diagnostics.report import inert_json, inert_markup
from rulesdsl.doc import rule_book
from rulesdsl.draw import Pieces, sheet_svg
from rulesdsl.engines import READY_ENGINE
from rulesdsl.index.folder import Shelf, digest, relative
from rulesdsl.index.matrix import BROKEN, CLEAN, VERDICTS, GameMatrix, Members, SetAnswer
from rulesdsl.lint.formats import finding_data
from rulesdsl.model import nodes
from rulesdsl.model.game import Credits, Ruleset
from rulesdsl.model.names import RulesetId
from rulesdsl.page import write
from rulesdsl.play import load
from rulesdsl.play.game import load_components
from rulesdsl.play.names import form
from rulesdsl.read.files import SUFFIX
from rulesdsl.read.load import load_rulesets
from rulesdsl.records import dataclass
from rulesdsl.scaffold.first_files import packed

STYLE = Path(__file__).with_name("index.css")

WORDS = dict(
    zip(
        VERDICTS,
        (
            ("✓", "proved, and played without a fault"),
            ("+", "settled by an interaction"),
            ("?", "needs an interaction"),
            ("✗", "clash"),
            ("∅", "refused"),
            ("!", "one of them has errors of its own"),
        ),
        strict=True,
    )
)
"""The sign and the words for each verdict."""

MADE = ("book.html", "pieces.svg", "play.html")
"""The files that are made for a ruleset, besides its archive and its page."""

SHEET = 90
"""The width of a cell in the pictures of pieces, in pixels."""


@dataclass(frozen=True)
class Entry:
    """A ruleset of the index, with its header as far as it could be read.

    `game` is the game that it extends, itself if it extends none. `files` are the names of the
    files made for it, with their SHA-256.
    """

    id: str
    game: str | None
    label: str
    version: str
    credits: Credits
    requires: tuple[str, ...]
    interaction: tuple[tuple[str, ...], ...]
    house: bool
    settings: Mapping[str, Any]
    files: Mapping[str, str]


def entry(shelf: Shelf, id: str, made: Mapping[str, bytes]) -> Entry:
    """Return the entry of a ruleset, of which these files were made."""
    report = Report()
    rulesets = load_rulesets(RulesetId(id), paths=shelf.paths, report=report)
    ruleset = next((each for each in rulesets if each.id == id), None)
    header = shelf.headers.get(id)
    own = {*MADE, f"{id}-{ruleset.version}{SUFFIX}" if ruleset else ""}  # no older archives
    files = {name: sha256(data).hexdigest() for name, data in sorted(made.items()) if name in own}
    plain: Any = {} if ruleset is None else nodes.plain(ruleset.manifest)
    label = form(str(plain.get("labels", {}).get("en", {}).get(id, id)), 1)
    return Entry(
        id,
        shelf.game_of(id),
        label,
        ruleset.version if ruleset else "",
        ruleset.credits if ruleset else Credits("", (), "", ""),
        tuple(map(str, plain.get("requires", ()))),
        header.interaction if header else (),
        bool(header and header.house),
        plain.get("settings", {}),
        files,
    )


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
        from rulesdsl.draw.images import portable

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


# --- data ----------------------------------------------------------------------------------------


def data(shelf: Shelf, entries: Sequence[Entry], made: Mapping[str, GameMatrix]) -> str:
    """Return the index as JSON, as `schemas/index.schema.json` describes it."""
    document = {
        "format": 1,
        "version": __version__,
        "rulesets": [
            {
                "id": each.id,
                "game": each.game,
                "label": each.label,
                "version": each.version,
                **each.credits._asdict(),
                "requires": each.requires,
                "interaction": each.interaction,
                "house": each.house,
                "files": {f"{each.id}/{name}": value for name, value in each.files.items()},
                "verdict": _alone(each, made).verdict,
                "findings": relative(_alone(each, made).findings, shelf.folder),
            }
            for each in entries
        ],
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
                    for on, answer in sorted(matrix.sets.items(), key=_order)
                ],
            }
            for game, matrix in made.items()
        ],
    }
    return inert_json(document) + "\n"


def _alone(each: Entry, made: Mapping[str, GameMatrix]) -> SetAnswer:
    matrix = made.get(each.game or "")
    return matrix.alone.get(each.id, SetAnswer(CLEAN)) if matrix else SetAnswer(BROKEN)


def _order(item: tuple[Members, SetAnswer]) -> tuple[int, Members]:
    return len(item[0]), item[0]


# --- pages ---------------------------------------------------------------------------------------


def front(entries: Sequence[Entry], made: Mapping[str, GameMatrix], title: str) -> str:
    """Return the front page: the rulesets of each game, and its matrix."""
    body = [f"<h1>{escape(title)}</h1>"]
    for game in sorted({each.game or "" for each in entries}):
        own = [each for each in entries if (each.game or "") == game]
        labels = [each.label for each in own if each.id == game]
        heading = labels[0] if labels else game or "Rulesets whose game is missing"
        body.append(f"<h2>{escape(heading)}</h2>")
        body.append(f'<ul class="shelf">{"".join(map(_card, own))}</ul>')
        if game in made and len(made[game].ids) > 1:
            body += _matrix(made[game])
    return _page(title, "\n".join(body))


def _card(each: Entry) -> str:
    credit = " · ".join(filter(None, [", ".join(each.credits.authors), each.credits.licence]))
    picture = f'<img src="{each.id}/pieces.svg" alt="" loading="lazy">'
    return (
        f'<li><a href="{each.id}/index.html">{picture if "pieces.svg" in each.files else ""}'
        f"<b>{escape(each.label)}</b></a> <small>{escape(each.version)}</small>"
        f"<p>{escape(each.credits.description)}</p><small>{escape(credit)}</small></li>"
    )


def _matrix(matrix: GameMatrix) -> Iterator[str]:
    """Yield the lower half of the matrix of pairs, and the larger sets."""
    key = " ".join(f'<span class="{v}">{sign} {said}</span>' for v, (sign, said) in WORDS.items())
    yield f'<h3>Which go together</h3><p class="key">{key}</p>'
    yield '<div class="wide"><table class="matrix">'
    for at, id in enumerate(matrix.ids):
        cells = "".join(_cell((other, id), matrix) for other in matrix.ids[:at])
        yield f'<tr><th scope="row"><a href="{id}/index.html">{id}</a></th>{cells}<td></td></tr>'
    yield "</table></div>"
    larger = [on for on in sorted(matrix.sets) if len(on) > 2]
    for on in larger:
        answer = matrix.sets[on]
        yield (
            f'<p class="{answer.verdict}">{WORDS[answer.verdict][0]} {", ".join(on)}: '
            f'<a href="{on[0]}/index.html#{"-".join(on[1:])}">{_said(answer)}</a></p>'
        )


def _cell(on: Members, matrix: GameMatrix) -> str:
    answer = matrix.sets.get(on, SetAnswer(BROKEN))
    title = f"{on[0]} + {on[1]}: {_said(answer)}"
    return (
        f'<td class="{answer.verdict}"><a href="{on[1]}/index.html#{on[0]}" '
        f'title="{title}">{WORDS[answer.verdict][0]}</a></td>'
    )


def _said(answer: SetAnswer) -> str:
    """Return a verdict in words, as HTML."""
    words = WORDS[answer.verdict][1]
    if answer.said:
        return f"{words} by {escape(answer.by)}: {escape(answer.said)}"
    return f"{words}: {escape(answer.by)}" if answer.by else words


def ruleset_page(each: Entry, matrix: GameMatrix | None, shelf: Shelf) -> str:
    """Return the page of a ruleset."""
    credits = each.credits
    facts = [f"<code>{each.id}</code>", f"version {escape(each.version)}"]
    facts += [f"by {escape(', '.join(credits.authors))}"] if credits.authors else []
    facts += [f"licence: {escape(credits.licence)}"] if credits.licence else []
    facts += ["house rules"] if each.house else []
    if each.requires:
        facts.append(f"extends {escape(', '.join(each.requires))}")
    if each.interaction:
        groups = ", or ".join(" + ".join(map(escape, group)) for group in each.interaction)
        facts.append(f"loaded automatically with {groups}")
    body = [
        '<nav><a href="../index.html">All rulesets</a></nav>',
        f"<h1>{escape(each.label)}</h1><p>{' · '.join(facts)}</p>",
        f"<p>{escape(credits.description)}</p>",
    ]
    if credits.homepage:
        address = escape(credits.homepage)
        body.append(f'<p><a href="{address}" rel="nofollow noreferrer">{address}</a></p>')
    links = {"play.html": "Play now", "book.html": "Rule book"}
    shown = [(name, text) for name, text in links.items() if name in each.files]
    shown += [(name, f"Download {name}") for name in each.files if name.endswith(SUFFIX)]
    body.append(
        f'<p class="do">{" ".join(f"<a href={name!r}>{text}</a>" for name, text in shown)}</p>'
    )
    body.append("<p>To open it in the studio, put the archive's files into a folder:</p>")
    body.append("<pre>rulesdsl studio FOLDER</pre>")
    if "pieces.svg" in each.files:
        body.append('<p><img src="pieces.svg" alt="the pieces"></p>')
    body += _settings(each)
    if matrix is not None:
        alone = matrix.alone.get(each.id, SetAnswer(CLEAN))
        body += ["<h2>Problems of its own</h2>"] if alone.findings else []
        body += _findings(alone.findings, shelf)
        body += _partners(each.id, matrix, shelf)
    return _page(each.label, "\n".join(body))


def _settings(each: Entry) -> Iterator[str]:
    if each.settings:
        yield '<h2>Settings</h2><div class="wide"><table>'
        yield "<tr><th>name<th>default<th>values</tr>"
        for name, setting in each.settings.items():
            values = setting.get("values") or setting.get("range") or ["true", "false"]
            between = " to " if "range" in setting else ", "
            cells = (name, setting["default"], between.join(map(str, values)))
            yield f"<tr>{''.join(f'<td>{escape(_plain(cell))}</td>' for cell in cells)}</tr>"
        yield "</table></div>"


def _plain(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _partners(id: str, matrix: GameMatrix, shelf: Shelf) -> Iterator[str]:
    """Yield the answers about all sets with a ruleset, those with findings first."""
    sets = {on: answer for on, answer in matrix.sets.items() if id in on}
    if not sets:
        return
    yield "<h2>Together with others</h2>"
    good = [on for on, answer in sorted(sets.items()) if answer.verdict == CLEAN]
    for on, answer in sorted(sets.items(), key=_order):
        if answer.verdict != CLEAN:
            others = [each for each in on if each != id]
            links = " + ".join(f'<a href="../{each}/index.html">{each}</a>' for each in others)
            yield (
                f'<details class="{answer.verdict}" id="{"-".join(others)}" open><summary>'
                f"{WORDS[answer.verdict][0]} {links}: {_said(answer)}</summary>"
            )
            yield from _findings(answer.findings, shelf)
            yield "</details>"
    if good:
        names = [next(each for each in on if each != id) for on in good if len(on) == 2]
        items = ", ".join(f'<a id="{n}" href="../{n}/index.html">{n}</a>' for n in names)
        yield f'<p class="clean">✓ {WORDS[CLEAN][1]}: {items}</p>'


def _findings(findings: Iterable[Mapping[str, Any]], shelf: Shelf) -> Iterator[str]:
    """Yield findings with their lines."""
    for each in relative(list(findings), shelf.folder):
        places = [each["place"], *each["labels"]]
        lines = [
            f"{place['file']}:{place['line']}: {place['text']}".rstrip(": ")
            for place in places
            if place
        ]
        helps = [f"= {line}" for line in each["help"]]
        head = f"{each['severity']}[{each['slug']}]: {each['message']}"
        yield f"<pre>{escape(chr(10).join([head, *lines, *helps]))}</pre>"


def _page(title: str, body: str) -> str:
    """Return a page that runs no script, and shows only pictures of its own folder."""
    style = STYLE.read_text(encoding="utf-8")
    policy = (
        f"default-src 'none'; style-src '{write.digest(style)}'; img-src 'self' file:; "
        "base-uri 'none'; form-action 'none'"
    )
    return inert_markup(
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{style}</style>\n</head>\n"
        f"<body>\n{body}\n</body>\n</html>\n"
    )


# --- the whole -----------------------------------------------------------------------------------


def files(
    shelf: Shelf,
    made: Mapping[str, GameMatrix],
    fresh: Mapping[str, Mapping[str, bytes]],
    title: str,
    read: Callable[[str], Mapping[str, bytes]],
) -> dict[str, bytes]:
    """Return the files of a site by name, without those that keep results.

    `fresh` are the files of rulesets that were made now; `read` returns those of another one.
    """
    entries = [entry(shelf, id, fresh[id] if id in fresh else read(id)) for id in shelf.rulesets]
    found = {f"{id}/{name}": text for id, own in fresh.items() for name, text in own.items()}
    for each in entries:
        page = ruleset_page(each, made.get(each.game or ""), shelf)
        found[f"{each.id}/index.html"] = page.encode()
    found["index.html"] = front(entries, made, title).encode()
    found["index.json"] = data(shelf, entries, made).encode()
    return found


def summary(
    made: Mapping[str, GameMatrix],
    submitted: Sequence[str],
    problems: Mapping[str, Sequence[Diagnostic]],
) -> str:
    """Return the answers about submitted rulesets, and problems, as a page in Markdown."""
    lines = list[str]()
    for id in submitted:
        for matrix in (each for each in made.values() if id in each.alone):
            sets = {on: answer for on, answer in matrix.sets.items() if id in on}
            lines += [f"## `{id}`", "", f"Alone: {_words_of(matrix.alone[id])}.", ""]
            lines += ["| with | |", "| --- | --- |"] if sets else []
            for on, answer in sorted(sets.items(), key=_order):
                names = ", ".join(f"`{each}`" for each in on if each != id)
                sign = WORDS[answer.verdict][0]
                lines.append(f"| {names} | {sign} {_words_of(answer)} |")
            lines.append("")
    shared: dict[tuple[Diagnostic, ...], list[str]] = {}
    for name, errors in problems.items():
        shared.setdefault(tuple(errors), []).append(name.translate(_SIGNS))
    for found, together in shared.items():
        answer = SetAnswer(BROKEN, tuple(map(finding_data, found)))
        lines += [f"## {', '.join(together)}", "", f"{_words_of(answer)}.", ""]
    return "\n".join(lines) + "\n"


_SIGNS = str.maketrans({each: f"\\{each}" for each in "\\|`*_[]<>#&"})


def _words_of(answer: SetAnswer) -> str:
    """Return an answer in one line of Markdown."""
    parts = [WORDS[answer.verdict][1]]
    parts += [f"`{answer.by}`"] if answer.by else []
    parts += [answer.said.translate(_SIGNS)] if answer.said else []
    parts += [
        f"{str(each['message']).translate(_SIGNS)} ({each['slug']})" for each in answer.findings
    ]
    return "; ".join(parts)
