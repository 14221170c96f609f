"""`update`: files of an older edition, which was made up, are rewritten; others are not."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Cli
from tests.edition.made_up import (
    MANIFEST,
    MANIFEST_NOW,
    RULES,
    RULES_NOW,
    SCENARIOS,
    SCENARIOS_NOW,
    made_up,
)

__all__ = ["made_up"]

OLD = {"mine.yaml": MANIFEST, "mine.rules": RULES, "mine.test.yaml": SCENARIOS}
NOW = {"mine.yaml": MANIFEST_NOW, "mine.rules": RULES_NOW, "mine.test.yaml": SCENARIOS_NOW}


def write(texts: dict[str, str], folder: str = ".") -> None:
    Path(folder).mkdir(exist_ok=True)
    for name, text in texts.items():
        Path(folder, name).write_text(text, encoding="utf-8")


def there(folder: str = ".") -> dict[str, str]:
    return {path.name: path.read_text("utf-8") for path in Path(folder).iterdir()}


@pytest.mark.usefixtures("made_up")
def test_an_old_ruleset_is_refused_updated_and_played(cli: Cli) -> None:
    write(OLD)
    for command, name in (("check", "mine.yaml"), ("test", "mine.test.yaml")):
        refused = cli(command, name)
        assert refused.code == 1
        told = refused.out + refused.err
        assert "edition -1 of the language is no longer supported" in told
        assert f"rulesdsl update {name}" in told
    result = cli("update", ".")
    assert (result.code, result.err) == (0, "")
    assert sorted(result.out.splitlines()) == [
        "3 updated, 0 as they should be",
        "updated ./mine.rules",
        "updated ./mine.test.yaml",
        "updated ./mine.yaml",
    ]
    assert there() == NOW
    assert cli("check", "mine.yaml").code == 0
    assert cli("test", "mine.test.yaml", "--engine", "reference").code == 0
    assert cli("update", ".").out == "0 updated, 3 as they should be\n"


@pytest.mark.usefixtures("made_up")
@pytest.mark.parametrize("name", ["mine.yaml", "mine.rules"])
def test_rules_go_with_their_manifest(cli: Cli, name: str) -> None:
    write(OLD)
    assert cli("update", name).code == 0
    assert there() == {**NOW, "mine.test.yaml": SCENARIOS}


@pytest.mark.usefixtures("made_up")
def test_rules_that_two_manifests_name_are_updated_once(cli: Cli) -> None:
    again = MANIFEST.replace("ruleset: mine", "ruleset: again")
    write({**OLD, "again.yaml": again})
    assert cli("update", "again.yaml", "mine.yaml").out.endswith("3 updated, 0 as they should be\n")
    assert there()["mine.rules"] == RULES_NOW


@pytest.mark.usefixtures("made_up")
@pytest.mark.parametrize(("option", "code"), [("--check", 1), ("--diff", 0)])
def test_what_would_change_is_shown(cli: Cli, option: str, code: int) -> None:
    write(OLD)
    result = cli("update", option, "mine.test.yaml")
    assert result.code == code
    assert "-edition: -1\n" in result.out
    assert "+edition: 1\n" in result.out
    assert result.out.endswith("\n1 to be updated, 0 as they should be\n")
    assert there() == OLD


@pytest.mark.usefixtures("made_up")
def test_line_ends_and_all_else_stay(cli: Cli) -> None:
    write(OLD)
    for name, text in OLD.items():
        Path(name).write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    assert cli("update", "mine.yaml").code == 0
    assert Path("mine.rules").read_bytes() == RULES_NOW.replace("\n", "\r\n").encode()
    assert Path("mine.yaml").read_bytes() == MANIFEST_NOW.replace("\n", "\r\n").encode()
    kept = Path("mine.test.yaml").read_bytes()
    write(NOW)
    Path("mine.yaml").write_bytes(b"\xef\xbb\xbf" + MANIFEST_NOW.encode())
    assert cli("update", "mine.yaml").out == "0 updated, 2 as they should be\n"
    assert Path("mine.yaml").read_bytes().startswith(b"\xef\xbb\xbf")
    assert kept.startswith(b"\xef\xbb\xbf")


@pytest.mark.parametrize(
    ("texts", "name", "said", "code"),
    [
        ({"a.yaml": "ruleset: a\nedition: 9\n"}, "a.yaml", "error[edition-unknown]: edition 9", 1),
        ({"a.yaml": "ruleset: a\nedition: 0\n"}, "a.yaml", "error[edition-unknown]: edition 0", 1),
        ({"a.yaml": "ruleset: [\n"}, "a.yaml", "error[yaml-syntax]", 1),
        ({"a.yaml": "on: push\n"}, "a.yaml", "error[yaml-scalar]", 1),
        ({"a.yaml": "a: b\n"}, "a.yaml", "error[missing-key]: this is neither a manifest nor", 1),
        ({"a.yaml": "ruleset: a\nrules: b.rules\n"}, "a.yaml", "error[file-missing]", 2),
        ({"a.yaml": "ruleset: a\nrules: ../b.rules\n"}, "a.yaml", "error[path-escapes]", 2),
        ({"a.rules": RULES}, "a.rules", "error[bad-argument]: no manifest beside `a.rules`", 2),
        ({}, "-", "error[bad-argument]: a manifest names its rules beside it", 2),
        ({}, "a.zip", "error[bad-argument]: `a.zip` is an archive", 2),
    ],
)
def test_what_cannot_be_updated(
    cli: Cli, texts: dict[str, str], name: str, said: str, code: int
) -> None:
    write(texts)
    result = cli("update", name)
    assert result.err.startswith(said)
    assert result.code == code
    assert there() == texts


def test_what_says_no_edition_or_the_one_that_is_read_stays(cli: Cli) -> None:
    write({**NOW, "other.yaml": "ruleset: other\n"})
    assert cli("update", ".").out == "0 updated, 4 as they should be\n"
