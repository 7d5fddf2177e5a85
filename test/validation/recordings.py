"""Reads public recordings by columns that a person chose, and prints their tests: a second opinion for guesses.

recordings.py KIND FILE: prints a list of tests, each a list of [ms after the first sample, x px, y px], with null for
lost gaze. It needs Python alone, and shares no code with Gazette.
"""

import csv
import json
import math
import sys


def rows_of(path, separator):
    with open(path, newline="", encoding="utf-8-sig") as file:
        return list(csv.DictReader(file, delimiter=separator))


def mean(eyes):
    seen = [eye for eye in eyes if eye is not None]
    return [sum(one) / len(seen) for one in zip(*seen)] if seen else [None, None]


def test_of(samples):
    first = samples[0][0]
    return [[ms - first, *place] for ms, place in samples]


def i2mc(path):
    """Tobii TX300 with shares of 1920 x 1080 px: an eye is seen where its validity is 0 or 1."""

    def eye(row, side):
        place = [float(row[side + "GazePos2d" + axis]) for axis in "xy"]
        return [place[0] * 1920, place[1] * 1080] if row[side + "Validity"] in "01" and place != [-1, -1] else None

    return [test_of([(float(r["Time"]) / 1000, mean([eye(r, "L"), eye(r, "R")])) for r in rows_of(path, "\t")])]


def etdq(path):
    """Px from the middle of 1920 x 1080 px, of the eyes that the file has; y grows upwards."""

    def eye(row, side):
        x, y = [float(row[side + axis] or "nan") for axis in ("_x", "_y")]
        return None if math.isnan(x) or math.isnan(y) else [960 + x, 540 - y]

    rows = rows_of(path, "\t")
    sides = [side for side in ("left", "right") if side + "_x" in rows[0]]
    return [test_of([(float(row["timestamp"]), mean([eye(row, side) for side in sides])) for row in rows])]


def eprime(path):
    """Tobii's extensions for E-Prime with shares of 1920 x 1080 px: a test is a run of rows with one stimulus."""

    def eye(row, side):
        texts = [row[axis + "GazePos" + side + "Eye"] for axis in "XY"]
        if row["Validity" + side + "Eye"] not in "01" or any("#" in text for text in texts):
            return None
        place = [float(text) for text in texts]
        return None if place in ([-1, -1], [0, 0]) else [place[0] * 1920, place[1] * 1080]

    tests, last = [], None
    for row in rows_of(path, "\t"):
        name = (row["Stimulus"], row["TrialId"])
        if name != last and name[0]:
            tests.append([])
        last = name
        if name[0]:
            tests[-1].append((float(row["TETTime"]), mean([eye(row, side) for side in ("Left", "Right")])))
    return [test_of(test) for test in tests]


def invisible(path):
    """Pupil Invisible: px of the scene camera, ns."""
    rows = rows_of(path, ",")
    first = int(rows[0]["timestamp [ns]"])
    place = lambda row: [float(row["gaze x [px]"]), float(row["gaze y [px]"])]
    return [[[(int(row["timestamp [ns]"]) - first) / 1e6, *place(row)] for row in rows]]


def plain(path):
    """Columns time (ms), x and y (px); an empty cell is lost."""
    number = lambda text: float(text) if text not in ("", "nan", "NaN") else None
    return [[[float(row["time"]), number(row["x"]), number(row["y"])] for row in rows_of(path, ",")]]


KINDS = {"i2mc": i2mc, "etdq": etdq, "eprime": eprime, "invisible": invisible, "plain": plain}

print(json.dumps(KINDS[sys.argv[1]](sys.argv[2])))
