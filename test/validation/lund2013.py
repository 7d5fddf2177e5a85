"""Prints the recordings of Lund2013 as JSON: python3 lund2013.py <clone of EyeMovementDetectorEvaluation>"""

import glob
import json
import os
import sys

from scipy.io import loadmat

# All files say 500 Hz.
SLOW = {"UH47_img_Europe", "UL47_img_konijntjes", "UH47_video_BergoDalbana"}


def labelled(path):
    return loadmat(path, struct_as_record=False, squeeze_me=True)["ETdata"]


recordings = []
folder = os.path.join(sys.argv[1], "annotated_data", "data used in the article")
for kind in ("img", "dots", "video"):
    for path in sorted(glob.glob(os.path.join(glob.escape(folder), kind, "*_MN.mat"))):
        first, second = labelled(path), labelled(path.replace("_MN", "_RA"))
        name = os.path.basename(path)[: -len("_labelled_MN.mat")]
        recordings.append(
            {
                "name": name,
                "kind": kind,
                "rateHz": 200 if name in SLOW else float(first.sampFreq),
                "x": [float(x) for x in first.pos[:, 3]],
                "y": [float(y) for y in first.pos[:, 4]],
                "first": [int(label) for label in first.pos[:, 5]],
                "second": [int(label) for label in second.pos[:, 5]],
            }
        )
json.dump(recordings, sys.stdout)
