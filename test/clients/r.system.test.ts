import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { EXPORTS } from '../../engine/exports/registry.ts'
import { GOLDEN_STUDY } from '../engine/studies.ts'
import {
  CLIENTS,
  GUARDED_STUDY,
  ITEM,
  need,
  type Outside,
  openBadWire,
  openOutside,
  rowCounts,
  transitionsOf,
} from './outside.ts'

const NEEDED = ['-e', 'library(curl); library(jsonlite); library(openssl)']
const hasR = spawnSync('Rscript', NEEDED).status === 0

let outside: Outside
/** The built package in a library of its own is what is tested. */
let library: string
beforeAll(async () => {
  outside = await openOutside()
  library = join(outside.directory, 'library')
  if (!hasR) return
  mkdirSync(library)
  await outside.run('R', ['CMD', 'build', '--no-build-vignettes', join(CLIENTS, 'r')])
  const built = join(outside.directory, 'gazette_0.2.0.tar.gz')
  await outside.run('R', ['CMD', 'INSTALL', '--no-docs', '--no-test-load', `--library=${library}`, built])
})
afterAll(() => outside.close())
beforeEach((context) => need(context, 'Rscript', NEEDED, 'R with curl, jsonlite and openssl'))

function r(code: string, env: Record<string, string> = {}): Promise<string> {
  const begin = 'options(warn = 2)\nlibrary(gazette)\nstudy <- Sys.getenv("STUDY")\n'
  return outside.run('Rscript', ['-e', begin + code], { R_LIBS: library, LC_ALL: 'C.UTF-8', ...env })
}

test('the first lines of the README give a data frame', async () => {
  const [, code] = /```r\n([\s\S]*?)```/.exec(readFileSync(join(CLIENTS, 'r/README.md'), 'utf8'))!
  expect(code.trim().split('\n')).toHaveLength(3)
  const own = code.replace('http://127.0.0.1:8080', outside.service.url).replace('THE-TOKEN', outside.service.read)
  const printed = await r(`${own}\ncat(is.data.frame(fixations), nrow(fixations) > 0, names(fixations)[1:2])`)
  expect(printed).toBe('TRUE TRUE study_id item_id')
})

test('the example ends in a figure', async () => {
  await outside.run('Rscript', [join(CLIENTS, 'r/inst/examples/dwell.R')], { R_LIBS: library })
  expect(await readFile(join(outside.directory, 'dwell.svg'), 'utf8')).toContain('</svg>')
})

/** NDJSON has types of its own, so each cell is compared with it. */
const COMPARE = `
same <- function(cell, value) {
  if (is.list(cell)) cell <- cell[[1]]
  if (is.null(value)) return(is.na(cell))
  isTRUE(all.equal(cell, value, tolerance = 0))
}
for (name in gz_exports()$name) for (study in c("${GUARDED_STUDY}", study)) {
  lines <- readLines(gz_export(name, study, path = "compare.ndjson"), encoding = "UTF-8")
  rows <- lapply(lines, jsonlite::fromJSON)
  table <- gz_export(name, study)
  stopifnot(nrow(table) == length(rows))
  for (i in seq_along(rows)) for (column in names(table)) {
    if (!same(table[[column]][i], rows[[i]][[column]])) stop(name, " ", column, " ", i)
  }
  cat(name, length(rows), ncol(table), "\\n")
}`

test('every cell of every export is the same in a data frame as in NDJSON: types, what is missing, text with a guard', async () => {
  const printed = await r(COMPARE)
  const first = `first <- gz_export("keyboard-mouse-overall", "${GUARDED_STUDY}")[1, ]`
  expect(await r(`${first}\ncat(first$participant_external_id, first$participant_display_name)`)).toBe("'=x ''-1")
  const counts = await rowCounts(outside)
  for (const { name, columns } of EXPORTS) {
    const [, rows, width] = [...printed.matchAll(new RegExp(`^${name} (\\d+) (\\d+) $`, 'gm'))].at(-1) ?? []
    expect([Number(rows), Number(width) >= columns.length], name).toEqual([counts.get(name), true])
  }
})

test('a large export is waited for and downloaded, a known one asked for by its tag, a changed file downloaded again', async () => {
  outside.statuses()
  const told = await r(
    `
stages <- character()
ask <- function() gz_export("gazes-split", study, movingMedianRangeMs = 152, progress = function(stage, done, total) stages <<- c(stages, stage))
first <- ask()
stopifnot(identical(unique(stages), c("computing", "downloading")), identical(ask(), first))
file <- list.files(Sys.getenv("GAZETTE_CACHE"), "^[0-9a-f]+$", full.names = TRUE)
cat(format(file.mode(file)), format(file.mode(Sys.getenv("GAZETTE_CACHE"))), "")
cat("x", file = file, append = TRUE)
stopifnot(identical(ask(), first), nrow(first) > 100)
for (name in c("fixations.csv", "fixations.semicolon.csv"))
  gz_export("fixations", study, path = name, movingMedianRangeMs = 150, cache = FALSE)
cat(length(list.files(Sys.getenv("GAZETTE_CACHE"))))`,
    { GAZETTE_CACHE: join(outside.directory, 'cache') },
  )
  expect(outside.statuses()).toEqual([202, 200, 304, 200, 200, 200])
  expect(told).toBe('600 700 2')
  const path = `/api2/studies/${GOLDEN_STUDY}/collected-data/eye-tracking/fixations`
  const expected = await (await outside.service.get(`${path}?movingMedianRangeMs=150`)).text()
  expect(await readFile(join(outside.directory, 'fixations.csv'), 'utf8')).toBe(expected)
  // text() of fetch leaves out the byte order mark.
  const semicolons = await (await outside.service.get(`${path}?movingMedianRangeMs=150&format=csv-semicolon`)).text()
  expect(await readFile(join(outside.directory, 'fixations.semicolon.csv'), 'utf8')).toBe(`\uFEFF${semicolons}`)
})

