import { type TableHead, tableHead } from './foreign-table.ts'
import type { SourceFile } from './source-files.ts'

const FIXATIONS = 'lists of fixations, which are computed anew from samples'
const PROCESSED = 'gazes that were denoised or normalised, which is done anew from raw ones'

/** Columns of fixation numbers: if each row has its own, a row is a fixation; if rows share them, a sample. */
const FIXATION_NUMBER = /^(fpogid|(current)?fix(ation)?(index|id|number|nr|no)|eyemovementtypeindex)$/
/**
 * Columns of reports about fixations, saccades and areas, as written by EyeLink Data Viewer, Pupil Player and the
 * reference platform.
 */
const OF_A_REPORT = /^(currentfix(x|y|duration|start)|currentsac.*|ia(dwelltime|fixationcount)|fixationstartsatms)$/
const PUPIL_PLAYER = ['starttimestamp', 'duration', 'normposx', 'dispersion']
const FIXATION_X = /fix(ation)?(point)?(position)?x$/
/** Returns whether a column may be another x of gaze. */
const isGazeX = (name: string) => /^x|x$/.test(name) && !/index$|fix|sac|mouse|cursor|media|box/.test(name)
/** Largest share of rows with the number of the row before in a list of fixations; of samples, most have it. */
const SHARED_AT_MOST = 0.1

/**
 * Recognises tables that were computed from recordings, whatever program wrote them.
 *
 * @returns what such files contain, in the plural; null for any other file
 */
export function derivedTable(file: SourceFile): string | null {
  const table = tableHead(file)
  if (table === null) return null
  const names = table.header.map(plainName)
  const has = (name: string) => names.includes(name)
  if (has('testnormalizeddata') || has('gazeisinterpolated')) return PROCESSED
  // These have the columns of the raw gazes.
  if (has('testrawdata')) return /denois|normali[sz]ed/i.test(file.name.replace(/^.*\//, '')) ? PROCESSED : null
  const isReport =
    names.some((name) => OF_A_REPORT.test(name)) ||
    PUPIL_PLAYER.every(has) ||
    (names.some((name) => FIXATION_X.test(name)) && !names.some(isGazeX))
  return isReport || isNumberedByRow(file, table, names) ? FIXATIONS : null
}

/** Reduces a column's name to its letters, without a unit in brackets. */
function plainName(column: string): string {
  return column
    .replace(/[[(][^\])]*[\])]/g, '')
    .toLowerCase()
    .replace(/[^a-z]/g, '')
}

function isNumberedByRow({ name }: SourceFile, { rows }: TableHead, names: string[]): boolean {
  const column = names.findIndex((one) => FIXATION_NUMBER.test(one))
  if (column < 0) return false
  const numbers = rows.map((cells) => (cells[column] ?? '').trim())
  const pairs = numbers.slice(1).map((number, i) => [numbers[i], number])
  const known = pairs.filter(([before, number]) => before !== '' || number !== '')
  if (known.length < 2) return /fixations?\b[^/]*$/i.test(name)
  return known.filter(([before, number]) => before === number).length <= known.length * SHARED_AT_MOST
}
