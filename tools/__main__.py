"""`python3 -m tools COMMAND`: set up the checkout if necessary, then run a command.

Python 3.8 can read this module and `tools.environment`, so that a version that is too old gets a
clear message.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys

from tools import checks
from tools.environment import PYTHON, ROOT, VENV, WINDOWS, ensure


def setup(_: list[str]) -> int:
    """Make .venv with rulesdsl and everything needed to work on it."""
    return 0


def check(_: list[str]) -> int:
    """Run the static checks: lint, format, types, imports."""
    return checks.run_all()


def rewrite(_: list[str]) -> int:
    """Format the code, fix lint findings, and write down the sizes of what shrank."""
    from tools import sizes

    failed = max(_module("ruff", "check", "--fix"), _module("ruff", "format"))
    grown = sizes.lower()
    print(*grown, sep="\n", end="")
    return failed or bool(grown)


def test(arguments: list[str]) -> int:
    """Run every test, including the static checks; further arguments go to pytest."""
    return _module("pytest", "--numprocesses=auto", *arguments)


def docs(_: list[str]) -> int:
    """Write the generated parts of the pages under docs/."""
    from tools import docs

    return docs.write()


def run(arguments: list[str]) -> int:
    """Play a game: the same as `rulesdsl run` (see `run -h`)."""
    from rulesdsl.cli import entry

    if shutil.which("rulesdsl") is None:
        script = r".venv\Scripts\activate" if WINDOWS else ". .venv/bin/activate"
        print(f"`{script}` makes the command `rulesdsl` available", file=sys.stderr)
    sys.argv = ["rulesdsl", "run", *arguments]
    return entry.main()


def lock(arguments: list[str]) -> int:
    """Write the lock of the Python packages (see `lock -h`)."""
    from tools import lock

    return lock.main(arguments)


def release(arguments: list[str]) -> int:
    """Prepare a release: check it, build it and try it, without publishing (see `release -h`)."""
    from tools import release

    return release.main(arguments)


def grammar(_: list[str]) -> int:
    """Write the parser tables of rulesdsl/language/parse/grammar.lark, after it was changed."""
    from rulesdsl.language.parse.grammar import SHIPPED, shipment

    (ROOT / "rulesdsl" / "language" / "parse" / SHIPPED).write_bytes(shipment())
    return 0


def touched(_: list[str]) -> int:
    """Write what forms of rules touch, after the lowering, the runtime or builtins changed."""
    from tools import touched

    touched.TABLE.write_text(touched.text(touched.recorded()), encoding="utf-8")
    return 0


def page(_: list[str]) -> int:
    """Write the files of the web page that the package ships, after tools/page/ was changed."""
    from tools import page

    page.build()
    return 0


def extension(_: list[str]) -> int:
    """Write the extension for Visual Studio Code into dist/, ready to install."""
    from tools import vsix

    made = ROOT / "dist" / vsix.name()
    made.parent.mkdir(exist_ok=True)
    made.write_bytes(vsix.build())
    print(f"written to {made.relative_to(ROOT)}")
    return 0


def site(arguments: list[str]) -> int:
    """Write the documentation and the studio as a static folder (see `site -h`)."""
    from tools import site

    return site.main(arguments)


def bench(arguments: list[str]) -> int:
    """Measure the engines side by side (see `bench -h`)."""
    from tools.bench import command

    return command.main(arguments)


def ladder(arguments: list[str]) -> int:
    """Rate the bots by games between all pairs, for their page (see `ladder -h`)."""
    from tools import ladder

    return ladder.main(arguments)


def strangers(arguments: list[str]) -> int:
    """Measure how often the checker sees conflicts of expansions, for its page."""
    from tools.strangers import command

    return command.main(arguments)


def mutants(arguments: list[str]) -> int:
    """Measure how many mistakes the checker catches, for its page (see `mutants -h`)."""
    from tools.mutants import command

    return command.main(arguments)


COMMANDS = {
    "run": run,
    "setup": setup,
    "check": check,
    "format": rewrite,
    "test": test,
    "docs": docs,
    "grammar": grammar,
    "page": page,
    "touched": touched,
    "extension": extension,
    "site": site,
    "bench": bench,
    "ladder": ladder,
    "mutants": mutants,
    "strangers": strangers,
    "lock": lock,
    "release": release,
}
TAKING = ("run", "test", "site", "bench", "ladder", "mutants", "strangers", "lock", "release")
"""The commands with their own arguments."""


def main() -> int:
    """Run the given command inside `.venv`; the exit code is 0 if it succeeded."""
    command, rest = _parse()
    ensure(everything=command != "run")
    if not os.path.samefile(sys.prefix, VENV):
        if WINDOWS:  # `execv` would return to the shell at once
            return subprocess.call([str(PYTHON), "-m", "tools", *sys.argv[1:]])
        os.execv(PYTHON, [str(PYTHON), "-m", "tools", *sys.argv[1:]])
    return COMMANDS[command](rest)


def _parse() -> tuple[str, list[str]]:
    parser = argparse.ArgumentParser(prog="python3 -m tools", description="Developer commands.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, function in COMMANDS.items():
        commands.add_parser(name, help=function.__doc__, add_help=name not in TAKING)
    arguments, rest = parser.parse_known_args()
    if rest and arguments.command not in TAKING:
        parser.error(f"{arguments.command} takes no arguments: {' '.join(rest)}")
    return arguments.command, rest


def _module(*command: str) -> int:
    return subprocess.call([sys.executable, "-m", *command], cwd=ROOT)


if __name__ == "__main__":
    sys.exit(main())
