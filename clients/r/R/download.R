# Timeout in seconds of a download whose server stopped answering.
AWAY_MAX_S <- 120

# Downloads an export into `part` and compares it with the server's digest. Waits for a job if there is one. The
# download resumes after a broken connection or a restart of the server.
#
# Returns the entity tag of the file; NULL, with nothing written, if `known_tag` is current.
download_export <- function(path, part, known_tag, progress) {
  url <- paste0(server()$url, path)
  state <- list(done = 0, tag = NULL)
  has_answered <- is_wrong <- FALSE
  patience <- new_patience()
  repeat {
    before <- state$done
    state <- fetch_rest(url, part, state, known_tag, progress)
    if (state$done != before) patience$begin()
    if (!is.null(state$tag)) has_answered <- TRUE
    if (!is.null(state$broken)) {
      if (!has_answered) stop(away(state$broken))
      patience$sleep(away(state$broken))
      next
    }
    has_answered <- TRUE
    status <- state$answer$status_code
    if (status == 304) return(NULL)
    if (status == 202) {
      follow_job(from_json(state$answer$content), as.numeric(header(state$answer, "retry-after") %||% 1), progress)
      patience$begin()
    } else if (status %in% c(429, 503)) {
      problem <- problem_of(state$answer)
      patience$sleep(problem, as.numeric(problem$retry_after %||% 1))
    } else if (!(status %in% c(200, 206))) {
      stop(problem_of(state$answer))
    } else {
      digest <- header(state$answer, "repr-digest")
      if (identical(digest, digest_of(part))) return(state$tag)
      if (is_wrong) {
        detail <- sprintf("Twice, the bytes that came were not those that the server had counted (%s).", digest)
        stop(gazette_error(list(status = 0L, title = "The download is damaged", detail = detail)))
      }
      is_wrong <- TRUE
      state <- list(done = 0, tag = NULL)
    }
  }
}

# Requests the missing rest of a file, and appends it. Returns the size so far (`done`, bytes), the file's tag (`tag`),
# the answer, and in `broken` the error that interrupted it.
fetch_rest <- function(url, part, state, known_tag, progress) {
  done <- state$done
  tag <- state$tag
  asked <- list(Prefer = "wait=0")
  if (done > 0) {
    asked <- c(asked, Range = sprintf("bytes=%.0f-", done), "If-Range" = tag)
  } else if (!is.null(known_tag)) {
    asked <- c(asked, "If-None-Match" = known_tag)
  }
  handle <- do.call(new_request, asked)
  total <- NULL
  body <- raw()
  file <- NULL
  on.exit(if (!is.null(file)) close(file))
  take <- function(bytes) {
    data <- curl::handle_data(handle)
    if (!(data$status_code %in% c(200, 206))) return(body <<- c(body, bytes))
    if (is.null(file)) {
      if (data$status_code == 200) done <<- 0
      file <<- base::file(part, if (done == 0) "wb" else "ab")
      tag <<- header(data, "etag")
      total <<- done + as.numeric(header(data, "content-length"))
    }
    writeBin(bytes, file)
    done <<- done + length(bytes)
    progress("downloading", done, total)
  }
  broken <- NULL
  answer <- tryCatch(curl::curl_fetch_stream(url, take, handle), error = function(error) {
    broken <<- error
    NULL
  })
  if (!is.null(answer)) {
    answer$content <- body
    if (answer$status_code == 200 && is.null(file)) {
      # An empty file, such as NDJSON without rows: nothing was taken.
      file.create(part)
      done <- 0
      tag <- header(answer, "etag")
    }
  }
  if (is.null(broken) && !is.null(total) && done < total) {
    broken <- simpleError(sprintf("the connection broke after %.0f of %.0f bytes", done, total))
  }
  list(done = done, tag = tag, answer = answer, broken = broken)
}

# Requests an export in parts, and waits for its job. Returns the addresses of the parts, in order.
request_parts <- function(path, progress) {
  patience <- new_patience()
  repeat {
    answer <- tryCatch(
      curl::curl_fetch_memory(paste0(server()$url, path), new_request(Prefer = "wait=0")),
      error = function(error) stop(away(error))
    )
    if (answer$status_code %in% c(429, 503)) {
      problem <- problem_of(answer)
      patience$sleep(problem, as.numeric(problem$retry_after %||% 1))
      next
    }
    if (answer$status_code != 202) stop(problem_of(answer))
    job <- from_json(answer$content)
    if (job$state == "succeeded") return(vapply(job$parts, function(part) part$href, character(1)))
    follow_job(job, as.numeric(header(answer, "retry-after") %||% 1), progress)
    patience$begin()
  }
}

# Waits until a job ends, polling at the interval that the server requests.
follow_job <- function(job, pause_s, progress) {
  while (job$state %in% c("queued", "running")) {
    progress("computing", job$progress$percent, 100)
    Sys.sleep(pause_s)
    answer <- tryCatch(
      curl::curl_fetch_memory(paste0(server()$url, "/api2/jobs/", job$id), new_request()),
      error = function(error) NULL
    )
    # The next request for the export finds out what became of the server, and of the job.
    if (is.null(answer) || answer$status_code != 200) return(invisible())
    job <- from_json(answer$content)
    pause_s <- as.numeric(header(answer, "retry-after") %||% 1)
  }
  if (job$state %in% c("failed", "canceled")) {
    title <- if (job$state == "failed") "The job has failed" else "The job was canceled"
    stop(gazette_error(job$error %||% list(status = 0L, title = title)))
  }
}

# Backs off between retries, longer each time, until nothing has come for AWAY_MAX_S; then raises the error.
new_patience <- function() {
  since <- pause_s <- NULL
  begin <- function() {
    since <<- proc.time()[["elapsed"]]
    pause_s <<- 0.25
  }
  sleep <- function(error, at_least_s = 0) {
    if (proc.time()[["elapsed"]] - since > AWAY_MAX_S) stop(error)
    Sys.sleep(max(pause_s, at_least_s))
    pause_s <<- min(pause_s * 2, 5)
  }
  begin()
  list(begin = begin, sleep = sleep)
}

# Returns the SHA-256 of a file, as 32 bytes.
sha256_of <- function(path) {
  opened <- file(path, "rb")
  on.exit(close(opened))
  as.raw(unclass(openssl::sha256(opened)))
}

digest_of <- function(path) sprintf("sha-256=:%s:", openssl::base64_encode(sha256_of(path)))
