"""A game that is played on the command line, by people and bots."""

from __future__ import annotations

import copy
from collections.abc import Mapping

from rulesdsl.cli.console import output_failed
from rulesdsl.cli.loading import RecordFile
from rulesdsl.cli.narration import Narrator
from rulesdsl.cli.prompt import Prompt
from rulesdsl.cli.question import Command
from rulesdsl.play import Move, Place, State
from rulesdsl.play.bots import Bot
from rulesdsl.play.records import Recorder
from rulesdsl.play.watch import Watch
from rulesdsl.records import dataclass


@dataclass(frozen=True)
class Save:
    """A snapshot of everything that a move changes."""

    state: State
    watch: Watch
    bots: Mapping[str, Bot]
    record: int


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

    def play(self) -> bool:
        """Play on; return True at the end of the game, False if a person has quit.

        Raises RulesError if the record cannot be written, and PlayError if a rule fails.
        """
        saves: list[Save] = []
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
                    saves.append(self._save())
                    last = self._play(answer) or last
                    fresh = self.state.mover != mover
                case Command.UNDO if saves:
                    self._restore(saves.pop())
                    self.prompt.say("undone")
                    fresh = True
                case Command.UNDO:
                    self.prompt.say("nothing-to-undo")
                case _:
                    return False
        self._record_result()
        self.teller.end(self.state, self.watch.points)
        return True

    def _play(self, move: Move, bot: Bot | None = None) -> Place | None:
        """Play, record and show a move; return the cell on which it laid a piece.

        In games that people play the random numbers of bots are recorded, so that a game goes on as
        if it had never been interrupted.
        """
        self.watch.before(move)
        by = self.state.mover
        assert by is not None, "the game is not over"
        self.state.play(move)
        with_people = len(self.bots) < len(self.state.players)
        stream = {"stream": bot.rng.text} if bot and with_people else {}
        step = self.watch.after(move)
        events = {"events": step.noted} if step.events else {}
        try:
            self.recorder.move(by, move, **stream, **events)
        except OSError as error:
            raise self._unwritten(error) from None
        self.teller.moved(step, self.state)
        return step.laid

    def _record_result(self) -> None:
        try:
            self.recorder.result(self.state)
        except OSError as error:
            raise self._unwritten(error) from None

    def _unwritten(self, error: OSError) -> Exception:
        return output_failed(
            f"the record `{self.file.name}`",
            error,
            "the moves recorded so far are kept and can be replayed",
        )

    def _save(self) -> Save:
        state = self.state.clone()
        return Save(
            state,
            self.watch.copy(state),
            copy.deepcopy(self.bots),
            self.file.mark(),
        )

    def _restore(self, save: Save) -> None:
        try:
            self.file.cut(save.record)
        except OSError as error:
            raise self._unwritten(error) from None
        self.state, self.watch = save.state, save.watch
        self.bots = save.bots
