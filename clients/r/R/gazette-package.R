#' Read eye-tracking exports from a Gazette server
#'
#' [gz_export()] reads an export of a study into a data frame. The address of the server and a token come from
#' [gz_server()] or from the environment variables `GAZETTE_URL` and `GAZETTE_TOKEN`.
#'
#' @keywords internal
"_PACKAGE"
