"""Arguments of `rulesdsl replay`."""

from __future__ import annotations

from rulesdsl.cli.arguments.parsers import Commands, added
from rulesdsl.cli.arguments.shared import engine, files, path, telling, timeout

_EXAMPLES = """\
Stops at the first move that is not legal, and says so; also if a ruleset has
changed since the game was recorded. Rulesets are also sought beside the record.
A record that stops before the end of the game is replayed as far as it goes,
with a warning and exit code 1.

examples:
  rulesdsl replay game.jsonl
  rulesdsl replay - --json < game.jsonl

"""


def add(commands: Commands) -> None:
    """Add the command."""
    replay = added(commands, "replay", "replay a recorded game", _EXAMPLES)
    replay.set_defaults(module="replay", function="command")
    files(replay.add_argument("record", metavar="FILE", help="the record; - for standard input"))
    path(replay)
    engine(replay)
    telling(replay)
    timeout(replay)
