"""The page that plays a game: one HTML file that needs nothing else."""

from __future__ import annotations

import json
import re
import zlib
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from html import escape
from pathlib import Path
from typing import Literal

from rulesdsl.language.diagnostics.report import inert_markup
from rulesdsl.language.read.manifest import EDITION
from rulesdsl.play import Game
from rulesdsl.play.records import Record
from rulesdsl.show.page.plan import module_of, shared

BUILT = Path(__file__).with_name("built")
"""The page without a game, made of `tools/page/` by `python3 -m tools page`."""

_FIELD = re.compile(r"\{\{(\w+)\}\}")


def page(
    game: Game,
    counts: Iterable[int],
    record: Record | None = None,
    *,
    served: Literal["served", "hosted"] | None = None,
) -> str:
    """Return the page of a game for these numbers of players, perhaps with a record to look at.

    A page that is `served` sends the record of each game to its server, one that is `hosted` plays
    at a table of its server, any other page sends nothing to anybody. The same game makes the same
    page.
    """
    modules = {count: module_of(game, count) for count in counts}
    plan = {**shared(game), "games": [data for _, data in modules.values()]}
    blocks = [packed("plan", _json(plan).encode())]
    blocks += [packed(f"module-{count}", module) for count, (module, _) in modules.items()]
    blocks.append(block("worker", "text/plain", built("worker.js")))
    if served:
        blocks.append(block(served, "text/plain", ""))
    if record is not None:
        inert = record.span.source.text.replace("<", "\\u003c").replace("##", "#\\u0023")
        blocks.append(block("record", "application/x-ndjson", inert))
    title = inert_markup(escape(game.labels(game.checked.game.roles.ruleset)))
    return _page(title, blocks, served=bool(served))


def _page(title: str, blocks: Iterable[str], *, served: bool = False) -> str:
    script, style = built("page.js"), built("page.css")
    return filled(
        built("page.html"),
        {
            "policy": policy([script], [style], connects=served),
            "title": title,
            "style": style,
            "script": script,
            "data": "\n".join(blocks),
        },
    )


def policy(
    scripts: Iterable[str],
    styles: Iterable[str],
    *,
    connects: bool,
    more_scripts: str = "",
    more_styles: str = "",
    trusted: str = "worker",
) -> str:
    """Return the content policy: only these scripts and styles, no markup of others.

    The worker is made of the page's own text, and compiles modules; images are part of the page. A
    page that `connects` may only ask its own server.
    """
    return "; ".join(
        [
            "default-src 'none'",
            f"script-src {_digests(scripts)} 'wasm-unsafe-eval'{more_scripts}",
            f"style-src {_digests(styles)}{more_styles}",
            "img-src data:",
            "worker-src blob:",
            *(["connect-src 'self'"] if connects else []),
            "base-uri 'none'",
            "form-action 'none'",
            "require-trusted-types-for 'script'",
            f"trusted-types {trusted}",
        ]
    )


def _digests(texts: Iterable[str]) -> str:
    return " ".join(f"'{digest(text)}'" for text in texts)


def digest(text: str) -> str:
    """Return the digest of a script or style, as content policies name it."""
    return "sha256-" + b64encode(sha256(text.encode()).digest()).decode()


def filled(template: str, values: Mapping[str, str]) -> str:
    """Return a template with its fields filled; what is filled in is not looked at again."""
    return _FIELD.sub(lambda field: values[field[1]], template)


def packed(name: str, data: bytes, *, deflated: bool = False) -> str:
    """Return an element that holds data, compressed, unless it is `deflated` already."""
    small = data if deflated else zlib.compress(data, 9)
    return block(name, "application/octet-stream", b64encode(small).decode())


def block(name: str, kind: str, text: str) -> str:
    """Return an element that holds a text that is part of the page's own code."""
    assert "</script" not in text.lower(), "a block would end early"
    return f'<script type="{kind}" id="{name}">{text}</script>'


def link(main: str, expansions: Sequence[str], files: Mapping[str, str]) -> str:
    """Return the part behind `#` of an address that opens files in a studio without a server."""
    shared = {
        "version": 1,
        "edition": EDITION,
        "players": 2,
        "seed": "8",
        "lines": [],
        "main": main,
        "with": list(expansions),
        "files": dict(files),
    }
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    data = packer.compress(_json(shared).encode()) + packer.flush()
    return urlsafe_b64encode(data).decode().rstrip("=")


def shell() -> str:
    """Return the page without a game, for a frame in the page of the studio that sends games."""
    texts = {"worker": built("worker.js"), "embedded": ""}
    return _page("game", [block(name, "text/plain", text) for name, text in texts.items()])


def _json(data: object) -> str:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))


def built(name: str) -> str:
    """Return a file that `python3 -m tools page` has built."""
    return (BUILT / name).read_text(encoding="utf-8").rstrip("\n")
