# Returns the format to request for a table: Parquet if a package reads it, otherwise CSV. Columns of lists, whose cells
# differ in Parquet, always use CSV, so that a table is the same whatever is installed.
format_of <- function(schema) {
  has_lists <- any(vapply(schema$fields, function(field) field$type == "array", logical(1)))
  if (!has_lists && !is.null(parquet_reader())) "parquet" else "csv"
}

parquet_reader <- function() {
  if (requireNamespace("nanoparquet", quietly = TRUE)) return(nanoparquet::read_parquet)
  if (requireNamespace("arrow", quietly = TRUE)) return(arrow::read_parquet)
  NULL
}

# Reads a file with the types of its export's schema.
read_table <- function(file, format, schema) {
  is_csv <- format == "csv"
  table <- if (is_csv) {
    read_texts(file)
  } else {
    as.data.frame(parquet_reader()(file))
  }
  for (name in names(table)) table[[name]] <- typed(table[[name]], field_of(schema, name), is_csv)
  if (requireNamespace("tibble", quietly = TRUE)) tibble::as_tibble(table, .name_repair = "minimal") else table
}

# Reads CSV as text: missing values differ from column to column, and a participant may be called NA. R reads a carriage
# return inside a cell as the end of a line, so another control character temporarily replaces it.
read_texts <- function(file) {
  read <- function(file) {
    utils::read.csv(file, colClasses = "character", na.strings = character(), check.names = FALSE, encoding = "UTF-8")
  }
  bytes <- readBin(file, "raw", file.size(file))
  if (length(grepRaw("\r", bytes)) == 0) return(read(file))
  stand_in <- as.raw(setdiff(c(1:8, 14:31), as.integer(bytes[bytes < 32]))[1])
  bytes[bytes == 0x0d] <- stand_in
  changed <- tempfile()
  on.exit(unlink(changed))
  writeBin(bytes, changed)
  table <- read(changed)
  table[] <- lapply(table, function(values) chartr(rawToChar(stand_in), "\r", values))
  table
}

# Returns the field that describes a column, possibly under a name with `*`.
field_of <- function(schema, name) {
  names <- vapply(schema$fields, function(field) field$name, character(1))
  found <- which(names == name)
  if (length(found) == 0) found <- which(vapply(names, function(each) grepl(utils::glob2rx(each), name), logical(1)))
  schema$fields[[found[1]]]
}

typed <- function(values, field, is_csv) {
  if (is_csv) values[values %in% unlist(field$missingValues)] <- NA
  switch(field$type,
    integer = whole(as.numeric(values)),
    number = as.numeric(values),
    boolean = if (is_csv) values == "true" else as.logical(values),
    array = lapply(values, function(cell) if (!is.na(cell)) jsonlite::fromJSON(cell)),
    # Remove the guard that keeps spreadsheets from evaluating text as a formula; only CSV has it.
    string = if (is_csv && isTRUE(field$formulaGuard)) sub("^'('*[-=+@\t\r])", "\\1", values) else as.character(values),
    as.character(values)
  )
}

# Converts to integers in the range that R supports, up to 2^31.
whole <- function(values) if (all(abs(values) <= .Machine$integer.max, na.rm = TRUE)) as.integer(values) else values
