"""The reference engine: it walks the checked tree over a plain world, slow and obviously right."""

from rulesdsl.run.reference.position import ReferencePosition, from_bytes, start
from rulesdsl.run.reference.telling import Account, WatchedGame, playouts, told, trial

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
