"""Prints what another program computes, or what people labelled, as JSON:

python3 others.py <comparison> <its clone> [<clone with the data>]
"""

import glob
import gzip
import importlib.util
import json
import os
import sys
import types
import warnings

import numpy as np


def listed(values):
    """Returns numbers for JSON, None for NaN."""
    return [None if np.isnan(value) else float(value) for value in np.asarray(values, float)]


def precision(clone):
    """RMS-S2S, STD and BCEA of each eye in each recording, in degrees."""
    import ETDQualitizer
    import pandas as pd

    screen = ETDQualitizer.ScreenConfiguration(528.0, 297.0, 1920, 1080, 650)
    for path in sorted(glob.glob(f"{clone}/example/data/*.tsv")):
        gaze = pd.read_csv(path, sep="\t")
        for eye in ("left", "right"):
            if f"{eye}_x" not in gaze:
                continue
            x, y = (gaze[f"{eye}_{axis}"].to_numpy(float) for axis in "xy")
            own = ETDQualitizer.DataQuality(x, y, gaze["timestamp"].to_numpy() / 1000, "pixels", screen)
            known = [own.precision_RMS_S2S()[0], own.precision_STD()[0], own.precision_BCEA()[0]]
            yield {"x": listed(x), "y": listed(y), "known": listed(known)}


def microsaccades(clone):
    """Binocular saccades of the example recordings: samples, peaks and amplitudes of both eyes."""
    from EngbertMicrosaccadeToolbox import microsac_detection as toolbox

    for path in sorted(glob.glob(f"{clone}/demo/data/*.dat")):
        columns = np.loadtxt(path)
        left, right = columns[:, 1:3], columns[:, 3:5]
        for lambda_, least in ((5, 3), (6, 6)):
            of_eyes = [toolbox.microsacc(eye, lambda_, least, 500)[0] for eye in (left, right)]
            pairs = toolbox.binsacc(*of_eyes)[0]
            yield {
                "left": left.T.tolist(),
                "right": right.T.tolist(),
                "lambda": lambda_,
                "minSamples": least,
                # First and last sample and the amplitudes: its peaks leave out the last sample.
                "known": [[float(pair[c]) for c in (0, 1, 5, 6, 7, 8, 12, 13)] for pair in pairs],
            }


def scanpaths(clone):
    """MultiMatch of two people who watched the same film, segment by segment."""
    from multimatch_gaze import docomparison

    for path in sorted(glob.glob(f"{clone}/data/fixvectors/*_sub-01.tsv")):
        a, b = (np.genfromtxt(each, names=True) for each in (path, path.replace("sub-01", "sub-19")))
        known = docomparison(a, b, [1280, 720])
        yield {"a": columns_of(a), "b": columns_of(b), "known": listed(known)}


def i2mc(clone):
    """Fixations of the ten recordings of its example, from its own random numbers."""
    sys.path.append(f"{clone}/example")
    import import_funcs
    from I2MC import I2MC

    options = {"xres": 1920.0, "yres": 1080.0, "missingx": -1920.0, "missingy": -1080.0, "freq": 300.0}
    options |= {"downsampFilter": False, "minFixDur": 80.0}
    np.random.seed(1)
    for path in sorted(glob.glob(f"{clone}/example/example_data/*/*.*")):
        data = import_funcs.tobii_TX300(path, [1920, 1080])
        fixations, _, _ = I2MC(data, options, logging=False)
        columns = {name: listed(data[name]) for name in ("time", "L_X", "L_Y", "R_X", "R_Y")}
        yield {"columns": columns, "known": [[int(a), int(b)] for a, b in zip(fixations["start"], fixations["end"])]}


EYELINK = {
    "pypillometry": ["pypillometry/data/002_rlmw_samples_short.asc", "pypillometry/data/002_rlmw_events_short.asc"],
    "eyelinker": ["inst/extdata/binoRemote500.asc.gz", "inst/extdata/monoRemote500.asc.gz"],
    "eyelinkparser": ["data/data1.asc", "data/data2.asc"],
}


def blinks(clone):
    """Pupil sizes of each eye in each block of recordings of an EyeLink, with the blinks of its parser:
    start, end and duration, in ms."""
    name = os.path.basename(clone)
    paths = [os.path.join(clone, path) for path in EYELINK[name]]
    # One recording in two files, of which the second has the events, or one in each.
    for files in [paths] if name == "pypillometry" else [[path] for path in paths]:
        blocks = [Block("LR")]
        for file in files:
            with (gzip.open if file.endswith(".gz") else open)(file, "rt", errors="replace") as lines:
                for cells in map(str.split, lines):
                    if cells and cells[0] == "START" and name != "pypillometry":
                        blocks.append(Block("".join(side[0] for side in ("LEFT", "RIGHT") if side in cells)))
                    elif cells and cells[0] == "EBLINK":
                        blocks[-1].known[cells[1]].append([float(cell) for cell in cells[2:5]])
                    elif cells and cells[0].isdigit() and len(cells) > 3 * len(blocks[-1].eyes):
                        blocks[-1].add(cells)
        for block in blocks:
            for eye in block.eyes if block.times else "":
                yield {"tMs": block.times, "size": block.sizes[eye], "known": block.known[eye]}


