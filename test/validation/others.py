"""Prints what another program computes from its own example data, as JSON: python3 others.py <comparison> <its clone>"""

import glob
import json
import os
import sys
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


def columns_of(fixations):
    return [[float(value) for value in fixations[name]] for name in ("start_x", "start_y", "duration")]


SOURCES = {"precision": "python", "microsaccades": "", "scanpaths": "", "i2mc": "src"}
comparison, clone = sys.argv[1:]
sys.path.insert(0, os.path.join(clone, SOURCES[comparison]))
warnings.simplefilter("ignore")
json.dump(list(globals()[comparison](clone)), sys.stdout)
