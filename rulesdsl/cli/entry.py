"""The command `rulesdsl` as a process, which catches Ctrl-C before anything else.

Only the command itself may import this module, since signals belong to whoever runs a process.
"""

import os

try:
    from rulesdsl.base.interrupts import INTERRUPTS
except KeyboardInterrupt:
    os._exit(130)


def main() -> int:
    """Run the command that the arguments of the process name and return its exit code.

    After a signal the process ends here, with 128 plus the number of the signal as exit code.
    """
    try:
        INTERRUPTS.catch()
        # Imported here, as Ctrl-C may come during the import.
        from rulesdsl.cli.main import main as run

        code = run()
        if INTERRUPTS.received is None:
            INTERRUPTS.ignore()
    except KeyboardInterrupt:
        INTERRUPTS.end()
    if INTERRUPTS.received is not None:
        INTERRUPTS.end()
    return code
