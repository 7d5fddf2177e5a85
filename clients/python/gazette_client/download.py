"""Downloads an export to a complete file."""

from __future__ import annotations

import base64
import hashlib
import json
import time
from collections.abc import Callable
from typing import IO, Any

from .connection import AWAY, Connection
from .errors import GazetteError

BLOCK_BYTES = 1 << 18
AWAY_MAX_S = 120
"""Timeout in seconds of a download whose server stopped answering."""

Progress = Callable[[str, int, int], None]
"""Receives the stage (`"computing"` or `"downloading"`), the amount done (percent, bytes), and the total."""


class _Patience:
    """Backs off between retries, longer each time, until nothing has come for AWAY_MAX_S."""

    def __init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        self._since = time.monotonic()
        self._pause_s = 0.25

    def sleep(self, error: Exception, at_least_s: float = 0) -> None:
        if time.monotonic() - self._since > AWAY_MAX_S:
            raise error
        time.sleep(max(self._pause_s, at_least_s))
        self._pause_s = min(self._pause_s * 2, 5)


def download(connection: Connection, path: str, part: IO[bytes], known_tag: str | None, progress: Progress) -> str | None:
    """Downloads an export into an empty file, and compares it with the server's digest.

    Waits for a job if there is one. The download resumes after a broken connection or a restart of the server.

    Returns the entity tag of the file; None, with nothing written, if that of `known_tag` is still right.
    Raises GazetteError.
    """
    patience = _Patience()
    tag, done, has_answered, is_wrong = "", 0, False, False
    while True:
        # Request the uncompressed file, since ranges count its bytes.
        headers = {"Accept-Encoding": "identity", "Prefer": "wait=0"}
        if done > 0:
            headers |= {"Range": f"bytes={done}-", "If-Range": tag}
        elif known_tag is not None:
            headers["If-None-Match"] = known_tag
        try:
            with connection.open(path, headers) as answer:
                has_answered = True
                if answer.status == 304:
                    return None
                if answer.status == 202:
                    _follow(connection, json.load(answer), float(answer.headers.get("Retry-After", "1")), progress)
                    patience.begin()
                    continue
                done = done if answer.status == 206 else 0
                part.seek(done)
                part.truncate()
                tag, total = answer.headers["ETag"], done + int(answer.headers["Content-Length"])
                while block := answer.read(BLOCK_BYTES):
                    part.write(block)
                    done += len(block)
                    patience.begin()
                    progress("downloading", done, total)
                if done < total:
                    raise ConnectionResetError(f"the connection broke after {done} of {total} bytes")
                digest = answer.headers["Repr-Digest"]
        except GazetteError as error:
            if error.status not in (429, 503):
                raise
            patience.sleep(error, error.retry_after_s or 1)
            continue
        except AWAY as error:
            if not has_answered:
                raise connection.away(error) from error
            patience.sleep(connection.away(error))
            continue
        if _digest_of(part) == digest:
            return tag
        if is_wrong:
            detail = f"Twice, the bytes that came were not those that the server had counted ({digest})."
            raise GazetteError({"status": 0, "title": "The download is damaged", "detail": detail})
        done, is_wrong = 0, True


def request_parts(connection: Connection, path: str, progress: Progress) -> list[dict[str, Any]]:
    """Requests an export in parts, and waits for its job. Returns the parts, in order. Raises GazetteError."""
    patience, has_answered = _Patience(), False
    while True:
        try:
            with connection.open(path, {"Prefer": "wait=0"}) as answer:
                job = json.load(answer)
                pause_s = float(answer.headers.get("Retry-After", "1"))
            has_answered = True
            if job["state"] == "succeeded":
                parts: list[dict[str, Any]] = job["parts"]
                return parts
            _follow(connection, job, pause_s, progress)
            patience.begin()
        except GazetteError as error:
            if error.status not in (429, 503):
                raise
            patience.sleep(error, error.retry_after_s or 1)
        except AWAY as error:
            if not has_answered:
                raise connection.away(error) from error
            patience.sleep(connection.away(error))


def _follow(connection: Connection, job: dict[str, Any], pause_s: float, progress: Progress) -> None:
    """Waits until a job ends, by its events; if they bring nothing, the job is requested after `pause_s`."""
    path = f"/api2/jobs/{job['id']}"
    while job["state"] in ("queued", "running"):
        progress("computing", int(job["progress"]["percent"]), 100)
        with connection.open(f"{path}/events") as events:
            for line in events:
                if line.startswith(b"data: ") and line.endswith(b"\n"):
                    job = json.loads(line[6:])
                    progress("computing", int(job["progress"]["percent"]), 100)
        if job["state"] in ("queued", "running"):
            time.sleep(pause_s)
            with connection.open(path) as answer:
                job = json.load(answer)
    if job["state"] in ("failed", "canceled"):
        ended = {"status": 0, "title": f"The job has {job['state']}" if job["state"] == "failed" else "The job was canceled"}
        raise GazetteError(job["error"] or ended)


def _digest_of(file: IO[bytes]) -> str:
    file.seek(0)
    sha256 = hashlib.sha256()
    while block := file.read(1 << 20):
        sha256.update(block)
    return f"sha-256=:{base64.b64encode(sha256.digest()).decode()}:"
