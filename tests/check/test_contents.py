"""What all checks ask about the nodes of a game is told as the trees tell it."""

from __future__ import annotations

from rulesdsl.language.check.graph import contents
from rulesdsl.language.model import checked
from tests.check.conflicts.fair import fair


def test_nodes_are_told_apart_by_their_class_in_the_order_of_the_tree() -> None:
    game = fair({}).checked
    assert game is not None
    for action in game.actions.values():
        nodes = checked.Nodes(action)
        assert nodes.of(checked.ActionDef) == [action]
        for cls in (checked.Perform, checked.ReadState, checked.Local):
            assert list(nodes.of(cls)) == [
                node for node in checked.walk(action) if type(node) is cls
            ]


def test_every_node_of_a_game_is_in_its_contents() -> None:
    game = fair({"east": "after trade(p): nothing\n"}).checked
    assert game is not None
    tables = (game.states, game.values, game.actions, game.choices)
    trees = [tree for table in tables for tree in table.values()]
    calls = [
        node for node in checked.walk((*trees, *game.always)) if isinstance(node, checked.CallValue)
    ]
    assert calls
    found = [node for nodes in contents(game).every() for node in nodes.of(checked.CallValue)]
    assert found == calls
