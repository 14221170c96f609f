"""The command `rulesdsl` as a process, which first of all catches Ctrl-C.

Only the command itself may import this module, since signals belong to whoever runs a process. The
built-in part of `signal` is available at once, while the module itself takes long to import.
"""

import _signal as signal  # type: ignore[import-not-found]
import os

if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    # A stopgap until the handler below is imported.
    signal.signal(signal.SIGINT, lambda *_: os._exit(130))

from rulesdsl.interrupts import INTERRUPTS

INTERRUPTS.catch()


def main() -> int:
    """Run the command that the arguments of the process name and return its exit code.

    After a signal the process ends here, with 128 plus the number of the signal as exit code.
    """
    try:
        INTERRUPTS.begin()
        # Imported here, as Ctrl-C may come during the import.
        from rulesdsl.cli.main import main as run

        code = run()
        if INTERRUPTS.received is None:
            INTERRUPTS.settle()
    except KeyboardInterrupt:
        INTERRUPTS.end()
    if INTERRUPTS.received is not None:
        INTERRUPTS.end()
    return code
