"""Finds fixations with other programs, at their defaults.

python3 detectors.py <program> <its clone> reads recordings as JSON, [{"rateHz", "tMs", "x", "y"}], in px of a screen of
1024 by 768 px, 38 by 30 cm, 67 cm away, with null for lost gaze, and prints start and end of each fixation in ms, for
each recording; null for one that the program does not take.
"""

import importlib.util
import json
import sys
import types
import warnings

import numpy as np

WIDTH_PX, HEIGHT_PX, WIDTH_CM, HEIGHT_CM, DISTANCE_CM = 1024, 768, 38, 30, 67
PX_TO_DEG = float(np.degrees(np.arctan2(WIDTH_CM / 2, DISTANCE_CM)) / (WIDTH_PX / 2))


def i2mc(rate, t, x, y):
    from I2MC import I2MC

    # Factors that divide the rate, and leave three samples or more in a window of 200 ms; no filter, as in its example.
    factors = [by for by in (2, 3, 5, 10) if rate % by == 0 and rate * 0.2 / by >= 3]
    options = {"xres": WIDTH_PX, "yres": HEIGHT_PX, "freq": rate, "missingx": -WIDTH_PX, "missingy": -HEIGHT_PX}
    options |= {"downsamples": factors, "downsampFilter": False}
    lost = np.isnan(x)
    data = {"time": t, "average_X": np.where(lost, -WIDTH_PX, x), "average_Y": np.where(lost, -HEIGHT_PX, y)}
    np.random.seed(1)
    fixations, _, _ = I2MC(data, options, logging=False)
    return list(zip(fixations["startT"], fixations["endT"]))


def remodnav(rate, t, x, y):
    from remodnav import EyegazeClassifier

    classify = EyegazeClassifier(PX_TO_DEG, rate)
    events = classify(classify.preproc(np.rec.fromarrays([x, y], names=["x", "y"])))
    return [(1000 * e["start_time"], 1000 * e["end_time"]) for e in events if e["label"] == "FIXA"]


def degrees_of(x, y):
    across = np.degrees(np.arctan2((x - WIDTH_PX / 2) * WIDTH_CM / WIDTH_PX, DISTANCE_CM))
    down = np.degrees(np.arctan2((y - HEIGHT_PX / 2) * HEIGHT_CM / HEIGHT_PX, DISTANCE_CM))
    return np.column_stack([across, down])


def of_events(events):
    return [(float(a), float(b)) for a, b in zip(events.frame["onset"], events.frame["offset"])]


def ivt(rate, t, x, y):
    from pymovements.events.detection.ivt import ivt as detect
    from pymovements.transforms.numpy import pos2vel

    return of_events(detect(pos2vel(degrees_of(x, y), rate, "smooth"), t))


def idt(rate, t, x, y):
    from pymovements.events.detection.idt import idt as detect

    # Times must be whole numbers of equal steps, of which the least duration, 100 ms, must be a multiple.
    step = round(1000 / rate)
    events = of_events(detect(degrees_of(x, y), np.arange(len(t)) * step, -(-100 // step) * step))
    return [(t[int(start / step)], t[int(end / step)]) for start, end in events]


PROGRAMS = {"I2MC_Python": {"": i2mc}, "remodnav": {"": remodnav}, "pymovements": {"I-VT": ivt, "I-DT": idt}}
SOURCES = {"I2MC_Python": "src", "remodnav": "", "pymovements": "src"}

program, clone = sys.argv[1:]
sys.path.insert(0, f"{clone}/{SOURCES[program]}")
warnings.simplefilter("ignore")
# pymovements imports these, and needs them only for files of R and of spreadsheets.
for name in ("pyreadr", "fastexcel"):
    if importlib.util.find_spec(name) is None:
        sys.modules[name] = types.ModuleType(name)
found = {}
recordings = json.load(sys.stdin)
for name, detect in PROGRAMS[program].items():
    found[name] = []
    for r in recordings:
        x, y = (np.array([np.nan if v is None else v for v in r[axis]], float) for axis in "xy")
        try:
            found[name].append([[float(a), float(b)] for a, b in detect(r["rateHz"], np.array(r["tMs"], float), x, y)])
        except Exception as error:  # noqa: BLE001
            print(f"{program} {name} at {r['rateHz']} Hz: {error!r}", file=sys.stderr)
            found[name].append(None)
json.dump(found, sys.stdout)
