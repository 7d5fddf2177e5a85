#' Studies on the server
#'
#' `gz_studies()` lists the studies that the token may read; `gz_study()` describes one of them.
#'
#' @param study A study: its id, a row of `gz_studies()`, or the result of `gz_study()`.
#' @return `gz_studies()`: a data frame with a row per study and the columns `id`, `name`, `participantCount`,
#'   `itemCount`, `testCount` and `sampleCount`. `gz_study()`: a list, whose `items` and `aois` are data frames.
#' @examples
#' \dontrun{
#' studies <- gz_studies()
#' gz_study(studies[1, ])$items
#' }
#' @export
gz_studies <- function() {
  rows <- list()
  cursor <- NULL
  repeat {
    page <- get_json(paste0("/api2/studies", if (!is.null(cursor)) paste0("?cursor=", curl::curl_escape(cursor))))
    rows <- c(rows, page$studies)
    cursor <- page$nextCursor
    if (is.null(cursor)) break
  }
  as_rows(rows)
}

#' @rdname gz_studies
#' @export
gz_study <- function(study) {
  described <- get_json(paste0("/api2/studies/", curl::curl_escape(id_of(study))))
  described$items <- as_rows(described$items)
  described$aois <- as_rows(described$aois)
  described
}

#' Exports, their parameters and columns
#'
#' `gz_exports()` lists all exports, `gz_parameters()` the parameters that each of them takes, and
#' `gz_schema()` the columns of one.
#'
#' @param name The name of an export, such as `"fixations"`.
#' @return A data frame: with a row per export, per parameter (its range, unit, default and meaning), or per column (its
#'   type, unit and description).
#' @examples
#' \dontrun{
#' gz_exports()[, c("name", "rowPer")]
#' gz_parameters()
#' gz_schema("fixations")
#' }
#' @export
gz_exports <- function() as_rows(get_known("/api2/exports")$exports)

#' @rdname gz_exports
#' @export
gz_parameters <- function() as_rows(get_known("/api2/exports")$parameters)

#' @rdname gz_exports
#' @export
gz_schema <- function(name) as_rows(schema_of(entry_of(name)$name)$fields)