class Block:
    def __init__(self, eyes):
        self.eyes, self.times = eyes, []
        self.sizes, self.known = {"L": [], "R": []}, {"L": [], "R": []}

    def add(self, cells):
        self.times.append(float(cells[0]))
        for e, eye in enumerate(self.eyes):
            size = float(cells[3 + 3 * e])
            self.sizes[eye].append(size if size > 0 else None)


def peaks(clone):
    """Gaze on pictures at 500 Hz, and the peak of each saccade that the first person labelled, in deg/s."""
    from scipy.io import loadmat
    from scipy.signal import savgol_filter

    folder = os.path.join(clone, "annotated_data", "data used in the article")
    for path in sorted(glob.glob(os.path.join(glob.escape(folder), "img", "*_MN.mat"))):
        data = loadmat(path, struct_as_record=False, squeeze_me=True)["ETdata"]
        # These say 500 Hz, and have 200.
        if "UH47_img_Europe" in path or "UL47_img_konijntjes" in path:
            continue
        x, y, label = data.pos[:, 3], data.pos[:, 4], data.pos[:, 5]
        lost = (x == 0) & (y == 0)
        right, down = ((p / px - 0.5) * m for p, px, m in zip((x, y), data.screenRes, data.screenDim))
        azimuth = np.arctan2(right, data.viewDist)
        elevation = np.arctan2(down, np.hypot(right, data.viewDist))
        speeds = [savgol_filter(np.degrees(angle), 5, 2, deriv=1, delta=1 / 500) for angle in (azimuth, elevation)]
        speed = np.hypot(speeds[0] * np.cos(elevation), speeds[1])
        starts = [i for i in range(1, len(label)) if label[i] == 2 and label[i - 1] != 2]
        ends = [next((j for j in range(i, len(label)) if label[j] != 2), len(label)) for i in starts]
        spans = [(i, j) for i, j in zip(starts, ends) if not lost[max(0, i - 2) : j + 2].any()]
        yield {
            "x": listed(np.where(lost, np.nan, x)),
            "y": listed(np.where(lost, np.nan, y)),
            "known": [[i, j, float(speed[i:j].max())] for i, j in spans],
        }


def passages(drift):
    """Readings with the lines and words of their texts, in px."""
    with open(os.path.join(drift, "data", "passages.json")) as file:
        texts = {name: text["__TextBlock__"]["text"] for name, text in json.load(file).items()}
    for trial, reading in trials(drift, "sample").items():
        # Lines are 64 px apart, letters 16 px wide.
        lines = texts[reading["passage_id"]]
        words = []
        for l, line in enumerate(lines):
            place = 0
            for word in line.split(" "):
                words.append([360 + 16 * (place + len(word) / 2), 155 + 64 * l, l])
                place += len(word) + 1
        yield trial, points_of(reading), [155 + 64 * l for l in range(len(lines))], words


def trials(drift, name):
    with open(os.path.join(drift, "data", "fixations", f"{name}.json")) as file:
        return json.load(file)


def points_of(reading):
    return [[f["x"], f["y"], bool(f.get("discarded"))] for f in reading["fixations"]["__FixationSequence__"]]


def published_lines(drift):
    """Lines of each fixation as published with the data, by algorithm, and as corrected by hand (None: discarded)."""
    published = {name: trials(drift, name) for name in ("attach", "chain", "segment", "slice", "split", "warp", "gold")}
    for trial, points, lines, words in passages(drift):
        known = {
            name: [None if discarded else lines.index(y) if y in lines else -1 for _, y, discarded in points_of(all[trial])]
            for name, all in published.items()
        }
        yield {"points": points, "lines": lines, "words": words, "known": known}


def eyekit_lines(clone, drift):
    """Lines of each fixation by the algorithms of Eyekit that start from no random number."""
    spec = importlib.util.spec_from_file_location("snap", os.path.join(clone, "eyekit", "_snap.py"))
    snap = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(snap)
    for _, points, lines, words in passages(drift):
        text = types.SimpleNamespace(midlines=lines, right_to_left=False, line_height=64, n_rows=len(lines))
        text.words = lambda words=words: [types.SimpleNamespace(center=word[:2]) for word in words]
        known = {}
        for name in ("chain", "cluster", "slice", "warp"):
            found = getattr(snap, name)([point[:2] for point in points], text)
            known[name] = [lines.index(int(y)) for y in found]
        yield {"points": points, "lines": lines, "words": words, "known": known}


def columns_of(fixations):
    return [[float(value) for value in fixations[name]] for name in ("start_x", "start_y", "duration")]


SOURCES = {"precision": "python", "microsaccades": "", "scanpaths": "", "i2mc": "src"}
comparison, clone, *more = sys.argv[1:]
sys.path.insert(0, os.path.join(clone, SOURCES.get(comparison, "")))
warnings.simplefilter("ignore")
json.dump(list(globals()[comparison](clone, *more)), sys.stdout)
