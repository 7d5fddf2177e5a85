"""Finds fixations by dispersion (I-DT, Salvucci & Goldberg 2000) as a script with pandas and numpy does: CSV in, CSV out."""
import sys
import time

import numpy as np
import pandas as pd

samples, tests, output = sys.argv[1:4]
threshold, least_ms = map(float, sys.argv[4:])
tests = pd.read_csv(tests).set_index("test_id")
samples = pd.read_csv(samples).dropna(subset=["gaze_x_px", "gaze_y_px"])
samples = samples[samples["t_ms"] >= 0].sort_values(["test_id", "t_ms"], kind="stable")
read = time.perf_counter()


def fixations_of(t, x, y):
    """Returns start, end and mean position of each fixation of a test."""
    found, i, n = [], 0, len(t)
    while i < n:
        j = int(np.searchsorted(t, t[i] + least_ms))
        if j >= n:
            break
        low_x, high_x = x[i : j + 1].min(), x[i : j + 1].max()
        low_y, high_y = y[i : j + 1].min(), y[i : j + 1].max()
        if high_x - low_x + high_y - low_y > threshold:
            i += 1
            continue
        while j + 1 < n:
            low_x, high_x = min(low_x, x[j + 1]), max(high_x, x[j + 1])
            low_y, high_y = min(low_y, y[j + 1]), max(high_y, y[j + 1])
            if high_x - low_x + high_y - low_y > threshold:
                break
            j += 1
        found.append((t[i], t[j], x[i : j + 1].mean(), y[i : j + 1].mean()))
        i = j + 1
    return found


rows = []
for test_id, own in samples.groupby("test_id", sort=False):
    test = tests.loc[test_id]
    x = (own["gaze_x_px"] - test["item_display_left_px"]) / test["item_display_width_px"] * 100
    y = (own["gaze_y_px"] + own["scroll_y_px"].fillna(0) - test["item_display_top_px"]) / test["item_display_height_px"] * 100
    rows += [(test_id, *row) for row in fixations_of(own["t_ms"].to_numpy(), x.to_numpy(), y.to_numpy())]
pd.DataFrame(rows, columns=["test_id", "starts_at_ms", "ends_at_ms", "x_percent", "y_percent"]).to_csv(output, index=False)
print(f"{len(rows)} {len(samples)} {time.perf_counter() - read:.3f}")
