"""Caches downloaded files by request."""

from __future__ import annotations

import hashlib
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO

KEPT_DAYS = 30

Fill = Callable[[IO[bytes], "str | None"], "str | None"]
"""Downloads into an empty file, given the tag of the cached file; returns the new tag, or None if that is current."""


def default_directory() -> Path:
    """Returns GAZETTE_CACHE, otherwise `gazette` in the system's cache directory."""
    if own := os.environ.get("GAZETTE_CACHE"):
        return Path(own)
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData/Local")
    elif sys.platform == "darwin":
        base = Path.home() / "Library/Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "gazette"


def cached(directory: Path, address: str, fill: Fill) -> Path:
    """Returns the cached file of an address, which `fill` downloads unless the server says that it is current.

    A file that was modified since its download is downloaded again. Files unused for KEPT_DAYS are evicted.
    """
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    _tidy(directory)
    key = hashlib.sha256(address.encode()).hexdigest()[:32]
    file, facts = directory / key, directory / f"{key}.json"
    part = tempfile.NamedTemporaryFile(dir=directory, suffix=".part", delete=False)
    try:
        with part:
            tag = fill(part, _tag_of(file, facts))
        if tag is None:
            os.utime(file)
            os.utime(facts)
            return file
        written = part.name + ".json"
        Path(written).write_text(json.dumps({"tag": tag, "sha256": _sha256(Path(part.name))}))
        os.replace(part.name, file)
        os.replace(written, facts)
        return file
    finally:
        Path(part.name).unlink(missing_ok=True)


def _tag_of(file: Path, facts: Path) -> str | None:
    try:
        known = json.loads(facts.read_text())
        return known["tag"] if known["sha256"] == _sha256(file) else None
    except (OSError, ValueError, KeyError):
        return None


def _sha256(file: Path) -> str:
    sha256 = hashlib.sha256()
    with file.open("rb") as opened:
        while block := opened.read(1 << 20):
            sha256.update(block)
    return sha256.hexdigest()


def _tidy(directory: Path) -> None:
    for each in directory.iterdir():
        # A killed download leaves its part behind.
        days = 1 if ".part" in each.name else KEPT_DAYS
        try:
            if each.is_file() and each.stat().st_mtime < time.time() - days * 86400:
                each.unlink()
        except OSError:
            pass  # Somebody else did.
