"""The tasks of the benchmark as a script with pandas does them: task, folder of the files, output."""
import sys

import pandas as pd

task, folder, output = sys.argv[1:4]
brought = f"{folder}/pandas.pickle"
COLUMNS = """participant_id external_id age gender item_id test_id created_at duration_ms browser_width_px
browser_height_px display_order t_ms gaze_x_px gaze_y_px scroll_y_px mouse_x_px mouse_y_px is_click gaze_x_percents
gaze_y_percents""".split()


def tests():
    return pd.read_csv(f"{folder}/tests.csv")


def rows():
    people = pd.read_csv(f"{folder}/participants.csv").drop(columns=["created_at", "notes"])
    all = pd.read_pickle(brought).merge(tests(), on="test_id").merge(people, on="participant_id")
    all = all.sort_values(["participant_id", "display_order", "t_ms"], kind="stable")
    x = (all["gaze_x_px"] - all["item_display_left_px"]) / all["item_display_width_px"] * 100
    y = (all["gaze_y_px"] + all["scroll_y_px"].fillna(0) - all["item_display_top_px"]) / all["item_display_height_px"] * 100
    all["gaze_x_percents"], all["gaze_y_percents"] = x.round(6), y.round(6)
    return all[COLUMNS]


def question():
    grouped = pd.read_pickle(brought).merge(tests(), on="test_id").groupby(["participant_id", "item_id"])
    return grouped.agg(samples=("t_ms", "size"), valid=("gaze_x_px", "count"), mean_x_px=("gaze_x_px", "mean"))


if task == "bring":
    pd.read_csv(f"{folder}/samples.csv").sort_values(["test_id", "t_ms"], kind="stable").to_pickle(brought)
elif task == "rows":
    rows().to_csv(output, index=False)
else:
    question().to_csv(output)
