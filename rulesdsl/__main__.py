"""`python -m rulesdsl`: the same as the command `rulesdsl`."""

# It catches Ctrl-C, so nothing is imported before it.
from rulesdsl.cli.entry import main

if __name__ == "__main__":
    import sys

    sys.exit(main())
