"""Provides the command `python -m gazette_client`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from . import Gazette, GazetteError


def main() -> int:
    """Runs a command. Returns 0 on success, 1 on failure; exits with 2 for invalid usage."""
    parser = argparse.ArgumentParser(
        prog="python -m gazette_client",
        description="Reads exports from a Gazette server, whose address and token are GAZETTE_URL and GAZETTE_TOKEN.",
    )
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("studies", help="lists the studies that the token may read")
    commands.add_parser("exports", help="lists the exports that there are")
    commands.add_parser("parameters", help="lists the parameters that every export takes")
    export = commands.add_parser("export", help="downloads an export")
    export.add_argument("name", help="such as fixations")
    export.add_argument("--study", required=True, metavar="ID", help="the id of the study")
    export.add_argument(
        "-o", "--output", required=True, type=Path, metavar="FILE", help="ends in .csv, .ndjson, .arrow or .parquet"
    )
    export.add_argument(
        "-p", "--parameter", action="append", default=[], metavar="NAME=VALUE", help="such as movingMedianRangeMs=150; any number"
    )
    arguments = parser.parse_args()
    try:
        gazette = Gazette()
        if arguments.command == "studies":
            print("\n".join(f"{study.id}\t{study.name}" for study in gazette.studies()))
        elif arguments.command == "exports":
            print("\n".join(f"{each['name']}\t{each['title']}, a row per {each['rowPer']}" for each in gazette.exports()))
        elif arguments.command == "parameters":
            print("\n".join(f"{each['name']}\t{each['meaning']}" for each in gazette.parameters()))
        else:
            target: Path = arguments.output
            print(gazette.export(arguments.name, arguments.study, target, **_pairs(export, arguments.parameter)))
    except (GazetteError, ValueError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def _pairs(parser: argparse.ArgumentParser, given: list[str]) -> dict[str, Any]:
    pairs: dict[str, Any] = {}
    for each in given:
        name, equals, value = each.partition("=")
        if not equals:
            parser.error(f"{each!r} must be NAME=VALUE")
        if name in pairs:
            parser.error(f"{name} is given twice")
        pairs[name] = value
    return pairs


if __name__ == "__main__":
    sys.exit(main())
