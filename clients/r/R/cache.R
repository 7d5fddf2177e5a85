KEPT_DAYS <- 30

cache_directory <- function() {
  own <- Sys.getenv("GAZETTE_CACHE")
  if (nzchar(own)) own else tools::R_user_dir("gazette", "cache")
}

# Returns the cached file of an address, which `fill` downloads unless the server says that it is current. `fill` takes
# an empty file and the tag of the cached one, and returns the new tag, or NULL if that is current. A file that was
# modified since its download is downloaded again. Files unused for KEPT_DAYS are evicted.
cached <- function(directory, address, fill) {
  dir.create(directory, showWarnings = FALSE, recursive = TRUE, mode = "0700")
  tidy(directory)
  key <- substr(unclass(openssl::sha256(address)), 1, 32)
  file <- file.path(directory, key)
  facts <- paste0(file, ".json")
  part <- tempfile(key, directory, ".part")
  on.exit(unlink(part))
  file.create(part)
  Sys.chmod(part, "0600")
  tag <- fill(part, tag_of(file, facts))
  if (is.null(tag)) {
    Sys.setFileTime(file, Sys.time())
    Sys.setFileTime(facts, Sys.time())
    return(file)
  }
  text <- jsonlite::toJSON(list(tag = tag, sha256 = hex(sha256_of(part))), auto_unbox = TRUE)
  file.rename(part, file)
  writeLines(text, facts)
  file
}

# Returns the tag of a cached file that was not modified since its download; NULL otherwise.
tag_of <- function(file, facts) {
  if (!file.exists(file) || !file.exists(facts)) return(NULL)
  noted <- tryCatch(jsonlite::fromJSON(facts), error = function(error) list())
  if (identical(noted$sha256, hex(sha256_of(file)))) noted$tag
}

hex <- function(bytes) paste(bytes, collapse = "")

tidy <- function(directory) {
  files <- list.files(directory, full.names = TRUE)
  # A killed download leaves its part behind.
  days <- ifelse(grepl(".part", files, fixed = TRUE), 1, KEPT_DAYS)
  unlink(files[difftime(Sys.time(), file.mtime(files), units = "days") > days])
}
