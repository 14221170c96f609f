"""The page of the studio: one HTML file for every host."""

from __future__ import annotations

import json
from base64 import urlsafe_b64encode
from collections.abc import Iterable
from hashlib import sha256
from typing import Any

from rulesdsl.edition import EDITION
from rulesdsl.page import write
from rulesdsl.studio.gallery import gallery, ids
from rulesdsl.studio.protocol import Data


def page(
    host: str,
    blocks: Iterable[str] = (),
    python: Iterable[str] = (),
    *,
    examples: Iterable[Data] | None = None,
) -> str:
    """Return the page for a host, with further elements that it needs.

    The host is a `server`, or Python in the browser, beside the page (`site`) or in it (`single`);
    `python` are the names of its files.

    `examples` are those of the gallery, by default the shipped ones. The same arguments make the
    same page.
    """
    script, style, game = write.built("studio.js"), write.built("studio.css"), write.shell()
    boot = {
        "host": host,
        "nonce": nonce(script),
        "edition": EDITION,
        "ids": ids(),
        "python": list(python),
        "template": write.built("studio.html"),
        "gallery": gallery() if examples is None else list(examples),
    }
    data = [
        write.packed("boot", json.dumps(boot, ensure_ascii=False).encode()),
        write.packed("page", game.encode()),
        write.packed("playouts", write.built("playouts.js").encode()),
        *blocks,
    ]
    return write.filled(
        write.built("studio.html"),
        {
            "policy": policy(script, style, host),
            "style": style,
            "script": script,
            "data": "\n".join(data),
        },
    )


def nonce(script: str) -> str:
    """Return the word by which the editor marks the styles that it makes."""
    return urlsafe_b64encode(sha256(script.encode()).digest()[:12]).decode()


def policy(script: str, style: str, host: str) -> str:
    """Return the content policy: scripts and styles of the page and of its game, nothing else.

    A frame can do no more than the page around it, so the game's are listed, too. Only the page of
    a server may ask its server.
    """
    scripts = [script, write.built("page.js")]
    styles = [style, write.built("page.css")]
    return "; ".join(
        [
            "default-src 'none'",
            f"script-src {_digests(scripts)} 'wasm-unsafe-eval'{_OF_HOST[host]['script']}",
            f"style-src {_digests(styles)} 'nonce-{nonce(script)}'",
            "worker-src blob:",
            *_OF_HOST[host]["more"],
            "base-uri 'none'",
            "form-action 'none'",
            "require-trusted-types-for 'script'",
            "trusted-types studio worker",
        ]
    )


_OF_HOST: dict[str, Any] = {
    "server": {"script": "", "more": ["connect-src 'self'"]},
    # Python is a module that the worker makes of the bytes that it is given.
    "site": {"script": " blob:", "more": ["connect-src 'self'"]},
    "single": {"script": " blob:", "more": []},
}


def _digests(texts: Iterable[str]) -> str:
    return " ".join(f"'{write.digest(text)}'" for text in texts)
