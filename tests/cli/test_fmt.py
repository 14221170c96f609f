"""`fmt`: files are given their look, or what would change is shown; what is wrong is left alone."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.cli.conftest import Cli

ODD = "state  game.x :int\n"
EVEN = "state game.x: int\n"
MANIFEST = "ruleset: a\nedition: 1\nversion: 1.0.0\n"
DIFF = """\
--- a.rules
+++ a.rules, formatted
@@ -1 +1 @@
-state  game.x :int
+state game.x: int
"""


def write(**texts: str) -> None:
    for name, text in texts.items():
        path = Path(name.replace("_", "."))
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(text.encode())


def test_files_are_written_once_and_keep_their_permissions(cli: Cli) -> None:
    write(a_rules=ODD, a_yaml=MANIFEST)
    Path("a.rules").chmod(0o640)
    result = cli("fmt", "a.rules", "a.yaml", "./a.rules")
    assert result.out == "formatted a.rules\n1 formatted, 1 as it should be\n"
    assert (result.code, result.err, Path("a.rules").read_text()) == (0, "", EVEN)
    assert Path("a.rules").stat().st_mode & 0o777 == 0o640
    assert cli("fmt", "a.rules").out == "0 formatted, 1 as it should be\n"
    assert sorted(os.listdir()) == ["a.rules", "a.yaml"]


def test_a_link_stays_a_link(cli: Cli) -> None:
    write(a_rules=ODD)
    Path("b.rules").symlink_to("a.rules")
    assert cli("fmt", "b.rules").code == 0
    assert Path("b.rules").is_symlink()
    assert Path("a.rules").read_text() == EVEN


@pytest.mark.parametrize(("option", "code"), [("--check", 1), ("--diff", 0)])
def test_what_would_change_is_shown(cli: Cli, option: str, code: int) -> None:
    write(a_rules=ODD, b_rules=EVEN)
    result = cli("fmt", option, "a.rules", "b.rules")
    assert result.out == DIFF + "1 to be formatted, 1 as it should be\n"
    assert (result.code, Path("a.rules").read_text()) == (code, ODD)
    assert cli("fmt", option, "b.rules").code == 0
    assert cli("fmt", option, "-", "--name", "a.rules", typed=ODD) == (type(result)(code, DIFF, ""))


def test_line_ends_and_marks_are_told_of(cli: Cli) -> None:
    write(a_rules="\ufeff" + EVEN)
    result = cli("fmt", "--check", "a.rules")
    assert result.code == 1
    assert result.out.startswith("a.rules: only its line ends or its byte order mark\n")


def test_a_manifest_that_is_refused_is_not_passed_over_in_a_folder(cli: Cli) -> None:
    Path("a.yaml").write_bytes(MANIFEST.encode() + b"# \xff\n")
    write(b_yaml=MANIFEST + "# \x1b[31m\n", c_yaml="on: push  # \x1b[31m\n")
    result = cli("fmt", ".")
    assert result.code == 1
    assert [line for line in result.err.splitlines() if line.startswith("error")] == [
        "error[file-not-text]: the byte 0xFF is not UTF-8",
        "error[hidden-character]: the character U+001B (ESCAPE) is not allowed in a file",
    ]


def test_a_folder_holds_what_is_ours(cli: Cli) -> None:
    write(a_yaml=MANIFEST.replace(": a", ":  a"), b_yaml="on: push\n")
    write(**{"sub/c_test_yaml": "scenarios:   a\nedition: 1\ntests: [ ]\n", "sub/d_rules": ODD})
    write(**{".git/e_rules": ODD})
    result = cli("fmt", ".")
    assert result.out.splitlines() == [
        "formatted ./a.yaml",
        "formatted ./sub/c.test.yaml",
        "formatted ./sub/d.rules",
        "3 formatted, 0 as they should be",
    ]
    assert Path(".git/e.rules").read_text() == ODD


def test_what_cannot_be_parsed_is_left_alone(cli: Cli) -> None:
    broken = "action f(:\n"
    write(a_rules=broken, b_rules=ODD)
    result = cli("fmt", ".")
    assert result.out == "formatted ./b.rules\n1 formatted, 0 as they should be, 1 not changed\n"
    assert result.err.startswith("error[unclosed]: this `(` is not closed\n  --> ./a.rules:1:9\n")
    assert (result.code, Path("a.rules").read_text()) == (1, broken)
    result = cli("fmt", "-", typed=broken)
    assert (result.code, result.out, result.err) == (0, broken, "")
    assert cli("fmt", "-", "--check", typed=broken).code == 1


@pytest.mark.parametrize(
    ("name", "typed", "out"),
    [
        ([], ODD, EVEN),
        ([], "ruleset:  a\r\n", "ruleset: a\r\n"),
        (["--name", "x.yaml"], "a:   é", "a: é\n"),
    ],
)
def test_standard_input(cli: Cli, name: list[str], typed: str, out: str) -> None:
    result = cli("fmt", "-", *name, typed=typed)
    assert (result.code, result.out.encode(), result.err) == (0, out.encode(), "")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["a.md"], "error[bad-argument]: `a.md` is neither a rules file nor a YAML file"),
        (["a.zip"], "error[bad-argument]: `a.zip` is an archive, which stays as it was packed"),
        (["."], "error[bad-argument]: there are no rules, manifests or scenarios in the folder"),
        (["-", "a.rules"], "error[bad-argument]: `-` cannot be combined"),
        (["a.rules", "--name", "b"], "error[bad-argument]: `--name` is for standard input"),
        (["no.rules"], "error[file-missing]: there is no file `no.rules`"),
    ],
)
def test_what_cannot_be_formatted(cli: Cli, arguments: list[str], said: str) -> None:
    result = cli("fmt", *arguments)
    assert result.code == 2
    assert result.err.startswith(said)
