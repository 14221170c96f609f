"""A game that is played on the command line, by people and bots."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import field

from rulesdsl.base.records import dataclass
from rulesdsl.cli.console import output_to
from rulesdsl.cli.loading import RecordFile
from rulesdsl.cli.narration import Narrator
from rulesdsl.cli.prompt import Command, Prompt
from rulesdsl.play import Move, Place, State
from rulesdsl.play.bots import Bot
from rulesdsl.play.events import Watch
from rulesdsl.play.records import Recorder, is_fair, undo


@dataclass(frozen=True)
class Save:
    """A snapshot of everything that a move changes, with the end of the record."""

    state: State
    watch: Watch
    bots: Mapping[str, Bot]
    record: int


@dataclass(frozen=True)
class PastMove:
    """A move that was played, and what was before it if a person made it.

    `taken` says that the record marks it, since moves were taken back before it.
    """

    by: str
    fair: bool
    taken: bool = False
    before: Save | None = None


@dataclass
class TerminalSession:
    """A game in progress.

    `bots` play for their colours; people play for all others, through `prompt`.
    """

    state: State
    watch: Watch
    bots: Mapping[str, Bot]
    teller: Narrator
    prompt: Prompt
    file: RecordFile
    recorder: Recorder
    plies: list[PastMove] = field(default_factory=list)
    """All moves of the game so far."""
    _taken: bool = False

    def play(self) -> bool:
        """Play on; return True at the end of the game, False if a person has quit.

        Raises RulesError if the record cannot be written, and PlayError if a rule fails.
        """
        fresh, last = True, None
        while (mover := self.state.mover) is not None:
            bot = self.bots.get(mover)
            if bot is not None:
                with self.prompt.thinking(mover):
                    move = bot.decide(self.state)
                last = self._play(move, bot) or last
                fresh = True
                continue
            answer = self.prompt.ask(self.state, last, fresh)
            match answer:
                case Move():
                    last = self._play(answer) or last
                    fresh = self.state.mover != mover
                case Command.UNDO:
                    fresh = self._undo() or fresh
                case _:
                    return False
        with self._writing():
            self.recorder.result(self.state)
        self.teller.end(self.state, self.watch.points)
        return True

    def _play(self, move: Move, bot: Bot | None = None) -> Place | None:
        """Play, record and show a move; return the cell on which it laid a piece.

        In games that people play the random numbers of bots are recorded, so that a game goes on as
        if it had never been interrupted.
        """
        by = self.state.mover
        assert by is not None, "the game is not over"
        save = None if bot else self._save()
        self.watch.before(move)
        before = self.state.position.shown()
        self.state.play(move)
        fair = is_fair(before, self.state.position.shown())
        with_people = len(self.bots) < len(self.state.players)
        stream = {"stream": bot.rng.text} if bot and with_people else {}
        step = self.watch.after(move)
        taken = {"taken_back": True} if self._taken else {}
        events = {"events": step.noted} if step.events else {}
        with self._writing():
            self.recorder.move(by, move, **stream, **taken, **events)
        self.plies.append(PastMove(by, fair, self._taken, save))
        self._taken = False
        self.teller.moved(step, self.state)
        return step.laid

    def _undo(self) -> bool:
        """Take back what the rule of undo allows; return whether that is anything."""
        humans = [colour for colour in self.state.players if colour not in self.bots]
        found = undo(self.plies, humans)
        if found is None:
            made = any(ply.by in humans for ply in self.plies)
            self.prompt.say("not-to-undo" if made else "nothing-to-undo")
            return False
        gone = self.plies[found.to :]
        assert gone[0].before is not None, "moves of people are saved"
        self._restore(gone[0].before)
        del self.plies[found.to :]
        self._taken = self._taken or not found.fair or any(ply.taken for ply in gone)
        self.prompt.say("undone")
        return True

    def _writing(self) -> AbstractContextManager[None]:
        kept = "the moves recorded so far are kept and can be replayed"
        return output_to(f"the record `{self.file.name}`", kept)

    def _save(self) -> Save:
        state = self.state.clone()
        return Save(state, self.watch.copy(state), copy.deepcopy(self.bots), self.file.mark())

    def _restore(self, save: Save) -> None:
        with self._writing():
            self.file.cut(save.record)
        self.state, self.watch = save.state, save.watch
        self.bots = save.bots
