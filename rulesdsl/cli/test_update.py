"""`rulesdsl test --update`: change what does not hold, after a look at each change."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence

from rulesdsl.cli.console import Console
from rulesdsl.cli.output import write_output
from rulesdsl.cli.problems import CLEAN, PROBLEMS, bad_argument
from rulesdsl.diagnostics import Diagnostic
from rulesdsl.suite.find import SuiteFile
from rulesdsl.suite.trying import Options, Tried, try_file
from rulesdsl.suite.update import Change, changes, edited

ANSWERS = "change it? [y]es, [n]o, [a]ll, [q]uit: "


class Updater:
    """Shows how tests that do not hold would be changed, asks, and changes their files."""

    def __init__(self, arguments: Namespace, options: Options, console: Console) -> None:
        if not arguments.yes and not (console.terminal and console.input.isatty()):
            raise bad_argument(
                "nobody is there to look at the changes",
                "run it on a terminal, or take all of them: --update --yes",
            )
        self.left = 0
        self._all = bool(arguments.yes)
        self._quit = False
        self._options = options
        self._console = console

    @property
    def code(self) -> int:
        """`PROBLEMS` if something that does not hold was left as it is."""
        return PROBLEMS if self.left else CLEAN

    def look(self, tried: Tried) -> None:
        """Go through what does not hold in a file, and change it."""
        if tried.unreadable or all(each.passed for each in tried.outcomes):
            return
        if tried.file.packed:
            self.left += sum(not each.passed for each in tried.outcomes)
            self._console.say(f"{tried.file.shown} lies in an archive, which is not changed")
            return
        taken = [each for each in changes(tried, self._options) if self._takes(each)]
        if taken:
            self._write(tried.file, taken)

    def _takes(self, change: Change) -> bool:
        if not change.possible:
            self.left += 1
            self._console.say(("  by hand", "warning"), f": {change.outcome.name}")
            return False
        self._show(change)
        taken = not self._quit and (self._all or self._asked())
        if not taken or change.by_hand:
            self.left += 1
        return taken

    def _show(self, change: Change) -> None:
        self._console.say(("  change", "title"), f" in {change.outcome.name}:")
        for line in change.lines():
            self._console.say((f"    {line}", "mark" if line[0] == "-" else "gain"))
        if change.anew is not None:
            self._console.say("    the record is written anew from there")
        if change.by_hand:
            self._console.say(f"    {_count(change.by_hand)} to be changed by hand")

    def _asked(self) -> bool:
        while True:
            self._console.ask(f"  {ANSWERS}")
            line = self._console.input.readline()
            answer = line.strip().lower()[:1] if line else "q"
            if answer in ("q", "a"):
                self._quit, self._all = answer == "q", answer == "a"
            if answer in ("y", "n", "q", "a"):
                return answer in ("y", "a")

    def _write(self, file: SuiteFile, taken: Sequence[Change]) -> None:
        text = taken[0].outcome.span.source.text
        if file.source().text != text:
            raise bad_argument(f"`{file.shown}` was changed while its tests ran", "run it again")
        anew = next((each.anew for each in taken if each.anew is not None), None)
        edits = [edit for each in taken for edit in each.edits]
        name = file.folder.identity(file.file)
        write_output(name, (edited(text, edits) if anew is None else anew).encode())
        self._console.say(("changed", "gain"), f" {file.shown}")
        tried = try_file(file, self._options)
        names = {each.outcome.name for each in taken if not each.by_hand}
        for outcome in tried.outcomes:
            if outcome.name in names and not outcome.passed:
                self.left += 1
                self._console.say(("still does not hold", "warning"), f": {outcome.name}")
                self._console.show(outcome.findings, output=True)


def _count(found: Sequence[Diagnostic]) -> str:
    return "one thing is" if len(found) == 1 else f"{len(found)} things are"
