"""Shows the progress of an export in one line, on a terminal or in a notebook, and nowhere else."""

from __future__ import annotations

import sys
import time
from typing import Any

SHOWN_AFTER_S = 0.5
CHANGES_EVERY_S = 0.1


class ProgressLine:
    """Shows a line that is updated while a long operation runs, and removes it at the end."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._next = time.monotonic() + SHOWN_AFTER_S
        self._shown: Any = None
        self._shell = _notebook()

    def __call__(self, stage: str, done: int, total: int) -> None:
        if time.monotonic() < self._next:
            return
        self._next = time.monotonic() + CHANGES_EVERY_S
        share = done / total if total > 0 else 1
        bar = "█" * round(share * 20) + "░" * (20 - round(share * 20))
        size = f" of {total / 1e6:.1f} MB" if stage == "downloading" else ""
        self._show(f"{self._title}: {stage} {bar} {share:4.0%}{size}")

    def close(self) -> None:
        """Removes the line."""
        if self._shown is not None:
            self._show("")

    def _show(self, text: str) -> None:
        if self._shell:
            if self._shown is None:
                self._shown = self._shell.display({"text/plain": text}, raw=True, display_id=True)
            else:
                self._shown.update({"text/plain": text}, raw=True)
        elif sys.stderr.isatty():
            self._shown = True
            sys.stderr.write(f"\r\x1b[K{text}")
            sys.stderr.flush()


def _notebook() -> Any:
    """Returns IPython's display module in a notebook, otherwise None."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    if shell is None or not hasattr(shell, "kernel"):
        return None
    from IPython import display

    return display