test('an export in parts is waited for, and is the table of the one file', async () => {
  const told = await r(`
ask <- function(...) gz_export("fixations", study, movingMedianRangeMs = 156, ...)
parts <- ask(output = "parts")
cat(nrow(parts) > 0, isTRUE(all.equal(parts, ask(), check.attributes = FALSE)))`)
  expect(told).toBe('TRUE TRUE')
})

test('refusals have the message of the server; other errors are one sentence', async () => {
  const printed = await r(`
told <- function(call) cat(tryCatch({ force(call); "nothing" }, error = function(e) paste(class(e)[1], conditionMessage(e))), sep = "\\n")
told(gz_export("fixations", study, movingMedianRange = 150, binMs = 1))
told(gz_export("fixation", study))
told(gz_export("fixations", study, path = "a.txt"))
told(gz_export("fixations", study, format = "csv"))
told(gz_export("fixations", study, 150))
told(gz_export("fixations", c("a", "b")))
told(gz_study("nobody"))
told(gz_server("http://gazette.example", "x"))
gz_server("http://127.0.0.1:9", "x")
told(gz_studies())`)
  expect(printed.split('\n')).toEqual([
    'gazette_error Invalid parameter: binMs must be a whole number from 10 to 10000, got "1"; movingMedianRange is not a parameter of this export, got "150" (did you mean movingMedianRangeMs?)',
    'simpleError "fixation" is none of the server\'s exports (did you mean fixations?)',
    'simpleError A file must end in .csv, .ndjson, .arrow, .parquet, .xlsx, .semicolon.csv, got "a.txt"',
    'simpleError format is not to be given: it follows from path',
    'simpleError Parameters are given by name, such as movingMedianRangeMs = 150',
    'simpleError study must be one study: an id, or a row of gz_studies()',
    'gazette_error Not found: The resource does not exist, or this token may not read it.',
    expect.stringMatching(/^simpleError http:\/\/gazette.example must begin with https:\/\//),
    expect.stringMatching(/^gazette_error Gazette does not answer: http:\/\/127.0.0.1:9: Failed to connect/),
    '',
  ])
})

test('damaged bytes are noticed by the digest and downloaded once more; damaged twice is an error', async () => {
  for (const damaged of [1, 2]) {
    const wire = await openBadWire(outside.service.url, damaged)
    const asked = r('cat(nrow(gz_export("fixations", study, cache = FALSE)) > 0)', { GAZETTE_URL: wire.url })
    if (damaged === 1) expect(await asked).toBe('TRUE')
    else await expect(asked).rejects.toThrow('The download is damaged')
    await wire.close()
  }
})

test('eyetrackingR gets participant, time, lost gaze and AOI columns', async () => {
  const printed = await r(`
arguments <- gazette:::eyetrackingr_arguments(gz_export("gazes-aois", study), FALSE)
data <- arguments$data
stopifnot(is.logical(data[[arguments$trackloss_column]]), is.numeric(data[[arguments$time_column]]))
stopifnot(length(arguments$aoi_columns) > 0, all(vapply(data[arguments$aoi_columns], is.logical, logical(1))))
cat(unlist(arguments[c("participant_column", "trial_column", "item_columns")]))
if (requireNamespace("eyetrackingR", quietly = TRUE)) stopifnot(inherits(gz_eyetrackingr(study), "data.frame"))`)
  expect(printed).toBe('participant_id test_id item_id')
})

test('an analysis is what the server computes', async () => {
  const code = `table <- gz_analyse("transitions", study, itemId = "${ITEM}")
cat(table$transition_count, nrow(gz_analyses(study)), sep = ",")`
  expect(await r(code)).toBe(`${(await transitionsOf(outside)).join()},0`)
})

test('pupils over time are what the server computes; a study without eyes refuses a choice of them', async () => {
  const code = `table <- gz_analyse("pupils", study, pupilBinMs = 100)
cat(nrow(table), sum(table$pupil_size_participant_count), tryCatch(gz_analyse("pupils", study, eye = "left"), error = conditionMessage))`
  expect(await r(code)).toMatch(/^55 0 .*eye must be left out, since the study has no pupils/)
})
