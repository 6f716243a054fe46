"""`python -m adk_decl` is the command `adk-decl`."""

from __future__ import annotations

import sys

from adk_decl.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
