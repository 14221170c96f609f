"""`python -m rulesdsl`: the same as the command `rulesdsl`."""

from __future__ import annotations

import sys

from rulesdsl.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