#' Read an export of a study
#'
#' Requests an export, waits for its job if it is large, downloads it, verifies the server's digest, and reads it with
#' the types of the server's schema. An interrupted download resumes, also after a restart of the server. Unchanged
#' files are read from the cache.
#'
#' Text, ids and times of day are character; missing values are `NA`. Columns of lists hold the results of
#' [jsonlite::fromJSON()] for each cell. If nanoparquet or arrow is installed, Parquet is read, otherwise CSV; the
#' tables are the same.
#'
#' A refused request is an error of class `gazette_error` with the server's message. It has the fields `status`, `title`,
#' `detail` and `errors`, one for each refused parameter, with `parameter`, `rule`, `value` and perhaps `nearest`, the
#' most similar name.
#'
#' @inheritParams gz_studies
#' @inheritParams gz_exports
#' @param ... Parameters by their names on the server ([gz_parameters()]), such as
#'   `movingMedianRangeMs = 150`. `NULL` is omitted. With `output = "parts"`, a large export is computed and downloaded
#'   as several files, which are read as one table; not with `path`.
#' @param path A file to write instead of reading a table; its extension selects the format: `.csv`, `.ndjson`,
#'   `.arrow`, `.parquet`, `.xlsx` or `.semicolon.csv`.
#' @param progress Whether to show a progress bar; or a function of the stage (`"computing"` or `"downloading"`), the
#'   amount done, and the total.
#' @param cache Directory that keeps downloaded files for 30 days after their last use, by default that of the
#'   environment variable `GAZETTE_CACHE`, otherwise the user's cache of this package. `FALSE` disables the cache.
#' @return A tibble if tibble is installed, otherwise a data frame. With `path`, the path, invisibly.
#' @examples
#' \dontrun{
#' study <- gz_studies()[1, ]
#' fixations <- gz_export("fixations", study, movingMedianRangeMs = 150)
#' young <- gz_export("fixations", study, filter = "participant_age < 30")
#' gz_export("gazes-split", study, path = "gazes.parquet")
#' }
#' @export
gz_export <- function(name, study, ..., path = NULL, progress = interactive(), cache = NULL) {
  entry <- entry_of(name)
  schema <- schema_of(entry$name)
  format <- if (is.null(path)) format_of(schema) else format_of_path(path)
  query <- c(parameters_of(...), variant = entry$variant, format = format)
  query <- query[order(names(query))]
  where <- sub("{studyId}", curl::curl_escape(id_of(study)), entry$path, fixed = TRUE)
  where <- paste0(where, "?", paste0(curl::curl_escape(names(query)), "=", curl::curl_escape(query), collapse = "&"))
  directory <- if (is.null(cache)) cache_directory() else cache
  if (isFALSE(cache)) {
    directory <- tempfile("gazette")
    on.exit(unlink(directory, recursive = TRUE), add = TRUE)
  }
  told <- if (is.function(progress)) list(tell = progress, close = function() NULL) else progress_bar(isTRUE(progress))
  on.exit(told$close(), add = TRUE)
  fetch <- function(where) {
    fill <- function(part, known_tag) download_export(where, part, known_tag, told$tell)
    cached(directory, paste0(server()$url, where), fill)
  }
  if ("output" %in% names(query) && query[["output"]] == "parts") {
    if (!is.null(path)) stop("output = \"parts\" is several files: read them as a table, without path", call. = FALSE)
    files <- vapply(request_parts(where, told$tell), fetch, character(1))
    return(do.call(rbind, lapply(files, read_table, format, schema)))
  }
  file <- fetch(where)
  if (is.null(path)) return(read_table(file, format, schema))
  part <- paste0(path, ".part")
  if (!file.copy(file, part, overwrite = TRUE) || !file.rename(part, path)) stop("cannot write ", path, call. = FALSE)
  invisible(path)
}

#' Compute an analysis of a study
#'
#' Compares groups of participants (`"comparisons"`), or areas of interest that the same participants saw (`"within"`), or both (`"mixed"`); counts
#' `"transitions"`; summarizes `"visits"`; estimates the time to first fixation (`"survival"`);
#' describes the `"quality"` of tests, the `"loss"` of gaze over time, the `"tags"` of areas of interest, and the `"participants"`; suggests `"offsets"` of gaze; averages `"reading"` measures of words; averages `"pupils"` and `"looks"` over time; finds `"clusters"` of time bins in which two conditions differ; averages the rate of `"microsaccades"` over time; compares `"scanpaths"` in pairs. The server computes them.
#'
#' @inheritParams gz_studies
#' @param name One of the analyses above.
#' @param ... Parameters by their names on the server: those of exports, and its own, such as `itemId`, `group1`,
#'   `group2`, `measure`, or `aois`, ids separated by commas.
#' @return `gz_analyse()`: a data frame with a row per comparison, mean, transition, area of interest, step, measure, bin or gender. `gz_analyses()`: the
#'   saved analyses of a study; the parameter `analysis` takes their names.
#' @examples
#' \dontrun{
#' study <- gz_study(gz_studies()[1, ])
#' gz_analyse("comparisons", study, itemId = study$items$id[1],
#'   group1 = "participant_age < 40", group2 = "participant_age >= 40")
#' }
#' @export
gz_analyse <- function(name, study, ...) {
  query <- c(parameters_of(...), format = "ndjson")
  where <- paste0("/api2/studies/", curl::curl_escape(id_of(study)), "/analysis/", curl::curl_escape(name), "?")
  where <- paste0(where, paste0(curl::curl_escape(names(query)), "=", curl::curl_escape(query), collapse = "&"))
  text <- rawToChar(get_content(where))
  Encoding(text) <- "UTF-8"
  as_rows(lapply(strsplit(text, "\n", fixed = TRUE)[[1]], jsonlite::fromJSON, simplifyVector = FALSE))
}

