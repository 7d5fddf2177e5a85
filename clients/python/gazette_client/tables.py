"""Reads files as tables, with the types of their export's schema."""

from __future__ import annotations

import csv
import json
from fnmatch import fnmatchcase
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

KINDS = ("pandas", "polars", "arrow", "rows")


def need(kind: str) -> None:
    """Checks that the package for a kind of table is installed. Raises ImportError if not."""
    package = {"arrow": "pyarrow"}.get(kind, kind)
    if kind != "rows" and find_spec(package) is None:
        raise ImportError(f'{package} is not installed: pip install {package}, or as_="rows" for a list of dicts')


def format_of(kind: str, schema: dict[str, Any]) -> str:
    """Returns the format to request for a kind of table.

    pandas reads Parquet with pyarrow. Without it, and for columns of lists, whose cells differ in Parquet, it
    reads CSV, so that a table is the same with and without pyarrow.
    """
    if kind != "pandas":
        return {"polars": "parquet", "arrow": "arrow", "rows": "ndjson"}[kind]
    has_lists = any(field["type"] == "array" for field in schema["fields"])
    return "csv" if has_lists or find_spec("pyarrow") is None else "parquet"


def read(kind: str, files: list[Path], file_format: str, schema: dict[str, Any]) -> Any:
    """Reads the files of an export as one table of a kind: the rows of one file after those of the other."""
    if kind == "pandas":
        import pandas

        frames = [read_pandas(file, file_format, schema) for file in files]
        return frames[0] if len(frames) == 1 else pandas.concat(frames, ignore_index=True)
    if kind == "polars":
        import polars

        return polars.concat([read_polars(file) for file in files])
    if kind == "arrow":
        import pyarrow

        found = [read_arrow(file) for file in files]
        return found[0] if len(found) == 1 else pyarrow.concat_tables(found)
    return [row for file in files for row in read_rows(file)]


def read_rows(file: Path) -> list[dict[str, Any]]:
    """Reads NDJSON as a list with one dict per row."""
    with file.open("rb") as lines:
        return [json.loads(line) for line in lines]


def read_arrow(file: Path) -> pyarrow.Table:
    """Reads an Arrow file; its fields carry meaning and unit."""
    import pyarrow.ipc

    with pyarrow.ipc.open_file(file) as opened:
        return opened.read_all()


def read_polars(file: Path) -> polars.DataFrame:
    """Reads Parquet."""
    import polars

    return polars.read_parquet(file)


def read_pandas(file: Path, file_format: str, schema: dict[str, Any]) -> pandas.DataFrame:
    """Reads Parquet or CSV. Missing values are NaN or <NA>, times of day are text, and cells of lists are lists."""
    if file_format == "csv":
        return _from_csv(file, schema)
    import pyarrow.parquet

    table = pyarrow.parquet.read_table(file)
    frame = table.to_pandas(types_mapper=_nullable().get)
    return frame.astype({name: _dtype(_field(schema, name)) for name in frame.columns})


def _nullable() -> dict[Any, Any]:
    import pandas
    import pyarrow

    return {
        pyarrow.string(): pandas.StringDtype(),
        pyarrow.int32(): pandas.Int64Dtype(),
        pyarrow.int64(): pandas.Int64Dtype(),
        pyarrow.bool_(): pandas.BooleanDtype(),
    }


def _from_csv(file: Path, schema: dict[str, Any]) -> pandas.DataFrame:
    import pandas

    with file.open(encoding="utf-8", newline="") as lines:
        names = next(csv.reader(lines))
    fields = {name: _field(schema, name) for name in names}
    frame = pandas.read_csv(
        file,
        dtype={name: _dtype(field) for name, field in fields.items()},
        # Only the schema's missing values count: a participant may be called NA.
        keep_default_na=False,
        na_values={name: field["missingValues"] for name, field in fields.items()},
    )
    for name, field in fields.items():
        if field["type"] == "array":
            frame[name] = frame[name].map(json.loads)
        elif field.get("formulaGuard"):
            # Remove the guard that keeps spreadsheets from evaluating text as a formula (docs/export-formats.md); only CSV has it.
            frame[name] = frame[name].str.replace(r"^'(?='*[=+\-@\t\r])", "", regex=True)
    return frame


def _field(schema: dict[str, Any], name: str) -> dict[str, Any]:
    """Returns the field that describes a column, possibly under a name with `*`."""
    fields: list[dict[str, Any]] = schema["fields"]
    exact = [field for field in fields if field["name"] == name]
    return (exact or [field for field in fields if fnmatchcase(name, field["name"])])[0]


def _dtype(field: dict[str, Any]) -> str:
    is_required = field.get("constraints", {}).get("required", False)
    if field["type"] == "integer":
        return "int64" if is_required else "Int64"
    if field["type"] == "boolean":
        return "bool" if is_required else "boolean"
    return {"number": "float64", "array": "object"}.get(field["type"], "string")
