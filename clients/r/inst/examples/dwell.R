# How long participants looked at each area of the first item: from the export to a figure, dwell.svg.
library(gazette)
item <- gz_study(gz_studies()[1, ])$items[1, ]
stats <- gz_export("aoi-fixations-stats", gz_studies()[1, ], itemId = item$id)
seconds <- split(stats$aoi_fixation_average_total_time_spent_ms / 1000, stats$aoi_name)
seconds <- seconds[order(sapply(seconds, median))]
svg("dwell.svg", width = 8, height = 5)
par(mar = c(4, 12, 2, 1))
boxplot(seconds, horizontal = TRUE, las = 1, xlab = "fixated by a participant, s", main = item$filename)
invisible(dev.off())
