"""Builds sdist and wheel with Python alone (PEP 517), without a network: `python3 build_backend.py OUT`.

The package is pure Python without dependencies; the same source gives the same bytes.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import re
import sys
import tarfile
import zipfile
from pathlib import Path

HERE = Path(__file__).parent
PROJECT = (HERE / "pyproject.toml").read_text()
EPOCH = (1980, 1, 1, 0, 0, 0)
WHEEL = "Wheel-Version: 1.0\nGenerator: gazette-client\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


def _of_project(key: str) -> str:
    found = re.search(rf'^{key} = "(.*)"$', PROJECT, re.MULTILINE)
    assert found is not None, key
    return found[1]


VERSION = _of_project("version")
STEM = f"gazette_client-{VERSION}"


def _metadata() -> bytes:
    extras = re.search(r"optional-dependencies\]\n((?:.+\n)*)", PROJECT)
    assert extras is not None
    lines = [
        "Metadata-Version: 2.4",
        "Name: gazette-client",
        f"Version: {VERSION}",
        f"Summary: {_of_project('description')}",
        f"Requires-Python: {_of_project('requires-python')}",
        f"License-Expression: {_of_project('license')}",
        *(f"Classifier: {each}" for each in re.findall(r'"(\w+ ::[^"]+)"', PROJECT)),
        "Description-Content-Type: text/markdown",
    ]
    for name, requirement in re.findall(r'^(\w+) = \["(.+)"\]$', extras[1], re.MULTILINE):
        lines += [f"Provides-Extra: {name}", f'Requires-Dist: {requirement}; extra == "{name}"']
    return ("\n".join(lines) + "\n\n" + (HERE / "README.md").read_text()).encode()


def _sources(*others: str) -> list[Path]:
    package = HERE / "gazette_client"
    return [*(HERE / each for each in others), *sorted(package.glob("*.py")), package / "py.typed"]


def build_wheel(wheel_directory: str, config_settings: object = None, metadata_directory: object = None) -> str:
    """Writes the wheel. Returns its name."""
    files = {str(path.relative_to(HERE)): path.read_bytes() for path in _sources()}
    files |= {f"{STEM}.dist-info/METADATA": _metadata(), f"{STEM}.dist-info/WHEEL": WHEEL.encode()}
    record = f"{STEM}.dist-info/RECORD"
    sums = {name: base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode() for name, data in files.items()}
    lines = [f"{name},sha256={sums[name]},{len(data)}" for name, data in files.items()]
    files[record] = "\n".join([*lines, f"{record},,", ""]).encode()
    name = f"{STEM}-py3-none-any.whl"
    with zipfile.ZipFile(Path(wheel_directory) / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, data in files.items():
            entry = zipfile.ZipInfo(path, EPOCH)
            entry.external_attr = 0o644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, data)
    return name


def build_sdist(sdist_directory: str, config_settings: object = None) -> str:
    """Writes the source archive. Returns its name."""
    paths = _sources("pyproject.toml", "README.md", "build_backend.py", "example.py")
    files = {str(path.relative_to(HERE)): path.read_bytes() for path in paths} | {"PKG-INFO": _metadata()}
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for path, data in files.items():
            entry = tarfile.TarInfo(f"{STEM}/{path}")
            entry.size, entry.mode = len(data), 0o644
            archive.addfile(entry, io.BytesIO(data))
    name = f"{STEM}.tar.gz"
    (Path(sdist_directory) / name).write_bytes(gzip.compress(packed.getvalue(), mtime=0))
    return name


if __name__ == "__main__":
    Path(sys.argv[1]).mkdir(parents=True, exist_ok=True)
    print(build_sdist(sys.argv[1]), build_wheel(sys.argv[1]), sep="\n")
