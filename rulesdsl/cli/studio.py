"""`rulesdsl studio`: an editor with a game beside it, in the browser."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from tempfile import TemporaryDirectory

from rulesdsl.cli.console import CLEAN, Console, bad_argument, output_failed, write_output
from rulesdsl.writing import write_all


def studio(arguments: Namespace, console: Console) -> int:
    """Serve the studio on this machine until the user stops it, or write one without a server."""
    if arguments.site or arguments.single:
        return _write(arguments, console)
    if not 0 <= arguments.port <= 65535:
        raise bad_argument(f"{arguments.port} is not the number of a port", "0 is any free port")
    if arguments.folder is None:
        with TemporaryDirectory() as folder:
            return _serve(folder, arguments, console, saves=False)
    if not Path(arguments.folder).is_dir():
        folder = arguments.folder
        raise bad_argument(f"`{folder}` is not a folder", f"to make it: mkdir {folder}")
    return _serve(arguments.folder, arguments, console, saves=True)


def _write(arguments: Namespace, console: Console) -> int:
    """Write the studio that runs Python in the browser."""
    from rulesdsl.studio.site import NoPyodide, pyodide_folder, single, site

    if arguments.folder is not None:
        message = "a studio without a server has examples only: leave out the folder"
        raise bad_argument(message)
    try:
        pyodide = pyodide_folder(arguments.pyodide)
    except NoPyodide as error:
        help = "to get it: npm install pyodide, then --pyodide node_modules/pyodide"
        raise bad_argument(str(error), help) from None
    if arguments.single:
        write_output(arguments.single, single(pyodide).encode())
        console.tell(f"written to {arguments.single}")
        return CLEAN
    try:
        write_all(arguments.site, site(pyodide))
    except (OSError, ValueError) as error:
        raise output_failed(f"`{arguments.site}`", error) from None
    console.tell(f"written to {arguments.site}, for any web server")
    return CLEAN


def _serve(folder: str, arguments: Namespace, console: Console, *, saves: bool) -> int:
    from rulesdsl.studio.project import Project
    from rulesdsl.studio.serve import server
    from rulesdsl.studio.session import Session

    session = Session(Project(folder, tuple(arguments.path)), saves=saves)
    try:
        served = server(session, arguments.port)
    except OSError as error:
        reason = error.strerror or str(error)
        raise bad_argument(f"port {arguments.port} cannot be used: {reason.lower()}") from None
    with served:
        console.say(f"the studio is at {served.address} (Ctrl-C ends)")
        if not arguments.no_browser:
            served.open_browser()
        served.serve_forever()
    return CLEAN