#' @rdname gz_analyse
#' @export
gz_analyses <- function(study) {
  as_rows(get_json(paste0("/api2/studies/", curl::curl_escape(id_of(study)), "/analyses"))$analyses)
}

progress_bar <- function(is_shown) {
  bar <- NULL
  stage_now <- ""
  close_bar <- function() {
    if (!is.null(bar)) close(bar)
    bar <<- NULL
  }
  tell <- function(stage, done, total) {
    if (!is_shown) return(invisible())
    if (stage != stage_now) {
      close_bar()
      message(stage)
      bar <<- utils::txtProgressBar(style = 3, file = stderr())
      stage_now <<- stage
    }
    utils::setTxtProgressBar(bar, if (total > 0) done / total else 1)
  }
  list(tell = tell, close = close_bar)
}

entry_of <- function(name) {
  exports <- get_known("/api2/exports")$exports
  names <- vapply(exports, function(each) each$name, character(1))
  if (name %in% names) return(exports[[match(name, names)]])
  far <- utils::adist(name, names)
  guess <- if (min(far) <= 3) sprintf(" (did you mean %s?)", names[which.min(far)]) else paste0(": ", paste(names, collapse = ", "))
  stop("\"", name, "\" is none of the server's exports", guess, call. = FALSE)
}

schema_of <- function(name) get_known(paste0("/api2/exports/", name, "/schema"))

format_of_path <- function(path) {
  formats <- get_known("/api2/exports")$formats
  endings <- vapply(formats, function(each) each$extension, character(1))
  # A name that ends in .semicolon.csv also ends in .csv.
  found <- which(endsWith(tolower(path), paste0(".", endings)))
  if (length(found) == 0) stop("A file must end in ", paste0(".", endings, collapse = ", "), ", got \"", path, "\"", call. = FALSE)
  formats[[found[which.max(nchar(endings[found]))]]]$name
}

# Formats parameters for an address; the server validates them.
parameters_of <- function(...) {
  given <- Filter(Negate(is.null), list(...))
  follows <- c(format = "path", variant = "the name of the export", studyId = "study")
  for (i in seq_along(given)) {
    name <- names(given)[i] %||% ""
    value <- given[[i]]
    if (!nzchar(name)) stop("Parameters are given by name, such as movingMedianRangeMs = 150", call. = FALSE)
    if (name %in% names(follows)) stop(name, " is not to be given: it follows from ", follows[[name]], call. = FALSE)
    if (length(value) != 1 || !(is.character(value) || is.numeric(value))) {
      stop(name, " must be one text or one number", call. = FALSE)
    }
    given[[i]] <- if (is.numeric(value)) format(value, digits = 15, scientific = FALSE, trim = TRUE) else enc2utf8(value)
  }
  unlist(given)
}

id_of <- function(study) {
  id <- if (is.list(study)) study$id else study
  if (!is.character(id) || length(id) != 1) stop("study must be one study: an id, or a row of gz_studies()", call. = FALSE)
  id
}

# Converts a list of objects to a data frame; fields other than single values become list columns.
as_rows <- function(objects) {
  columns <- unique(unlist(lapply(objects, names)))
  table <- lapply(columns, function(column) {
    values <- lapply(objects, function(each) each[[column]])
    if (any(lengths(values) > 1) || any(vapply(values, is.list, logical(1)))) return(values)
    unlist(lapply(values, function(value) if (is.null(value)) NA else value))
  })
  names(table) <- columns
  table <- structure(table, row.names = .set_row_names(length(objects)), class = "data.frame")
  if (requireNamespace("tibble", quietly = TRUE)) tibble::as_tibble(table) else table
}
