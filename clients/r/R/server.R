known <- new.env(parent = emptyenv())

#' Choose a server
#'
#' Checks an address and a token and keeps them for this session. Without it, the environment variables `GAZETTE_URL`
#' and `GAZETTE_TOKEN` name them.
#'
#' @param url Address of the server, such as `"http://127.0.0.1:8080"`. Over a network it must begin with `https://`,
#'   since the token is sent there.
#' @param token A token from `gazette token create`.
#' @return The address, invisibly.
#' @examples
#' gz_server("http://127.0.0.1:8080", "00000000-0000-4000-8000-000000000000")
#' @export
gz_server <- function(url = Sys.getenv("GAZETTE_URL"), token = Sys.getenv("GAZETTE_TOKEN")) {
  url <- sub("/+$", "", url)
  parts <- regmatches(url, regexec("^(https?)://(\\[[0-9a-fA-F:]+\\]|[^/:?#@]+)(:[0-9]+)?(/[^?#]*)?$", url))[[1]]
  if (length(parts) == 0) {
    stop("The server's address is needed, such as http://127.0.0.1:8080: gz_server(url, token), or in the environment ",
         "as GAZETTE_URL. Got \"", url, "\".", call. = FALSE)
  }
  if (parts[2] == "http" && !grepl("^(localhost|127\\.[0-9.]+|\\[::1\\])$", parts[3])) {
    stop(url, " must begin with https://, since a token is sent there; http:// is for this machine alone.", call. = FALSE)
  }
  if (!nzchar(token)) {
    stop("A token is needed: gz_server(url, token), or in the environment as GAZETTE_TOKEN.", call. = FALSE)
  }
  known$server <- list(url = url, token = token)
  known$answers <- list()
  invisible(url)
}

server <- function() {
  if (is.null(known$server)) gz_server()
  known$server
}

# Opens a request to the server; the token is never sent elsewhere, since redirects are not followed. Requests the
# uncompressed file, since ranges count its bytes.
new_request <- function(...) {
  handle <- curl::new_handle(connecttimeout = 30, low_speed_limit = 1, low_speed_time = 120)
  curl::handle_setopt(handle, followlocation = FALSE, accept_encoding = "identity", useragent = "gazette R package")
  curl::handle_setheaders(handle, "X-AUTH-TOKEN" = server()$token, ...)
}

# Reads JSON; objects and arrays become lists.
get_json <- function(path) from_json(get_content(path))

get_content <- function(path) {
  url <- server()$url
  answer <- tryCatch(curl::curl_fetch_memory(paste0(url, path), new_request()), error = function(error) stop(away(error)))
  if (answer$status_code != 200) stop(problem_of(answer))
  answer$content
}

# Reads JSON that does not change while a server runs, and caches it.
get_known <- function(path) {
  if (is.null(known$answers[[path]])) {
    server()
    known$answers[[path]] <- get_json(path)
  }
  known$answers[[path]]
}

from_json <- function(bytes) {
  text <- rawToChar(bytes)
  Encoding(text) <- "UTF-8"
  jsonlite::fromJSON(text, simplifyVector = FALSE)
}

# Creates a condition that carries a problem (RFC 9457) as the server sent it.
gazette_error <- function(problem, retry_after = NULL) {
  message <- paste(c(problem$title, if (nzchar(problem$detail %||% "")) problem$detail), collapse = ": ")
  structure(
    class = c("gazette_error", "error", "condition"),
    list(
      message = message, call = NULL, status = problem$status, title = problem$title, detail = problem$detail,
      errors = problem$errors, problem = problem, retry_after = retry_after
    )
  )
}

away <- function(error) {
  detail <- paste0(server()$url, ": ", conditionMessage(error))
  gazette_error(list(status = 0L, title = "Gazette does not answer", detail = detail))
}

problem_of <- function(answer) {
  problem <- tryCatch(from_json(answer$content), error = function(error) NULL)
  if (!is.list(problem) || is.null(problem$title)) {
    problem <- list(
      status = answer$status_code, title = paste("Status", answer$status_code),
      detail = paste(server()$url, "does not answer as Gazette does")
    )
  }
  gazette_error(problem, header(answer, "retry-after"))
}

# Returns a header of an answer; NULL if it has none.
header <- function(answer, name) curl::parse_headers_list(answer$headers)[[name]]

`%||%` <- function(value, default) if (is.null(value)) default else value
