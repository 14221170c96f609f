"""The reference engine: it walks the checked tree over a plain world, slow and obviously right."""

from rulesdsl.engines.reference.position import ReferencePosition, from_bytes, start
from rulesdsl.engines.reference.telling import Account, WatchedGame, playouts, told, trial

__all__ = [
    "Account",
    "ReferencePosition",
    "WatchedGame",
    "from_bytes",
    "playouts",
    "start",
    "told",
    "trial",
]
