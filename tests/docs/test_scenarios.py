"""Every file of scenarios on its page is tried: all hold, or fail as the page says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from rulesdsl.cli.main import main
from tests.docs.page import PAGE, read_page

TEXT = (PAGE.parent / "scenarios.md").read_text(encoding="utf-8")
FILES = re.findall(r"```yaml\n(.*?)```\n(?:\n[^\n]+\n\n```text\n(.*?)```\n)?", TEXT, re.DOTALL)


def test_the_page_has_files_that_hold_and_one_that_does_not() -> None:
    assert len(FILES) == TEXT.count("```yaml") == 4
    assert [bool(said) for _, said in FILES] == [False, False, False, True]


@pytest.mark.parametrize(("text", "said"), FILES)
def test_a_file(
    text: str,
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    read_page().write(tmp_path)
    (tmp_path / "hamlets.test.yaml").write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    code = main(["test", "hamlets.test.yaml"])
    out = capsys.readouterr().out
    if said:
        assert (code, out) == (1, said)
    else:
        assert code == 0, out
