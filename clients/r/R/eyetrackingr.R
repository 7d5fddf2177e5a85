#' Hand a study over to eyetrackingR
#'
#' Reads `gazes-aois`, a row per sample and a column per area of interest (AOI), and converts it for eyetrackingR.
#' A trial is a test: one participant's view of one item.
#'
#' @inheritParams gz_export
#' @param treat_non_aoi_looks_as_missing As [eyetrackingR::make_eyetrackingr_data()] takes it: whether gaze outside every
#'   AOI counts as lost.
#' @return The result of `make_eyetrackingr_data()`; an error if eyetrackingR is not installed.
#' @examples
#' \dontrun{
#' data <- gz_eyetrackingr(gz_studies()[1, ])
#' clean <- eyetrackingR::clean_by_trackloss(data, trial_prop_thresh = 0.25)
#' }
#' @export
gz_eyetrackingr <- function(study, ..., treat_non_aoi_looks_as_missing = FALSE) {
  if (!requireNamespace("eyetrackingR", quietly = TRUE)) {
    stop("eyetrackingR is not installed: install.packages(\"eyetrackingR\")", call. = FALSE)
  }
  arguments <- eyetrackingr_arguments(gz_export("gazes-aois", study, ...), treat_non_aoi_looks_as_missing)
  do.call(eyetrackingR::make_eyetrackingr_data, arguments)
}

# Describes a table of `gazes-aois` to eyetrackingR.
eyetrackingr_arguments <- function(table, treat_non_aoi_looks_as_missing) {
  named <- setdiff(grep("^aoi_", names(table), value = TRUE), "aoi_id")
  list(
    data = as.data.frame(table),
    participant_column = "participant_id",
    trackloss_column = "trackloss",
    time_column = "gaze_timestamp_ms",
    trial_column = "test_id",
    aoi_columns = named,
    item_columns = "item_id",
    treat_non_aoi_looks_as_missing = treat_non_aoi_looks_as_missing
  )
}
