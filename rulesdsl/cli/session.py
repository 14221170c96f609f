"""A game that is played: bots and people in turn, told and recorded."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass

from rulesdsl.cli.problems import output_failed
from rulesdsl.cli.prompt import Command, Prompt
from rulesdsl.cli.recording import RecordFile
from rulesdsl.cli.teller import Teller
from rulesdsl.play import Move, Place, State
from rulesdsl.play.bots import Bot
from rulesdsl.play.records import Recorder
from rulesdsl.play.watch import Watch


@dataclass(frozen=True)
class Save:
    """Everything that a move changes."""

    state: State
    watch: Watch
    bots: Mapping[str, Bot]
    record: int


@dataclass
class Session:
    """A game under way. `bots` play for their colours, people through `prompt` for all others."""

    state: State
    watch: Watch
    bots: Mapping[str, Bot]
    teller: Teller
    prompt: Prompt
    file: RecordFile
    recorder: Recorder

    def play(self) -> bool:
        """Play on; True at the end of the game, False when a person has quit.

        Raises RulesError if the record cannot be written, PlayError if a rule fails.
        """
        saves: list[Save] = []
        fresh, last = True, None
        while (mover := self.state.mover) is not None:
            bot = self.bots.get(mover)
            if bot is not None:
                move = bot.decide(self.state)
                last = self._play(move) or last
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

    def _play(self, move: Move) -> Place | None:
        """Play, record and tell a move; the cell on which it laid a piece."""
        self.watch.before()
        by = self.state.mover
        assert by is not None, "the game is not over"
        self.state.play(move)
        try:
            self.recorder.move(by, move)
        except OSError as error:
            raise self._unwritten(error) from None
        step = self.watch.after(move)
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
            "what was recorded until then is kept, and can be played back",
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
