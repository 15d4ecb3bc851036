"""The console script: the command line, with the app as what starts when no command is given.

This module imports nothing heavy; the app is imported when it starts.
"""

from __future__ import annotations

import argparse
import sys

from assistant import cli


def main() -> int:
    """Run the command line, or the app."""
    return cli.main(app=start_app)


def start_app(args: argparse.Namespace) -> int:
    """Start the full-screen app and return its exit status."""
    from tui.app import run

    return run(args)


if __name__ == "__main__":
    sys.exit(main())
