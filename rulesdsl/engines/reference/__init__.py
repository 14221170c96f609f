"""The reference engine, which walks the checked tree over plain data: slow, and easy to verify."""

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
