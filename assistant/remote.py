"""A model's ``config.json`` from a hub when the user asks with ``--fetch``, and an answer worded where a model is set.

The one module that opens a connection. What comes back is data to be checked, never trusted: its size, its time, where
it redirects to, and that it is a JSON object.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import ssl
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urljoin, urlsplit

import httpx
from platformdirs import user_cache_path

from knowledge.architecture.reading import checked_object
from knowledge.errors import BadInput, SizewrightError

ENDPOINT = "https://huggingface.co"
MOST_BYTES = 2 * 2**20
MOST_SECONDS = 30.0
WAIT_SECONDS = 10.0
MOST_REDIRECTS = 5
LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})
REPOSITORY = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,95}/[A-Za-z0-9][A-Za-z0-9._-]{0,95}")
BY_HAND = "without a network, copy the repository's config.json here and give its path as the model"


def fetch_config(repo_id: str) -> Path:
    """The ``config.json`` of ``repo_id`` (owner/name) in the user's cache, fetched over HTTPS where not there yet.

    Honours ``HF_ENDPOINT`` (HTTPS, or HTTP on this machine), ``HF_TOKEN`` (sent to the endpoint alone) and
    ``HF_HUB_OFFLINE``. Raises ``BadInput`` for a name or endpoint that cannot be, and for a repository that is not
    there or gated; ``SizewrightError`` where the hub cannot be reached or does not answer with a JSON object in time.
    """
    if not REPOSITORY.fullmatch(repo_id) or ".." in repo_id:
        raise BadInput("model", repo_id, "a repository id, owner/name, or the path of a config.json")
    endpoint = _endpoint()
    place = _place(endpoint, repo_id)
    if place.is_file():
        return place
    if os.environ.get("HF_HUB_OFFLINE", "").lower() in ("1", "true", "yes", "on"):
        raise SizewrightError(f"{repo_id} is not in the cache and HF_HUB_OFFLINE is set; {BY_HAND}")
    _write(place, _checked(repo_id, _download(f"{endpoint}/{repo_id}/resolve/main/config.json", repo_id)))
    return place


def _endpoint() -> str:
    given = os.environ.get("HF_ENDPOINT") or ENDPOINT
    if not _allowed(given) or "?" in given or "#" in given:
        raise BadInput("HF_ENDPOINT", given, "an https:// address, or http:// of this machine", (ENDPOINT,))
    return given.rstrip("/")


def _allowed(address: str) -> bool:
    """HTTPS anywhere, HTTP on this machine only."""
    try:
        parts = urlsplit(address)
        host = parts.hostname
    except ValueError:
        return False
    return bool(host) and (parts.scheme == "https" or (parts.scheme == "http" and host in LOOPBACK))


def cache_folder() -> Path:
    """Where fetched configs are kept."""
    return user_cache_path("sizewright") / "configs"


def _place(endpoint: str, repo_id: str) -> Path:
    """Mirrors may differ, so each has its own folder; the last one names the model."""
    mirror = hashlib.sha256(endpoint.encode()).hexdigest()[:12]
    return cache_folder() / mirror / repo_id / "config.json"


def _download(address: str, repo_id: str) -> bytes:
    until = time.monotonic() + MOST_SECONDS
    origin = urlsplit(address)[:2]
    try:
        with httpx.Client(timeout=WAIT_SECONDS, follow_redirects=False) as client:
            for _ in range(MOST_REDIRECTS + 1):
                headers = {"Accept": "application/json", "Accept-Encoding": "identity"}
                token = os.environ.get("HF_TOKEN", "").strip()
                if token and urlsplit(address)[:2] == origin:
                    headers["Authorization"] = f"Bearer {token}"
                with client.stream("GET", address, headers=headers) as reply:
                    if not reply.has_redirect_location:
                        _check_status(reply.status_code, repo_id)
                        return b"".join(_body(reply, until, repo_id))
                    address = urljoin(address, reply.headers["location"])
                if not _allowed(address):
                    raise SizewrightError(f"{repo_id}: the hub redirects to {address[:80]}, which is not HTTPS")
        raise SizewrightError(f"{repo_id}: the hub redirects more than {MOST_REDIRECTS} times")
    except (httpx.HTTPError, httpx.InvalidURL, UnicodeError, ValueError) as error:
        what = "no answer in time" if isinstance(error, httpx.TimeoutException) else str(error) or type(error).__name__
        raise SizewrightError(
            f"{repo_id} cannot be fetched from {urlsplit(address).hostname}: {what}; {BY_HAND}"
        ) from None


def _check_status(status: int, repo_id: str) -> None:
    if status in (401, 403):
        expected = "a repository that HF_TOKEN may read; this one is gated, private or not there"
        raise BadInput("model", repo_id, expected)
    if status == 404:
        raise BadInput("model", repo_id, "a repository with a config.json; there is none of this name")
    if status != 200:
        raise SizewrightError(f"{repo_id}: the hub answers with status {status}; {BY_HAND}")


def _body(reply: httpx.Response, until: float, repo_id: str) -> Iterator[bytes]:
    """The reply by pieces, while it is neither too large nor too slow, and complete."""
    announced = reply.headers.get("content-length", "")
    size = 0
    for piece in reply.iter_raw():
        size += len(piece)
        if size > MOST_BYTES or (announced.isdecimal() and int(announced[:18]) > MOST_BYTES):
            raise SizewrightError(f"{repo_id}: the reply is larger than {MOST_BYTES // 2**20} MiB, no config.json is")
        if time.monotonic() > until:
            raise SizewrightError(f"{repo_id}: no complete answer within {MOST_SECONDS:.0f} s; {BY_HAND}")
        yield piece


def _checked(repo_id: str, body: bytes) -> bytes:
    try:
        checked_object(json.loads(body))
    except (ValueError, RecursionError, BadInput):
        raise SizewrightError(f"{repo_id}: the reply is not the JSON object that a config.json is") from None
    return body


def _write(place: Path, body: bytes) -> None:
    """Whole or not at all, also when two fetch at once."""
    place.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=place.parent, prefix=".config-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(body)
        os.replace(name, place)
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise


# --- a language model that words what is known ----------------------------------------------------------------------

MOST_PHRASING_SECONDS = 20.0
MOST_PHRASING_BYTES = 256 * 2**10
MOST_TOKENS = 1200


class FormRefused(SizewrightError):
    """The endpoint does not take the form of reply that was asked for."""


FORM_STATUSES = frozenset({400, 404, 415, 422, 501})
"""What servers answer to a ``response_format`` that they do not know."""


def phrase(
    url: str, model: str, messages: list[dict[str, str]], key: str | None = None, form: dict[str, Any] | None = None
) -> str:
    """What an OpenAI-compatible endpoint says to ``messages``; ``url`` is its base, such as http://127.0.0.1:8000/v1.

    ``form`` is the ``response_format`` asked for. The text comes back as it is, to be checked by the caller. Raises
    ``BadInput`` for an address that is neither HTTPS nor this machine's; ``FormRefused`` where the endpoint does not
    know the form; ``SizewrightError`` where no usable reply came in time.
    """
    if not _allowed(url):
        raise BadInput("SIZEWRIGHT_LLM_URL", url, "an https:// address, or http:// of this machine")
    address = f"{url.rstrip('/')}/chat/completions"
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    body: dict[str, Any] = {"model": model, "messages": messages, "temperature": 0, "max_tokens": MOST_TOKENS}
    if form is not None:
        body["response_format"] = form
    until = time.monotonic() + MOST_PHRASING_SECONDS
    try:
        with (
            httpx.Client(timeout=WAIT_SECONDS, follow_redirects=False, trust_env=False) as client,
            client.stream("POST", address, json=body, headers=headers) as reply,
        ):
            if form is not None and reply.status_code in FORM_STATUSES:
                raise FormRefused(f"the language model refuses the form asked for (status {reply.status_code})")
            if reply.status_code != 200:
                raise SizewrightError(f"the language model answers with status {reply.status_code}")
            return _said(b"".join(_pieces(reply, until)))
    except (httpx.HTTPError, httpx.InvalidURL, UnicodeError) as error:
        what = "no answer in time" if isinstance(error, httpx.TimeoutException) else str(error) or type(error).__name__
        raise SizewrightError(f"the language model cannot be asked: {what}") from None


def _pieces(reply: httpx.Response, until: float) -> Iterator[bytes]:
    size = 0
    for piece in reply.iter_bytes():
        size += len(piece)
        if size > MOST_PHRASING_BYTES:
            raise SizewrightError("the language model's reply is too long")
        if time.monotonic() > until:
            raise SizewrightError("the language model gave no complete reply in time")
        yield piece


def _said(body: bytes) -> str:
    try:
        document = json.loads(body)
        text = document["choices"][0]["message"]["content"]
    except (ValueError, RecursionError, KeyError, IndexError, TypeError):
        raise SizewrightError("the language model's reply is not a chat completion") from None
    if not isinstance(text, str):
        raise SizewrightError("the language model's reply holds no text")
    return text


class Access(NamedTuple):
    """How a server that the user named is reached: who asks, which certificates count, how long and how often.

    ``ca_file`` holds the authorities that are trusted instead of the system's, ``cert_file`` and ``key_file`` (PEM) say
    who we are. ``insecure`` trusts any certificate. ``tries`` counts the first one too.
    """

    token: str | None = None
    user: str | None = None
    password: str = ""
    ca_file: str | None = None
    cert_file: str | None = None
    key_file: str | None = None
    insecure: bool = False
    wait_s: float = 10.0
    tries: int = 1


MOST_ANSWER_BYTES = 64 * 2**20
"""A larger answer is refused: a fleet of a hundred thousand GPUs answers a rule with less."""
PAUSE_S = 0.25
"""Before the second try; doubled before each further one."""
BUSY = frozenset({429, 502, 503, 504})


def get_json(address: str, question: dict[str, str], access: Access = Access()) -> object:  # noqa: B008 - immutable
    """The JSON answer of a server that the user named, such as Prometheus, to a GET with ``question``.

    A user and password may also stand in the address. Redirects are not followed. What did not answer, or was busy, is
    asked again. Raises ``BadInput`` for an address or file that cannot be and for a caller who is refused,
    ``SizewrightError`` where no JSON of bearable size comes in time.
    """
    host = urlsplit(address).hostname
    context = _context(access)
    for left in range(access.tries - 1, -1, -1):
        try:
            status, body = _get(address, question, access, context)
        except httpx.TimeoutException:
            failure = f"no answer within {access.wait_s:g} s"
        except (httpx.HTTPError, httpx.InvalidURL, UnicodeError, ValueError) as error:
            failure = str(error) or type(error).__name__
        else:
            if status not in BUSY or not left:
                return _answer(host, status, body)
            failure = f"status {status}"
        if left:
            time.sleep(PAUSE_S * 2 ** (access.tries - 1 - left))
    raise SizewrightError(f"{host}: {failure}")


def _context(access: Access) -> ssl.SSLContext:
    try:
        context = ssl.create_default_context(cafile=access.ca_file)
    except (OSError, ValueError) as error:  # an SSLError is an OSError
        raise BadInput("--ca-file", access.ca_file, _file_wanted(error, "a file of certificates (PEM)")) from None
    if access.insecure:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    if access.cert_file:
        try:
            context.load_cert_chain(access.cert_file, access.key_file)
        except (OSError, ValueError) as error:
            raise BadInput("--cert", access.cert_file, _file_wanted(error, "a certificate and its key (PEM)")) from None
    return context


def _file_wanted(error: Exception, wanted: str) -> str:
    return "a file that exists" if isinstance(error, FileNotFoundError) else wanted


def _get(address: str, question: dict[str, str], access: Access, context: ssl.SSLContext) -> tuple[int, bytes]:
    headers = {"Accept": "application/json"} | ({"Authorization": f"Bearer {access.token}"} if access.token else {})
    login = (access.user, access.password) if access.user else None
    until = time.monotonic() + MOST_SECONDS
    size, pieces = 0, []
    with (
        httpx.Client(timeout=access.wait_s, follow_redirects=False, verify=context, auth=login) as client,
        client.stream("GET", address, params=question, headers=headers) as reply,
    ):
        for piece in reply.iter_bytes():
            size += len(piece)
            if size > MOST_ANSWER_BYTES or time.monotonic() > until:
                raise SizewrightError(f"{urlsplit(address).hostname}: the answer is too large or too slow")
            pieces.append(piece)
        return reply.status_code, b"".join(pieces)


def _answer(host: str | None, status: int, body: bytes) -> object:
    if status in (401, 403):
        raise BadInput("address", host, f"a server that this user may ask; it answers with status {status}")
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        raise SizewrightError(f"{host}: status {status} and no JSON") from None
