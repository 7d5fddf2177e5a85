# Prints the fixations of the package saccades, at its defaults: Rscript detectors.R <its clone> <CSV: trial, time, x, y>
given <- commandArgs(TRUE)
source(file.path(given[1], "saccades", "R", "saccade_recognition.R"))
samples <- read.csv(given[2])
for (trial in unique(samples$trial)) {
  found <- try(detect.fixations(samples[samples$trial == trial, ]), silent = TRUE)
  if (inherits(found, "try-error")) next
  found <- found[found$event == "fixation", ]
  for (f in seq_len(nrow(found))) cat(trial, found$start[f], found$end[f], "\n")
}
