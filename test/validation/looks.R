# Looks over time and their clusters by eyetrackingR, on its example data, as JSON. Its sources are read, since the
# package asks for others that these functions do not use. Argument: the folder of the clone.
suppressMessages({
  library(dplyr)
  library(lazyeval)
  library(rlang)
})
folder <- commandArgs(trailingOnly = TRUE)[1]
for (file in c("helpers.R", "dplyr_fix.R", "eyetrackingR.R", "data_prep.R", "time_sequence_data.R", "time_cluster_data.R"))
  source(file.path(folder, "R", file))
load(file.path(folder, "data", "word_recognition.rda"))

WIDTH <- 100
# Treated as missing: samples without gaze only.
prepared <- function(data) make_eyetrackingr_data(data,
  participant_column = "ParticipantName", trial_column = "Trial", time_column = "TimeFromTrialOnset",
  trackloss_column = "TrackLoss", aoi_columns = c("Animate", "Inanimate"), treat_non_aoi_looks_as_missing = FALSE
)
quietly <- function(value) suppressWarnings(suppressMessages(value))
data <- word_recognition
data$Participant <- as.character(data$ParticipantName)
data$Epoch <- paste(data$Participant, data$Trial)

# The first twelve epochs: times, looks at the animate one (NA: lost), and rows.
some <- data[data$Epoch %in% unique(data$Epoch)[1:12], ]
some$ParticipantName <- factor(some$ParticipantName)
rows <- as.data.frame(quietly(make_time_sequence_data(prepared(some), time_bin_size = WIDTH, aois = "Animate")))
rows$Epoch <- paste(rows$ParticipantName, rows$Trial)
epochs <- lapply(unique(some$Epoch), function(epoch) {
  own <- some[some$Epoch == epoch, ]
  known <- rows[rows$Epoch == epoch, ]
  list(
    tMs = own$TimeFromTrialOnset, looks = ifelse(own$TrackLoss, NA, as.integer(own$Animate)),
    known = as.matrix(known[c("TimeBin", "SamplesInAOI", "SamplesTotal", "Elog", "Weights")])
  )
})

# Clusters of the response to an animate or an inanimate word, within the participants who have all bins of both.
response <- data[data$TimeFromTrialOnset >= 15500 & data$TimeFromTrialOnset < 21000, ]
response$Target <- ifelse(grepl("(Spoon|Bottle)", response$Trial), "Inanimate", "Animate")
sequenceOf <- function(data) quietly(make_time_sequence_data(prepared(data),
  time_bin_size = WIDTH, aois = "Animate", predictor_columns = "Target", summarize_by = "ParticipantName"
))
all <- as.data.frame(sequenceOf(response))
counts <- tapply(!is.na(all$Prop) & all$SamplesTotal > 0, as.character(all$ParticipantName), sum)
whole <- names(counts)[counts == 2 * length(unique(all$TimeBin))]
response <- response[response$Participant %in% whole, ]
response$ParticipantName <- factor(response$Participant)
response$Target <- factor(response$Target)
sequence <- sequenceOf(response)
threshold <- qt(0.975, length(whole) - 1)
found <- attr(quietly(make_time_cluster_data(sequence,
  predictor_column = "Target", test = "t.test", paired = TRUE, threshold = threshold, treatment_level = "Inanimate"
)), "eyetrackingR")$clusters
values <- as.data.frame(sequence)
matrixOf <- function(target) {
  own <- values[values$Target == target, ]
  unname(tapply(own$Prop, list(as.character(own$ParticipantName), own$Time), sum))
}
cat(jsonlite::toJSON(list(
  epochs = epochs, binMs = WIDTH, fromMs = min(values$Time),
  first = matrixOf("Animate"), second = matrixOf("Inanimate"),
  clusters = as.matrix(found[c("StartTime", "EndTime", "SumStatistic")])
), digits = NA, na = "null", auto_unbox = TRUE, matrix = "rowmajor"))
