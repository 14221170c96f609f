"""SVG as PNG, by resvg, with letters that look alike on every machine."""

from __future__ import annotations

import re

_SIZE = re.compile(r'<svg [^>]*?width="([0-9.]+)" height="([0-9.]+)"')
_KNOWN = "\u0180"
"""The font has a letter for what comes before this character."""


MOST = 64_000_000
"""The pixels of a picture, at most."""


def png(svg: str) -> bytes:
    """Draw an SVG text as PNG, with a pixel for each of its own.

    Letters that the font does not have are taken from those of the machine. Raises ImportError
    when the packages are not installed, ValueError for what is no picture or too large.
    """
    try:
        import font_lato
        import resvg_py
    except ImportError as error:
        raise ImportError("PNG needs: pip install 'rulesdsl[pictures]'") from error
    size = _SIZE.match(svg)
    if size is None or float(size[1]) * float(size[2]) > MOST:
        raise ValueError(f"the picture has more than {MOST} pixels")
    return bytes(
        resvg_py.svg_to_bytes(
            svg_string=svg,
            font_files=[font_lato.LatoBold],
            sans_serif_family="Lato",
            font_family="Lato",
            skip_system_fonts=all(char < _KNOWN or char == "…" for char in svg),
            background="#ffffff",
        )
    )
