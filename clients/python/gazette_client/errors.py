"""Defines the error that carries the server's problem."""

from __future__ import annotations

from typing import Any


class GazetteError(Exception):
    """Carries a problem (RFC 9457) as the server sent it.

    Attributes: `status` (0 if there was no answer), `title`, `detail`, `type` (the address of a page with
    advice), `instance` (the id of the request, as in the server's log) and `errors`, a list of the refused parameters, each
    with `parameter`, `rule`, `value` and perhaps `nearest`, the most similar name.
    """

    def __init__(self, problem: dict[str, Any], retry_after_s: float | None = None) -> None:
        self.problem = problem
        self.status = int(problem.get("status", 0))
        self.title = str(problem.get("title", f"Status {self.status}"))
        self.detail = str(problem.get("detail", ""))
        self.type: str | None = problem.get("type")
        self.instance: str | None = problem.get("instance")
        self.errors: list[dict[str, Any]] = problem.get("errors", [])
        self.retry_after_s = retry_after_s
        super().__init__(f"{self.title}: {self.detail}" if self.detail else self.title)
