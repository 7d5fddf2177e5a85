# The tasks of the benchmark as a script with data.table does them: task, folder of the files, output.
library(data.table)
given <- commandArgs(TRUE)
task <- given[1]; folder <- given[2]; output <- given[3]
brought <- file.path(folder, "data-table.rds")
tests <- function() fread(file.path(folder, "tests.csv"))

rows <- function() {
  people <- fread(file.path(folder, "participants.csv"))[, c("created_at", "notes") := NULL]
  all <- merge(merge(readRDS(brought), tests(), by = "test_id"), people, by = "participant_id")
  setorder(all, participant_id, display_order, t_ms)
  all[, gaze_x_percents := round((gaze_x_px - item_display_left_px) / item_display_width_px * 100, 6)]
  all[, gaze_y_percents := round((gaze_y_px + fcoalesce(scroll_y_px, 0) - item_display_top_px) / item_display_height_px * 100, 6)]
  all[, .(participant_id, external_id, age, gender, item_id, test_id, created_at, duration_ms, browser_width_px,
          browser_height_px, display_order, t_ms, gaze_x_px, gaze_y_px, scroll_y_px, mouse_x_px, mouse_y_px, is_click,
          gaze_x_percents, gaze_y_percents)]
}

question <- function() {
  all <- merge(readRDS(brought), tests(), by = "test_id")
  all[, .(samples = .N, valid = sum(!is.na(gaze_x_px)), mean_x_px = mean(gaze_x_px, na.rm = TRUE)),
      keyby = .(participant_id, item_id)]
}

if (task == "bring") {
  samples <- fread(file.path(folder, "samples.csv"))
  setorder(samples, test_id, t_ms)
  saveRDS(samples, brought, compress = FALSE)
} else if (task == "rows") {
  fwrite(rows(), output)
} else {
  fwrite(question(), output)
}
