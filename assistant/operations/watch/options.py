"""How a Prometheus server is reached: the options of the command, which are also a line in the app."""

from __future__ import annotations

import argparse
import os
import shlex
from typing import TYPE_CHECKING, NoReturn

from knowledge.errors import BadInput

if TYPE_CHECKING:
    from assistant.operations.watch.live import Ask
    from assistant.remote import Access

TOKEN = "SIZEWRIGHT_PROMETHEUS_TOKEN"
PASSWORD = "SIZEWRIGHT_PROMETHEUS_PASSWORD"


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of ``sizewright watch``."""
    parser.add_argument("--prometheus", metavar="URL", required=True, help=f"the server; a bearer token in {TOKEN}")
    parser.add_argument("--once", action="store_true", help="evaluate once and end")
    parser.add_argument("--interval", type=float, default=30.0, metavar="SECONDS", help="between evaluations (30)")
    parser.add_argument("--timeout", type=float, default=10.0, metavar="SECONDS", help="for one answer (10)")
    parser.add_argument("--retries", type=int, default=2, metavar="N", help="further tries of a question (2)")
    parser.add_argument("--user", metavar="NAME", help=f"basic authentication; its password in {PASSWORD}")
    parser.add_argument("--ca-file", metavar="FILE", help="authorities to trust instead of the system's (PEM)")
    parser.add_argument("--cert", metavar="FILE", help="our certificate, for a server that asks for one (PEM)")
    parser.add_argument("--key", metavar="FILE", help="the key of --cert, where it is a file of its own")
    parser.add_argument("--insecure", action="store_true", help="trust any certificate of the server")
    parser.add_argument("--json", action="store_true", help="print JSON: one document with --once, else one a line")


class _Told(argparse.ArgumentParser):
    """Says what is wrong with a line as the app does, instead of ending the program."""

    def error(self, message: str) -> NoReturn:
        raise BadInput("watch", message, "an address and options, as of sizewright watch")


def options_of(line: str) -> argparse.Namespace:
    """The options of a line such as ``http://prometheus:9090 --ca-file ca.pem``. Raises BadInput."""
    parser = _Told(add_help=False, exit_on_error=False)
    add_options(parser)
    try:
        words = shlex.split(line)
        first = ["--prometheus", *words] if words and not words[0].startswith("-") else words
        return parser.parse_args(first)
    except (argparse.ArgumentError, ValueError) as error:
        raise BadInput("watch", line, f"an address and options: {error}") from None


def asker(args: argparse.Namespace) -> Ask:
    """What asks the server that the options name. Raises BadInput for options that cannot be."""
    from assistant.remote import get_json

    address = address_of(args.prometheus)
    if not args.interval >= 1:
        raise BadInput("--interval", args.interval, "at least one second", ("30",))
    access = _access(args)
    return lambda path, question: get_json(address + path, question, access)


def _access(args: argparse.Namespace) -> Access:
    """How the server is asked. Raises BadInput for options that do not go together."""
    from assistant.remote import Access

    if not 0 < args.timeout <= 300:
        raise BadInput("--timeout", args.timeout, "above 0 and at most 300 seconds", ("10",))
    if not 0 <= args.retries <= 10:
        raise BadInput("--retries", args.retries, "from 0 to 10", ("2",))
    if args.key and not args.cert:
        raise BadInput("--key", args.key, "together with --cert")
    return Access(
        token=os.environ.get(TOKEN, "").strip() or None,
        user=args.user,
        password=os.environ.get(PASSWORD, ""),
        ca_file=args.ca_file,
        cert_file=args.cert,
        key_file=args.key,
        insecure=args.insecure,
        wait_s=args.timeout,
        tries=1 + args.retries,
    )


def address_of(given: str) -> str:
    """The server's address without a slash at its end. Raises BadInput for one that cannot be."""
    from urllib.parse import urlsplit

    try:
        parts = urlsplit(given)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and not parts.query
    except ValueError:
        usable = False
    if not usable:
        raise BadInput("--prometheus", given, "an address such as http://prometheus:9090")
    return given.rstrip("/")
