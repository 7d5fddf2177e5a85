"""Sends requests to one server with one token."""

from __future__ import annotations

import ipaddress
import json
import os
import ssl
import urllib.error
import urllib.parse
import urllib.request
from http.client import HTTPException, HTTPResponse
from typing import Any

from .errors import GazetteError

ANSWER_WITHIN_S = 120

AWAY = (urllib.error.URLError, ConnectionError, TimeoutError, HTTPException, ssl.SSLError)
"""Errors raised if a server does not answer, or its answer breaks off; not those of a full disk, an OSError too."""


class Connection:
    """Sends requests to one server. The token is never sent elsewhere, not even after a redirect."""

    def __init__(self, url: str | None, token: str | None) -> None:
        self.url = _checked((url or os.environ.get("GAZETTE_URL", "")).rstrip("/"))
        self._token = token or os.environ.get("GAZETTE_TOKEN", "")
        if not self._token:
            raise ValueError("A token is needed: Gazette(url, token), or in the environment as GAZETTE_TOKEN.")

    def open(self, path: str, headers: dict[str, str] | None = None) -> HTTPResponse:
        """Opens an answer to GET: 2xx or 304.

        Raises GazetteError for any other status, and one of AWAY if there is no answer.
        """
        request = urllib.request.Request(self.url + path, headers={"User-Agent": "gazette-client", **(headers or {})})
        request.add_unredirected_header("X-AUTH-TOKEN", self._token)
        try:
            answer: HTTPResponse = urllib.request.urlopen(request, timeout=ANSWER_WITHIN_S)
            return answer
        except urllib.error.HTTPError as refused:
            if refused.code == 304:
                return refused  # type: ignore[return-value]
            with refused:
                raise _problem_of(refused) from None

    def json(self, path: str) -> Any:
        """Reads JSON. Raises GazetteError, also if there is no answer."""
        try:
            with self.open(path) as answer:
                return json.load(answer)
        except AWAY as error:
            raise self.away(error) from error

    def away(self, error: Exception) -> GazetteError:
        """Returns the error of a server that does not answer."""
        why = getattr(error, "reason", error)
        return GazetteError({"status": 0, "title": "Gazette does not answer", "detail": f"{self.url}: {why}"})


def _checked(url: str) -> str:
    """Checks the address of a server; refuses one to which the token would be sent unencrypted."""
    parts = urllib.parse.urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
        raise ValueError(
            "The server's address is needed, such as http://127.0.0.1:8080: Gazette(url, token), or in the environment "
            f"as GAZETTE_URL. Got {url!r}."
        )
    if parts.scheme == "http" and not _is_loopback(parts.hostname):
        raise ValueError(f"{url} must begin with https://, since a token is sent there; http:// is for this machine alone.")
    return url


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _problem_of(answer: urllib.error.HTTPError) -> GazetteError:
    try:
        problem = json.load(answer)
    except (ValueError, *AWAY):
        problem = None
    if not isinstance(problem, dict):
        problem = {"status": answer.code, "title": f"Status {answer.code}", "detail": f"{answer.url} is no answer of Gazette's"}
    wait = answer.headers.get("Retry-After", "")
    return GazetteError(problem, float(wait) if wait.isdecimal() else None)
