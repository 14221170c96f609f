"""The geometry of square pieces: what is drawn, what fills the rest, and how it all turns."""

from rulesdsl.geometry.outline import derive
from rulesdsl.geometry.picture import draw
from rulesdsl.geometry.ring import (
    mirror,
    outer_sides,
    port_name,
    port_text,
    ring,
    rotate,
    rotate_cell,
    turned,
)

__all__ = [
    "derive",
    "draw",
    "mirror",
    "outer_sides",
    "port_name",
    "port_text",
    "ring",
    "rotate",
    "rotate_cell",
    "turned",
]
