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
                times, sizes = block.times, block.sizes[eye]
                known = {"known": block.known[eye], "hershman": hershman(times, sizes)}
                yield {"tMs": times, "size": sizes, **known}


def hershman(times, sizes):
    """Start and end of blinks in ms by the steps of Hershman, Henik and Cohen (2018), written from the paper: gaze is
    smoothed over 10 ms, a loss is widened while the size falls before it and rises after it, and losses less than
    100 ms apart are one."""
    n = len(times)
    size = np.array([np.nan if s is None else s for s in sizes], float)
    step = float(np.median(np.diff(times)))
    half = int(np.ceil(10 / step)) // 2
    sums = np.convolve(np.nan_to_num(size), np.ones(2 * half + 1), "same")
    counts = np.convolve(~np.isnan(size), np.ones(2 * half + 1), "same")
    with np.errstate(invalid="ignore"):
        smooth = np.where(np.isnan(size), np.nan, sums / counts)
    lost = np.flatnonzero(np.isnan(size))
    runs = np.split(lost, np.flatnonzero(np.diff(lost) > 1) + 1) if len(lost) > 0 else []
    found = []
    for run in runs:
        first, last = run[0] - 1, run[-1] + 1
        if first < 0 or last >= n:
            continue
        while first > 0 and smooth[first - 1] >= smooth[first]:
            first -= 1
        while last < n - 1 and smooth[last + 1] >= smooth[last]:
            last += 1
        if found and times[first] - found[-1][1] < 100:
            found[-1][1] = times[last]
        else:
            found.append([times[first], times[last]])
    return found


CLEANING = {"blinkMinMs": 20, "pupilSpeedMad": 16, "pupilPadMs": 50, "pupilIslandMs": 50, "pupilGapMs": 250}


def pupils(clone):
    """Sizes of the same recordings, with what cleaning by steps 1 to 7 of docs/pupils.md leaves: a second
    implementation, written from the text."""
    for case in blinks(clone):
        t, known = np.array(case["tMs"]), [s is not None for s in case["size"]]
        size = np.array([np.nan if s is None else s for s in case["size"]], float)
        kept = np.array(known)
        remove_eyelids(t, size, kept)
        k = np.flatnonzero(kept)
        rates = np.abs(np.diff(size[k]) / np.diff(t[k]))
        speed = np.maximum(np.append(rates, 0), np.append(0, rates))
        middle = np.median(speed)
        deviation = np.median(np.abs(speed - middle))
        if deviation > 0:
            kept[k[speed > middle + CLEANING["pupilSpeedMad"] * deviation]] = False
        k = np.flatnonzero(kept)
        for p, q in zip(k, k[1:]):
            if 75 <= t[q] - t[p] <= 2000:
                near = (t[k] <= t[p]) & (t[p] - t[k] < CLEANING["pupilPadMs"])
                near |= (t[k] >= t[q]) & (t[k] - t[q] < CLEANING["pupilPadMs"])
                kept[k[near]] = False
        k = np.flatnonzero(kept)
        for run in np.split(k, np.flatnonzero(np.diff(t[k]) >= 75) + 1):
            if len(run) > 0 and t[run[-1]] - t[run[0]] < CLEANING["pupilIslandMs"]:
                kept[run] = False
        k = np.flatnonzero(kept)
        clean = np.where(kept, size, np.nan)
        for p, q in zip(k, k[1:]):
            if q > p + 1 and t[q] - t[p] <= CLEANING["pupilGapMs"]:
                clean[p + 1 : q] = np.interp(t[p + 1 : q], [t[p], t[q]], [size[p], size[q]])
        yield {"tMs": case["tMs"], "size": case["size"], "known": listed(clean)}


def remove_eyelids(t, size, kept):
    k = np.flatnonzero(kept)
    smooth = [np.mean(size[k[(2 * np.abs(t[k[a:b]] - t[i]) <= 10).nonzero()[0] + a]]) for i, a, b in around(t, k)]
    least = max(CLEANING["blinkMinMs"], 2.5 * float(np.median(np.diff(t))))
    gaps = []
    for g in np.flatnonzero(np.diff(t[k]) >= least):
        p, q = g, g + 1
        start, end = t[k[p]], t[k[q]]
        while p > 0 and smooth[p - 1] > smooth[p] and t[k[p]] - t[k[p - 1]] < least and start - t[k[p - 1]] <= 100:
            p -= 1
        while (
            q < len(k) - 1 and smooth[q + 1] > smooth[q] and t[k[q + 1]] - t[k[q]] < least and t[k[q + 1]] - end <= 100
        ):
            q += 1
        if gaps and t[k[p]] - t[k[gaps[-1][1]]] < 100:
            gaps[-1][1] = q
        else:
            gaps.append([p, q])
    for p, q in gaps:
        kept[k[p + 1 : q]] = False


