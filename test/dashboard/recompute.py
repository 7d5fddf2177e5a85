"""Recomputes numbers from CSV exports. It knows their columns and docs/analysis.md, and nothing of pages or of our code.

Reads as JSON: `directory` of the exports, `item`, `fromMs`, `toMs`, and `groups`, two values of external_data_condition.
Prints numbers by name as JSON.
"""

import csv
import json
import math
import os
import sys
from statistics import mean, median

asked = json.load(sys.stdin)


def rows_of(name):
    with open(os.path.join(asked["directory"], name + ".csv"), encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def number(cell):
    return None if cell == "" else float(cell)


def known(rows, column):
    return [float(row[column]) for row in rows if row[column] != ""]


def quantile(values, share):
    ordered = sorted(values)
    place = (len(ordered) - 1) * share
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


found = {}
quality = rows_of("quality-stats")
key = lambda row: (row["participant_id"], row["item_id"], row["test_item_display_order"])
gazeless = {key(row) for row in quality if row["valid_sample_count"] == "0"}
of_item = [row for row in quality if row["item_id"] == asked["item"]]
seen = [row for row in of_item if key(row) not in gazeless]
found["kept tests"] = len(quality)
found["kept tests of the item"] = len(of_item)
found["kept participants"] = len({row["participant_id"] for row in quality})
found["viewed tests of the item"] = len(seen)
viewers = {row["participant_id"] for row in seen}
found["viewers of the item"] = len(viewers)
found["tests without conditions"] = len(rows_of("all-quality-stats"))

# Fixations that begin in the window.
fixations = [
    row
    for row in rows_of("fixations")
    if row["item_id"] == asked["item"] and asked["fromMs"] <= float(row["fixation_starts_at_ms"]) < asked["toMs"]
]
durations = known(fixations, "fixation_duration_ms")
# A saccade counts if the fixations at both its ends do.
begun = {key(row): row for row in reversed(fixations)}
amplitudes = known([row for row in fixations if begun[key(row)] is not row], "saccade_amplitude_percent")
found["fixations"] = len(fixations)
found["mean fixation duration"] = sum(durations) / len(durations)
found["total fixation time, s"] = sum(durations) / 1000
found["saccades"] = len(amplitudes)
found["mean saccade amplitude"] = sum(amplitudes) / len(amplitudes)

# AOIs of the item, in their order.
aoi_rows = [row for row in rows_of("aoi-fixations-stats") if row["item_id"] == asked["item"] and key(row) not in gazeless]
aois = list(dict.fromkeys(row["aoi_id"] for row in aoi_rows))
names = {row["aoi_id"]: row["aoi_name"] for row in aoi_rows}
overall = {row["aoi_id"]: row for row in rows_of("aoi-overall-stats")}
found["aois"] = [names[aoi] for aoi in aois]
for place, aoi in enumerate(aois):
    own = [row for row in aoi_rows if row["aoi_id"] == aoi]
    looked = [row for row in own if float(row["aoi_fixation_total_count"]) > 0]
    lookers = {row["participant_id"] for row in looked}
    at = lambda what: f"{what} {place}"
    for name, column, printed in [
        ("ttff", "aoi_fixation_ttff_ms", "aoi_fixation_average_ttff_ms"),
        ("dwell", "aoi_fixation_average_total_time_spent_ms", "aoi_fixation_average_total_time_spent_ms"),
    ]:
        # Both tables have whole ms, and the mean is made before that: so they may differ by 1 ms.
        found[at(name)] = number(overall[aoi][printed])
        if looked and not abs(found[at(name)] - mean(known(looked, column))) <= 1:
            sys.exit(f"{printed} of {names[aoi]} is not the mean of the tests")
    found[at("ratio")] = 100 * len(lookers) / len(viewers)
    found[at("revisits")] = mean(known(looked, "aoi_revisits_count")) if looked else None

# Of each participant the first test.
firsts = {}
for row in sorted(aoi_rows, key=lambda row: int(row["test_item_display_order"])):
    firsts.setdefault((row["participant_id"], row["aoi_id"]), row)
visits = [row for row in rows_of("aoi-visits") if row["item_id"] == asked["item"] and key(row) not in gazeless]
for place, aoi in enumerate(aois):
    own = [row for row in visits if row["aoi_id"] == aoi]
    tests = {row["test_id"] for row in own}
    found[f"tests with a visit {place}"] = len(tests)
    found[f"visits {place}"] = len(own)
    found[f"visits per test {place}"] = len(own) / len(tests) if tests else None
    found[f"visit dwell {place}"] = mean(known(own, "visit_dwell_ms")) if own else None
    found[f"visit duration {place}"] = mean(known(own, "visit_duration_ms")) if own else None
    found[f"looked {place}"] = sum(
        1 for (_, each), row in firsts.items() if each == aoi and row["aoi_fixation_ttff_ms"] != ""
    )
    found[f"first looks {place}"] = sum(1 for _, each in firsts if each == aoi)

# Quality: over tests, and of each participant.
for column in ["participant_quality_grade_item", "data_loss_percents", "sampling_rate_hz", "precision_window_rms_s2s_percents"]:
    values = known(quality, column)
    found["n " + column] = len(values)
    for name, share in [("min", 0), ("q1", 0.25), ("median", 0.5), ("q3", 0.75), ("max", 1)]:
        found[f"{name} {column}"] = quantile(values, share)
    for who in {row["participant_id"] for row in quality}:
        own = known([row for row in quality if row["participant_id"] == who], column)
        found[f"{column} {who}"] = median(own) if own else None

# Groups: a participant's value is the mean over their tests; U, and p by the normal approximation with ties.
def values_of(aoi, condition):
    by = {}
    for row in aoi_rows:
        if row["aoi_id"] == aoi and row["external_data_condition"] == condition:
            by.setdefault(row["participant_id"], []).append(float(row["aoi_fixation_average_total_time_spent_ms"]))
    return [mean(own) for own in by.values()]


def mann_whitney(a, b):
    m, n = len(a), len(b)
    u = sum((x > y) + (x == y) / 2 for x in a for y in b)
    together = sorted(a + b)
    ties = [together.count(value) for value in set(together)]
    size = m + n
    if max(ties) == 1:
        return u, exact(u, m, n)
    variance = m * n / 12 * (size + 1 - sum(t**3 - t for t in ties) / (size * (size - 1)))
    if variance == 0:
        return u, 1.0
    z = max(0, abs(u - m * n / 2) - 0.5) / math.sqrt(variance)
    return u, math.erfc(z / math.sqrt(2))


def exact(u, m, n):
    """Two-sided p from the number of arrangements with each U."""
    counts = {(0, 0): [1]}

    def arrangements(i, j):
        if (i, j) not in counts:
            total = [0] * (i * j + 1)
            if i > 0:
                for k, c in enumerate(arrangements(i - 1, j)):
                    total[k + j] += c
            if j > 0:
                for k, c in enumerate(arrangements(i, j - 1)):
                    total[k] += c
            counts[(i, j)] = total
        return counts[(i, j)]

    all_of = arrangements(m, n)
    low = min(u, m * n - u)
    return min(1, 2 * sum(all_of[: int(low) + 1]) / sum(all_of))


for place, aoi in enumerate(aois):
    a, b = (values_of(aoi, condition) for condition in asked["groups"])
    u, p = mann_whitney(a, b)
    found[f"group n1 {place}"], found[f"group n2 {place}"] = len(a), len(b)
    found[f"group median1 {place}"], found[f"group median2 {place}"] = median(a), median(b)
    found[f"U {place}"], found[f"p {place}"] = u, p

json.dump(found, sys.stdout)
