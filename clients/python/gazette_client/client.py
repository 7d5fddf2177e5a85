"""Provides the API for scripts: studies, exports, tables."""

from __future__ import annotations

import difflib
import html
import os
import shutil
import tempfile
from numbers import Real
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, overload
from urllib.parse import quote, urlencode

from . import tables
from .cache import cached, default_directory
from .connection import Connection
from .download import Progress, download, request_parts
from .progress import ProgressLine

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

Value = str | int | float | None

_FOLLOWS = {"format": "as_", "variant": "the name of the export", "studyId": "study"}
"""Server parameters that are set in another way here."""


class Study(dict[str, Any]):
    """A study as the server describes it; in a notebook, with a link to the dashboard."""

    def __init__(self, facts: dict[str, Any], url: str) -> None:
        super().__init__(facts)
        self.id: str = facts["id"]
        self.name: str = facts["name"]
        self.url = f"{url}/studies/{self.id}"

    def __repr__(self) -> str:
        return f"<Study {self.id} {self.name!r}>"

    def _repr_html_(self) -> str:
        counts = {each: self[f"{each}Count"] for each in ("participant", "item", "test", "sample") if f"{each}Count" in self}
        said = ", ".join(f"{count} {each}{'' if count == 1 else 's'}" for each, count in counts.items())
        return f'<a href="{html.escape(self.url)}">{html.escape(self.name)}</a>: {said}'


class Studies(list[Study]):
    """Studies; in a notebook, a list of links to the dashboard."""

    def _repr_html_(self) -> str:
        return "<ul>" + "".join(f"<li>{study._repr_html_()}</li>" for study in self) + "</ul>"


