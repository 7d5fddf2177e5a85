# Finds fixations by dispersion (I-DT, Salvucci & Goldberg 2000) as a script in R does: CSV in, CSV out.
given <- commandArgs(TRUE)
threshold <- as.numeric(given[4])
least_ms <- as.numeric(given[5])
samples <- read.csv(given[1])
tests <- read.csv(given[2])
samples <- samples[!is.na(samples$gaze_x_px) & !is.na(samples$gaze_y_px) & samples$t_ms >= 0, ]
samples <- samples[order(samples$test_id, samples$t_ms), ]
loaded <- proc.time()[["elapsed"]]

# Start, end and mean position of each fixation of a test, as a matrix.
fixations_of <- function(t, x, y) {
  found <- list()
  i <- 1
  n <- length(t)
  while (i <= n) {
    j <- findInterval(t[i] + least_ms, t, left.open = TRUE) + 1
    if (j > n) break
    low_x <- min(x[i:j]); high_x <- max(x[i:j])
    low_y <- min(y[i:j]); high_y <- max(y[i:j])
    if (high_x - low_x + high_y - low_y > threshold) {
      i <- i + 1
      next
    }
    while (j < n) {
      low_x <- min(low_x, x[j + 1]); high_x <- max(high_x, x[j + 1])
      low_y <- min(low_y, y[j + 1]); high_y <- max(high_y, y[j + 1])
      if (high_x - low_x + high_y - low_y > threshold) break
      j <- j + 1
    }
    found[[length(found) + 1]] <- c(t[i], t[j], mean(x[i:j]), mean(y[i:j]))
    i <- j + 1
  }
  do.call(rbind, found)
}

tables <- lapply(split(samples, samples$test_id), function(own) {
  test <- tests[match(own$test_id[1], tests$test_id), ]
  scroll <- ifelse(is.na(own$scroll_y_px), 0, own$scroll_y_px)
  x <- (own$gaze_x_px - test$item_display_left_px) / test$item_display_width_px * 100
  y <- (own$gaze_y_px + scroll - test$item_display_top_px) / test$item_display_height_px * 100
  found <- fixations_of(own$t_ms, x, y)
  if (is.null(found)) NULL else data.frame(test_id = own$test_id[1], found)
})
rows <- do.call(rbind, tables)
names(rows) <- c("test_id", "starts_at_ms", "ends_at_ms", "x_percent", "y_percent")
write.csv(rows, given[3], row.names = FALSE, quote = FALSE)
ended <- proc.time()[["elapsed"]]
cat(nrow(rows), nrow(samples), ended - loaded, "\n")
