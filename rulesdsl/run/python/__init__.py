"""Programs of the IR as Python code: printed, compiled, kept."""

from rulesdsl.run.python.printer import print_program

__all__ = ["print_program"]
