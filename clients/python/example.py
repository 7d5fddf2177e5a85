"""Plots the dwell time of participants on each area of the first item to dwell.svg."""

from gazette_client import Gazette

gazette = Gazette()
study = gazette.study(gazette.studies()[0])
stats = gazette.export("aoi-fixations-stats", study, itemId=study["items"][0]["id"])
stats["seconds"] = stats["aoi_fixation_average_total_time_spent_ms"] / 1000
areas = stats.groupby("aoi_name")["seconds"].agg(["mean", "sem"]).sort_values("mean")
axes = areas.plot.barh(y="mean", xerr="sem", legend=False, title=study["items"][0]["filename"])
axes.set(xlabel="fixated, s (mean of participants ± standard error)", ylabel="")
axes.figure.savefig("dwell.svg", bbox_inches="tight")
