"""Files that records are written to, and read from."""

from __future__ import annotations

import os
from codecs import BOM_UTF8
from contextlib import suppress
from pathlib import Path
from typing import TextIO

from rulesdsl.diagnostics import Diagnostic, Report, RulesError, Source
from rulesdsl.play.records import Record
from rulesdsl.read.disk import MAX_TEXT, FileProblem
from rulesdsl.read.files import decode, read_text
from rulesdsl.writing import GrowingFile, create

STDIN = "-"


class RecordFile:
    """A record while it is written: every line is there in full, or not at all if it does not fit.

    `name` is None for a record that is only in memory.
    """

    def __init__(self, name: str | None = None, file: GrowingFile | None = None) -> None:
        """Begin a record in the file `name`, in the place of an older one, which is there until
        the first line is written; or go on with an open `file`. Raises OSError."""
        self.name = name
        self._text = ""
        self._file = GrowingFile(name) if name is not None and file is None else file

    @classmethod
    def resume(cls, name: str, record: Record) -> RecordFile:
        """Go on with a record that was read from `name`, after its last whole line; raises
        OSError."""
        text = record.span.source.text
        whole = text if record.cut is None else text[: record.cut.start]
        with open(name, "rb") as there:
            marked = there.read(len(BOM_UTF8)) == BOM_UTF8
        end = len(whole.encode()) + marked * len(BOM_UTF8)
        file = cls(name, GrowingFile.resume(name, end))
        try:
            if not whole.endswith("\n"):
                file.write("\n")
        except OSError:
            file.abandon()
            raise
        return file

    def write(self, text: str) -> None:
        """Add text; raises OSError, and then nothing of it was added."""
        if self._file is None:
            self._text += text
        else:
            self._file.write(text.encode())

    def flush(self) -> None:
        """Nothing is ever held back."""

    def mark(self) -> int:
        """Where the record ends now, for `cut`."""
        return len(self._text) if self._file is None else self._file.end

    def cut(self, mark: int) -> None:
        """Take back everything since the mark; raises OSError where files cannot be cut."""
        if self._file is None:
            self._text = self._text[:mark]
        else:
            self._file.cut(mark)

    def save(self, folder: Path) -> str:
        """Copy a record in memory to a new file; its name. Raises OSError."""
        assert self._file is None, "only what is in memory needs to be saved"
        number = 1
        while True:
            name = "game.jsonl" if number == 1 else f"game-{number}.jsonl"
            try:
                create(os.path.join(folder, name), self._text.encode())
            except FileExistsError:
                number += 1
            else:
                return name

    def close(self) -> None:
        """Close the file; raises OSError if some of it may not be on the disk."""
        if self._file is not None:
            self._file.close()

    def abandon(self) -> None:
        """Close the file after something failed, which is what is told."""
        with suppress(OSError):
            self.close()


def read_source(name: str, input: TextIO) -> Source:
    """The text of a record's file, or of `input` for `-`; raises RulesError."""
    if name == STDIN:
        try:
            return decode(_bytes_of(input), "standard input")
        except FileProblem as problem:
            found = Diagnostic(problem.slug, problem.message, problem.span, help=problem.help)
            raise RulesError([found]) from None
    report = Report()
    source = read_text(name, report)
    report.check()
    assert source is not None, "a text that cannot be read is reported"
    return source


def _bytes_of(input: TextIO) -> bytes:
    data = input.buffer.read(MAX_TEXT + 1)
    if len(data) > MAX_TEXT:
        raise FileProblem("file-too-large", f"standard input is larger than {MAX_TEXT} bytes")
    return data