class Gazette:
    """Reads from a Gazette server what a token may read.

    url: its address, such as `http://127.0.0.1:8080`; by default GAZETTE_URL of the environment.
    token: from `gazette token create`; by default GAZETTE_TOKEN of the environment.
    cache: directory of downloaded files, which are downloaded again only if they changed; by default GAZETTE_CACHE
        of the environment, otherwise the user's own cache directory. False keeps nothing.
    """

    def __init__(
        self, url: str | None = None, token: str | None = None, *, cache: str | PathLike[str] | Literal[False] | None = None
    ) -> None:
        self._connection = Connection(url, token)
        self._cache = None if cache is False else Path(cache) if cache is not None else default_directory()
        self._known: dict[str, dict[str, Any]] = {}

    def __repr__(self) -> str:
        return f"<Gazette {self._connection.url}>"

    def _repr_html_(self) -> str:
        url = html.escape(self._connection.url)
        return f'Gazette at <a href="{url}">{url}</a>'

    def studies(self) -> Studies:
        """Lists the studies that the token may read."""
        found, cursor = Studies(), ""
        while cursor is not None:
            page = self._connection.json("/api2/studies" + (f"?cursor={quote(cursor)}" if cursor else ""))
            found += (Study(each, self._connection.url) for each in page["studies"])
            cursor = page["nextCursor"]
        return found

    def study(self, study: str | Study) -> Study:
        """Describes a study by its id: its items, AOIs and counts."""
        return Study(self._connection.json(f"/api2/studies/{quote(_id_of(study), safe='')}"), self._connection.url)

    def exports(self) -> list[dict[str, Any]]:
        """Lists all exports: `name`, `title`, `rowPer` and more."""
        return list(self._catalog()["exports"])

    def parameters(self) -> list[dict[str, Any]]:
        """Lists the parameters that every export takes: `name`, `default`, `min`, `max`, `unit`, `meaning`."""
        return list(self._catalog()["parameters"])

    def schema(self, name: str) -> dict[str, Any]:
        """Describes an export's columns: `fields` with `name`, `type`, `unit` and `description` (a Table Schema)."""
        self._entry(name)
        return self._schema(name)

    def analyses(self, study: str | Study) -> list[dict[str, Any]]:
        """Lists the saved analyses of a study; the parameter `analysis` takes their names."""
        found: list[dict[str, Any]] = self._connection.json(f"/api2/studies/{quote(_id_of(study), safe='')}/analyses")["analyses"]
        return found

    def analyse(self, name: str, study: str | Study, **parameters: Value | list[str]) -> dict[str, Any]:
        """Computes an analysis of a study on the server.

        name: `"comparisons"`, `"within"`, `"mixed"`, `"transitions"`, `"visits"`, `"survival"`, `"quality"`, `"loss"`,
            `"reading"`, `"tags"`, `"offsets"`, `"participants"`, `"pupils"`, `"looks"`, `"clusters"`, `"microsaccades"` or `"scanpaths"`.
        parameters: those of exports, and the analysis's own, such as `group1=`, `aois=[…]` or `event=`.
        """
        given = {
            key: ",".join(value) if isinstance(value, list) else _text(key, value)
            for key, value in parameters.items()
            if value is not None
        }
        path = f"/api2/studies/{quote(_id_of(study), safe='')}/analysis/{quote(name, safe='')}"
        found: dict[str, Any] = self._connection.json(f"{path}?{urlencode(sorted(given.items()))}")
        return found

    @overload
    def export(
        self, name: str, study: str | Study, as_: Literal["pandas"] = ..., *, progress: Progress | bool = ..., **parameters: Value
    ) -> pandas.DataFrame: ...
    @overload
    def export(
        self, name: str, study: str | Study, as_: Literal["polars"], *, progress: Progress | bool = ..., **parameters: Value
    ) -> polars.DataFrame: ...
    @overload
    def export(
        self, name: str, study: str | Study, as_: Literal["arrow"], *, progress: Progress | bool = ..., **parameters: Value
    ) -> pyarrow.Table: ...
    @overload
    def export(
        self, name: str, study: str | Study, as_: Literal["rows"], *, progress: Progress | bool = ..., **parameters: Value
    ) -> list[dict[str, Any]]: ...
    @overload
    def export(
        self, name: str, study: str | Study, as_: PathLike[str], *, progress: Progress | bool = ..., **parameters: Value
    ) -> Path: ...
    def export(
        self,
        name: str,
        study: str | Study,
        as_: str | PathLike[str] = "pandas",
        *,
        progress: Progress | bool = True,
        **parameters: Value,
    ) -> Any:
        """Reads an export of a study; waits for its job if it is large.

        name: one of `exports()`, such as `"fixations"`.
        study: a study or its id.
        as_: `"pandas"` or `"polars"` for a data frame, `"arrow"` for a pyarrow table, `"rows"` for a list of dicts, or a
            Path for a file, whose ending names its format: .csv, .ndjson, .arrow, .parquet, .xlsx or .semicolon.csv.
        progress: whether a line on a terminal or in a notebook says how far it is; or a function that is told
            (`"computing"` or `"downloading"`, how much is done, of how much).
        parameters: the server's, as `parameters()` lists them, such as `movingMedianRangeMs=150`. With `output="parts"`,
            a large export is computed and downloaded as several files, which are read as one table; it cannot be a Path.

        Raises GazetteError for whatever the server refuses, in its words; ValueError for an unknown export or `as_`.
        """
        entry = self._entry(name)
        schema = self._schema(name)
        file_format = self._format_of(as_, schema)
        given = {key: _text(key, value) for key, value in parameters.items() if value is not None}
        fixed = {"variant": entry["variant"]} if entry["variant"] is not None else {}
        path = entry["path"].replace("{studyId}", quote(_id_of(study), safe=""))
        address = f"{path}?{urlencode(sorted((given | fixed | {'format': file_format}).items()))}"
        is_in_parts = given.get("output") == "parts"
        if is_in_parts and not isinstance(as_, str):
            raise ValueError('output="parts" is several files: read them as a table, such as as_="pandas"')
        told = ProgressLine(name) if progress is True else progress or (lambda *_: None)
        with tempfile.TemporaryDirectory() as scratch:

            def fetch(path: str) -> Path:
                return cached(
                    self._cache or Path(scratch),
                    self._connection.url + path,
                    lambda part, tag: download(self._connection, path, part, tag, told),
                )

            try:
                parts = request_parts(self._connection, address, told) if is_in_parts else [{"href": address}]
                files = [fetch(each["href"]) for each in parts]
            finally:
                if isinstance(told, ProgressLine):
                    told.close()
            if isinstance(as_, str):
                return tables.read(as_, files, file_format, schema)
            return _copy(files[0], Path(as_))

    def _format_of(self, as_: str | PathLike[str], schema: dict[str, Any]) -> str:
        if isinstance(as_, str):
            if as_ not in tables.KINDS:
                raise ValueError(f"as_ must be one of {', '.join(tables.KINDS)} or a pathlib.Path, got {as_!r}")
            tables.need(as_)
            return tables.format_of(as_, schema)
        endings: dict[str, str] = {each["extension"]: each["name"] for each in self._catalog()["formats"]}
        # A name that ends in .semicolon.csv also ends in .csv.
        found = [each for each in endings if Path(as_).name.lower().endswith("." + each)]
        if not found:
            raise ValueError(f"A file must end in {', '.join('.' + each for each in endings)}, got {os.fspath(as_)!r}")
        return endings[max(found, key=len)]

    def _entry(self, name: str) -> dict[str, Any]:
        entries = {each["name"]: each for each in self.exports()}
        if name not in entries:
            near = difflib.get_close_matches(name, entries, n=1)
            guess = f" (did you mean {near[0]}?)" if near else f": {', '.join(entries)}"
            raise ValueError(f"{name!r} is none of the server's exports{guess}")
        return entries[name]

    def _catalog(self) -> dict[str, Any]:
        return self._open("/api2/exports")

    def _schema(self, name: str) -> dict[str, Any]:
        return self._open(f"/api2/exports/{name}/schema")

    def _open(self, path: str) -> dict[str, Any]:
        if path not in self._known:
            self._known[path] = self._connection.json(path)
        return self._known[path]


def _id_of(study: str | Study) -> str:
    return study.id if isinstance(study, Study) else study


def _text(name: str, value: Any) -> str:
    """Formats a parameter for an address; the server validates it."""
    if name in _FOLLOWS:
        raise ValueError(f"{name} is not to be given: it follows from {_FOLLOWS[name]}")
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"{name} must be a text or a number, got {value!r}")
    return str(round(value)) if float(value).is_integer() else repr(float(value))


def _copy(file: Path, target: Path) -> Path:
    """Copies a file atomically: the target is never incomplete."""
    part = target.with_name(target.name + ".part")
    shutil.copyfile(file, part)
    os.replace(part, target)
    return target
