"""What the rules of a game consist of, for all who ask what they read, call and change."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain

from rulesdsl.model import checked
from rulesdsl.model.checked import Nodes


@dataclass(frozen=True)
class Contents:
    """The nodes of all that a game declares, by full name as on `Checked`."""

    states: Mapping[str, Nodes]
    values: Mapping[str, Nodes]
    actions: Mapping[str, Nodes]
    choices: Mapping[str, Nodes]
    always: Nodes

    def every(self) -> Iterator[Nodes]:
        """All of them."""
        tables = (self.states, self.values, self.actions, self.choices)
        yield from chain.from_iterable(table.values() for table in tables)
        yield self.always


def contents(game: checked.Checked) -> Contents:
    """The nodes of the rules of a game; in which order hooks run makes no difference."""
    return Contents(
        {key: Nodes(state) for key, state in game.states.items()},
        {key: Nodes(value) for key, value in game.values.items()},
        {key: Nodes(action) for key, action in game.actions.items()},
        {key: Nodes(choice) for key, choice in game.choices.items()},
        Nodes(game.always),
    )
