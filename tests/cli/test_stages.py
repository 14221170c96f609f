"""`show ast` and `show ir`: what becomes of rules."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from rulesdsl.engine.ir.text import program_text
from rulesdsl.engine.lower import lower
from rulesdsl.play import load
from tests.cli.conftest import HAMLETS, RULESETS, Cli
from tests.ir.reading import read_program

RULES = RULESETS / "hamlets.rules"


def line_of(text: str) -> int:
    """The line of the rules that begins with a text."""
    lines = RULES.read_text(encoding="utf-8").split("\n")
    return next(n for n, line in enumerate(lines, 1) if line.startswith(text))


def test_the_tree_of_a_declaration(cli: Cli) -> None:
    first = line_of("value free")
    result = cli("show", "ast", HAMLETS, "--only", "free")
    assert (result.code, result.err) == (0, "")
    assert result.out == (
        f'ValueDecl {RULES}:{first}:1 name "free", policy "unique"\n'
        f"  params:\n"
        f'    Param {first}:12 name "s"\n'
        f"      type: TypeRef {first}:15 name segment\n"
        f"  type: TypeRef {first}:27 name bool\n"
        f"  body: Block {first}:31\n"
        f"    statements:\n"
        f"      ExprStmt {first + 1}:5\n"
        f'        value: Unary {first + 1}:5 operator "not"\n'
        f'          operand: Aggregate {first + 1}:9 function "any", value null\n'
        f"            binders:\n"
        f'              Binder {first + 1}:13 names ("x")\n'
        f"                domain: Call {first + 1}:18\n"
        f'                  function: Name {first + 1}:18 name "figures"\n'
        f"                  arguments:\n"
        f'                    Attribute {first + 1}:26 name "feature"\n'
        f'                      object: Name {first + 1}:26 name "s"\n'
    )


def test_the_checked_tree_of_a_declaration(cli: Cli) -> None:
    first = line_of("value free")
    options = ("--checked", "--only", "hamlets/free")
    result = cli("show", "ast", HAMLETS, *options)
    assert (result.code, result.err) == (0, "")
    lines = result.out.splitlines()
    assert lines[0] == (
        f'ValueDef {RULES}:{first}:7 key "hamlets/free", type bool, policy "unique"'
    )
    assert "  params:" in lines
    assert '    Parameter name "s", type segment' in lines
    assert any(
        line.endswith(f'domain: CallBuiltin {first + 1}:18 type set of figure, function "figures"')
        for line in lines
    )


def test_the_checked_tree_has_what_others_add(cli: Cli) -> None:
    wells = str(RULESETS / "wells.yaml")
    alone = cli("show", "ast", HAMLETS, "--checked", "--only", "bonus").out
    both = cli("show", "ast", wells, "--checked", "--only", "bonus").out
    assert "wells.rules" not in alone
    assert 'Rule {}:1:1 ruleset "wells"'.format(RULESETS / "wells.rules") in both


def test_trees_begin_with_all_declarations(cli: Cli) -> None:
    out = cli("show", "ast", HAMLETS).out
    heads = [line.split()[0] for line in out.splitlines() if line and line[0] != " "]
    assert heads[:3] == ["StateDecl", "StateDecl", "ActionDecl"]
    checked = cli("show", "ast", HAMLETS, "--checked").out
    heads = [line.split()[0] for line in checked.splitlines() if line and line[0] != " "]
    assert set(heads) == {"StateDef", "ValueDef", "ActionDef", "ChoiceDef"}


@pytest.mark.parametrize("players", [2, 3])
def test_the_program_reads_as_it_is_lowered(cli: Cli, players: int) -> None:
    program = lower(load(HAMLETS).checked, players).program
    result = cli("show", "ir", HAMLETS, "--players", str(players))
    assert (result.code, result.err) == (0, "")
    assert result.out == program_text(program)
    assert read_program(result.out) == program


def test_parts_of_the_program(cli: Cli) -> None:
    out = cli("show", "ir", HAMLETS, "--only", "EVERYBODY").out
    assert out.splitlines()[-1] == "const EVERYBODY[1] from 3 to 3 = 3"
    out = cli("show", "ir", HAMLETS, "--only", "luck_*").out
    heads = [line.partition("(")[0] for line in out.splitlines() if line.startswith("function")]
    assert set(heads) >= {"function luck_word", "function luck_below"}
    assert all(head.startswith("function luck_") for head in heads)


def test_a_rule_has_a_function_of_its_own_before_it_is_inlined(cli: Cli) -> None:
    checked = load(HAMLETS).checked
    before = lower(checked, 2, optimised=False).program
    assert cli("show", "ir", HAMLETS, "--unoptimised").out == program_text(before)
    after = lower(checked, 2).program
    name = next(each for each in before.functions if each not in after.functions)
    result = cli("show", "ir", HAMLETS, "--only", name)
    assert result.code == 2
    assert "--unoptimised shows functions that are inlined" in result.err
    for key in checked.values:
        name = f"value_{key.rpartition('/')[2]}"
        out = cli("show", "ir", HAMLETS, "--only", name, "--unoptimised").out
        assert out.startswith(f"# Value `{key}`.\nfunction {name}(")
        assert out.count("function ") == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("ast", HAMLETS, "--only", "nothing_such"), "there is nothing called `nothing_such`"),
        (("ir", HAMLETS, "--only", "nothing_*"), "there is nothing called `nothing_*`"),
        (("ir", HAMLETS, "--players", "9"), "this game is for 2 to 4 players, not 9"),
        (("ir", "nowhere"), "no ruleset `nowhere` was found"),
    ],
)
def test_what_cannot_be_shown(cli: Cli, arguments: tuple[str, ...], said: str) -> None:
    result = cli("show", *arguments)
    assert (result.code, result.out) == (2, "")
    assert said in result.err


def test_expansions_and_settings_count(cli: Cli) -> None:
    wells = str(RULESETS / "wells.yaml")
    command = ("show", "ir", HAMLETS)
    bare = cli(*command).out
    plain = cli(*command, "--with", wells).out
    deep = cli(*command, "--with", wells, "--set", "wells.deep=true").out
    assert len({bare, plain, deep}) == 3


def test_without_a_cache_nothing_is_kept(tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    for option in (["--no-cache"], []):
        assert not folder.exists()
        subprocess.run(
            [sys.executable, "-m", "rulesdsl", "check", HAMLETS, *option],
            env=os.environ | {"RULESDSL_CACHE": str(folder)},
            cwd=Path(__file__).parents[2],
            check=True,
        )
    assert list(folder.iterdir())
