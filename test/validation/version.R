# Prints the version of a package as JSON. Argument: its name.
cat(jsonlite::toJSON(as.character(packageVersion(commandArgs(trailingOnly = TRUE)[1])), auto_unbox = TRUE))
