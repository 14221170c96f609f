"""A PettingZoo environment (AEC), in which the players of a game are agents that act in turn."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import AECEnv

from rulesdsl.engine.run.interface import PlayError
from rulesdsl.engine.run.rng import Rng
from rulesdsl.play.game import Game
from rulesdsl.study.observe import Actions, Arrays, Observer

_ASKED = ("asked_seat", "move_width", "asked")

Observation = dict[str, NDArray[Any]]


class Environment(AECEnv):  # type: ignore[misc]
    """A PettingZoo environment whose agents are the colours that play.

    An observation is a dict: `observation` is what the agent may see (see `Observer`), and
    `action_mask` is 1 for its legal actions (see `Actions`); for an agent that is not to move it is
    all 0. Chance resolves itself.

    The reward comes at the end: 1 shared by the winners and -1 shared by the others, or 0 for all
    if everybody has won; `infos` then has the `scores`. The same seed and actions give the same
    game; a `reset` without a seed goes on with the next game of the last seed. The `actions` in
    `infos` of the agent to move are its legal actions. An action that is not in the mask raises
    ValueError. A game in which a rule fails is truncated.
    """

    metadata = {"name": "rulesdsl_v0", "render_modes": ["ansi"], "is_parallelizable": False}  # noqa: RUF012
    render_mode = "ansi"

    def __init__(self, game: Game, players: int | None = None) -> None:
        super().__init__()
        if game.engine != "wasm":
            raise ValueError("environments need the engine `wasm`")
        self.game = game
        self._state = game.start(players, 0)
        self._attach()
        self._seeds = Rng.seeded(0)
        self.possible_agents = list(self._state.players)
        self.agents: list[str] = []
        limits = np.iinfo(np.int32)
        seen = spaces.Box(limits.min, limits.max, (self.observer.size,), np.int32)
        mask = spaces.Box(0, 1, (self.actions.count,), np.int8)
        both: dict[str, spaces.Space[Any]] = {"observation": seen, "action_mask": mask}
        self._spaces: dict[str, spaces.Dict] = {
            agent: spaces.Dict(both) for agent in self.possible_agents
        }
        self._mover: str | None = None
        self._choices = {
            agent: spaces.Discrete(self.actions.count) for agent in self.possible_agents
        }

    def _attach(self) -> None:
        plan = self._state.position.plan
        self.actions, self.observer = Actions(plan), Observer(plan)
        self._tables = Arrays()

    def __getstate__(self) -> dict[str, Any]:
        attached = ("actions", "observer", "_tables")
        return {name: value for name, value in vars(self).items() if name not in attached}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._attach()

    def observation_space(self, agent: str) -> spaces.Dict:
        """Return the space of the observations of an agent."""
        return self._spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete[np.int64]:
        """Return the space of the actions of an agent, the same for all."""
        return self._choices[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a new game."""
        if seed is not None:
            self._seeds = Rng.seeded(seed)
        self._state = self.game.start(len(self.possible_agents), self._seeds.word())
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._ask()

    def observe(self, agent: str) -> Observation:
        """Return the current observation of an agent."""
        seat = self.possible_agents.index(agent)
        self._state.position._machine.call("look", seat)
        seen = self.observer.observe(self._tables.of(self._state), np.array([seat]))[0]
        mask = np.zeros(self.actions.count, np.int8)
        if self._mover == agent:
            mask[self._offered] = 1
        return {"observation": seen, "action_mask": mask}

    def step(self, action: int | None) -> None:
        """Play an action of the agent to move (None once the game is over for it)."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        try:
            # A list finds an `int` several times as fast as a number of NumPy.
            wanted: Any = int(action) if isinstance(action, np.integer) else action
            row = self._listed.index(wanted)
        except ValueError:
            raise ValueError(f"action {action} is not legal: see `action_mask`") from None
        self.infos[agent] = {}
        self._cumulative_rewards[agent] = 0
        self._clear_rewards()
        try:
            self._state.position.play(row)
        except PlayError as error:
            self.truncations = dict.fromkeys(self.agents, True)
            self.infos = {each: {"error": str(error)} for each in self.agents}
        self._state.refresh()
        self._ask()
        self._accumulate_rewards()

    def render(self) -> str:
        """Return the view of the agent to move as text."""
        return self._state.view(self.agent_selection)

    def close(self) -> None:
        """Close nothing: the environment holds no resources."""

    def _ask(self) -> None:
        """Select the player to move as the agent; at the end set rewards and scores."""
        count, read = self._state.position._count(), self._tables.of(self._state)
        if count:
            mover, width, choice = (int(read(name)[0, 0]) for name in _ASKED)
            self._mover = self.agent_selection = self.possible_agents[mover]
            moves = read("moves")[0, : count * width].reshape(count, width)
            moves = self.actions.by_place(
                choice, moves.astype(np.int64), read, np.zeros(count, np.int64)
            )
            self._listed = self.actions.known(choice, moves)
            self._offered = np.array(self._listed, np.int64)
            self.infos[self._mover] = {"actions": self._offered}
            return
        self._mover = None
        self._listed, self._offered = [], np.zeros(0, np.int64)
        self.terminations = dict.fromkeys(self.agents, True)
        self.rewards = shares(self.agents, self._state.winners)
        self.infos = {agent: {"scores": self._state.scores()} for agent in self.agents}
        self.agent_selection = self.agents[0]


def environment(game: Game, players: int | None = None) -> Environment:
    """Return an environment of a game for so many players (default: the fewest).

    Raises ValueError for a number that the game is not for, for a game loaded with the engine
    `python`, and for too many actions.
    """
    return Environment(game, players)


def shares(players: list[str], winners: tuple[str, ...]) -> dict[str, float]:
    """Return the reward of each player at the end; they add up to 0."""
    losers = len(players) - len(winners)
    if not winners or not losers:
        return dict.fromkeys(players, 0.0)
    return {each: 1 / len(winners) if each in winners else -1 / losers for each in players}
