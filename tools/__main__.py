"""`python3 -m tools COMMAND`: set the checkout up if need be, then do what the command says."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys

from tools import checks
from tools.environment import PYTHON, ROOT, VENV, ensure

COMMANDS = {
    "setup": "make .venv with rulesdsl and everything needed to work on it",
    "check": "run the static checks: lint, format, types, imports",
    "format": "rewrite the code as the format check wants it",
    "test": "run every test, the static checks among them; what follows goes to pytest",
}


def main() -> int:
    """Run the command given; the exit code is 0 if it succeeded."""
    command, rest = _parse()
    ensure()
    if not os.path.samefile(sys.prefix, VENV):
        os.execv(PYTHON, [str(PYTHON), "-m", "tools", *sys.argv[1:]])
    match command:
        case "check":
            return checks.run_all()
        case "format":
            return max(_module("ruff", "check", "--fix"), _module("ruff", "format"))
        case "test":
            return _module("pytest", "--numprocesses=auto", "--dist=loadgroup", *rest)
        case _:
            return 0


def _parse() -> tuple[str, list[str]]:
    parser = argparse.ArgumentParser(prog="python3 -m tools", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, purpose in COMMANDS.items():
        commands.add_parser(name, help=purpose, description=purpose, add_help=name != "test")
    arguments, rest = parser.parse_known_args()
    if rest and arguments.command != "test":
        parser.error(f"{arguments.command} takes no arguments: {' '.join(rest)}")
    return arguments.command, rest


def _module(*command: str) -> int:
    return subprocess.call([sys.executable, "-m", *command], cwd=ROOT)


if __name__ == "__main__":
    sys.exit(main())