def around(t, k):
    """Each kept point, with the range of kept points that may be within 5 ms of it."""
    for at, i in enumerate(k):
        yield i, max(0, at - 20), at + 21


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
    snap = module_of(clone, "eyekit", "_snap.py")
    for _, points, lines, words in passages(drift):
        text = types.SimpleNamespace(midlines=lines, right_to_left=False, line_height=64, n_rows=len(lines))
        text.words = lambda words=words: [types.SimpleNamespace(center=word[:2]) for word in words]
        known = {}
        for name in ("chain", "cluster", "slice", "warp"):
            found = getattr(snap, name)([point[:2] for point in points], text)
            known[name] = [lines.index(int(y)) for y in found]
        yield {"points": points, "lines": lines, "words": words, "known": known}


def texts_read(drift):
    """Readings whose lines people corrected: words as lines, left and right edges in px, with half of a space on either
    side, and fixations on words: word, x, y and duration in ms."""
    with open(os.path.join(drift, "data", "passages.json")) as file:
        texts = {name: text["__TextBlock__"]["text"] for name, text in json.load(file).items()}
    for reading in trials(drift, "gold").values():
        words = []
        for l, line in enumerate(texts[reading["passage_id"]]):
            place = 0
            for word in line.split(" "):
                words.append([l, 360 + 16 * (place - 0.5), 360 + 16 * (place + len(word) + 0.5)])
                place += len(word) + 1
        fixations = []
        for f in reading["fixations"]["__FixationSequence__"]:
            on = [w for w, (l, left, right) in enumerate(words) if 155 + 64 * l == f["y"] and left <= f["x"] < right]
            if on and not f.get("discarded"):
                fixations.append([on[0], f["x"], f["y"], f["end"] - f["start"]])
        yield words, fixations


def reading(clone, drift):
    """Measures of each word by pymovements."""
    import polars as pl

    processing = module_of(clone, "src", "pymovements", "measure", "reading", "processing.py")
    names = "TFC FFD SFD FPRT RPD_inc RBRT RRT TFT FPReg TRC_in TRC_out".split()
    for words, fixations in texts_read(drift):
        frame = pl.DataFrame({"word_idx": [f[0] for f in fixations], "duration": [f[3] for f in fixations]})
        aois = pl.DataFrame({"word_idx": list(range(len(words))), "word": [str(w) for w in range(len(words))]})
        found = processing.compute_reading_measures(frame, aois)
        known = {name: [float(v) for v in found[name]] for name in names}
        # It counts the end of the recording as a regression out of the last word.
        known["TRC_out"][fixations[-1][0]] -= 1
        yield {"words": len(words), "fixations": [[f[0], f[3]] for f in fixations], "known": known}


def runs(clone, drift):
    """Measures of each word by Eyekit, of its fixations on words."""
    package = types.ModuleType("eyekit")
    package.__path__ = [os.path.join(clone, "eyekit")]
    text = types.ModuleType("eyekit.text")
    # Its text needs a library that draws letters; its measures need none of it.
    text._is_InterestArea = text._is_TextBlock = text._fail = lambda *_: None
    sys.modules |= {"eyekit": package, "eyekit.text": text}
    from eyekit import measure
    from eyekit.fixation import FixationSequence

    names = ["number_of_fixations", "initial_fixation_duration", "gaze_duration", "total_fixation_duration"]
    for words, fixations in texts_read(drift):
        spans, start = [], 0
        for _, x, y, duration in fixations:
            spans.append((x, y, start, start + duration))
            start += duration + 1
        sequence = FixationSequence(spans)
        areas = [Area(*word) for word in words]
        known = {name: [getattr(measure, name)(area, sequence) for area in areas] for name in names}
        yield {"words": len(words), "fixations": [[f[0], f[3]] for f in fixations], "known": known}


class Area:
    def __init__(self, line, left, right):
        self.y, self.left, self.right = 155 + 64 * line, left, right

    def __contains__(self, fixation):
        return fixation.y == self.y and self.left <= fixation.x < self.right


def module_of(clone, *path):
    """Loads a file of a program without the rest of it, which needs more libraries."""
    spec = importlib.util.spec_from_file_location(path[-1].removesuffix(".py"), os.path.join(clone, *path))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def columns_of(fixations):
    return [[float(value) for value in fixations[name]] for name in ("start_x", "start_y", "duration")]


SOURCES = {"precision": "python", "microsaccades": "", "scanpaths": "", "i2mc": "src"}
comparison, clone, *more = sys.argv[1:]
sys.path.insert(0, os.path.join(clone, SOURCES.get(comparison, "")))
warnings.simplefilter("ignore")
json.dump(list(globals()[comparison](clone, *more)), sys.stdout)
