"""Files that records are written to, and read from."""

from __future__ import annotations

from codecs import BOM_UTF8
from contextlib import suppress
from io import BytesIO, FileIO
from pathlib import Path
from typing import Literal, TextIO

from rulesdsl.diagnostics import Diagnostic, Report, RulesError, Source
from rulesdsl.play.records import Record
from rulesdsl.read.disk import MAX_TEXT, FileProblem
from rulesdsl.read.files import decode, read_text

STDIN = "-"


class RecordFile:
    """A record while it is written: every line is there in full, or not at all if it does not fit.

    `name` is None for a record that is only in memory.
    """

    def __init__(self, name: str | None = None, mode: Literal["wb", "r+b"] = "wb") -> None:
        """Open the file `name`, by default an empty one; raises OSError."""
        self.name = name
        self._file = BytesIO() if name is None else FileIO(name, mode)
        self._end = 0

    @classmethod
    def resume(cls, name: str, record: Record) -> RecordFile:
        """Go on with a record that was read from `name`, after its last whole line; raises
        OSError."""
        text = record.span.source.text
        whole = text if record.cut is None else text[: record.cut.start]
        file = cls(name, "r+b")
        try:
            marked = file._file.read(len(BOM_UTF8)) == BOM_UTF8
            file.cut(len(whole.encode()) + marked * len(BOM_UTF8))
            if not whole.endswith("\n"):
                file.write("\n")
        except OSError:
            file.close()
            raise
        return file

    def write(self, text: str) -> None:
        """Add text; raises OSError, and then nothing of it was added."""
        data = memoryview(text.encode())
        try:
            written = 0
            while written < len(data):
                written += self._file.write(data[written:]) or 0
        except OSError:
            with suppress(OSError):
                self.cut(self._end)
            raise
        self._end += len(data)

    def flush(self) -> None:
        """Nothing is ever held back."""

    def mark(self) -> int:
        """Where the record ends now, for `cut`."""
        return self._end

    def cut(self, mark: int) -> None:
        """Take back everything since the mark; raises OSError where files cannot be cut."""
        self._file.truncate(mark)
        self._file.seek(mark)
        self._end = mark

    def save(self, folder: Path) -> str:
        """Copy a record in memory to a new file; its name. Raises OSError."""
        assert isinstance(self._file, BytesIO), "only what is in memory needs to be saved"
        number = 1
        while True:
            name = "game.jsonl" if number == 1 else f"game-{number}.jsonl"
            try:
                with open(folder / name, "xb") as file:
                    file.write(self._file.getvalue())
            except FileExistsError:
                number += 1
            else:
                return name

    def close(self) -> None:
        """Close the file."""
        self._file.close()


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
