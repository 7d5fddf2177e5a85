import type { Mapping } from '../reader/mapping.ts'
import { type AxisPair, eyeSideOf, numberedAs, openGazeValidity, plainName } from './column-names.ts'
import type { GuessedColumns } from './guess-columns.ts'
import { isBottomLeft } from './guess-places.ts'
import type { TableValues } from './guess-values.ts'
import type { TableFacts } from './table-facts.ts'

/** Default confidence threshold of Pupil Player. */
const PUPIL_CONFIDENCE = 0.6

type Valid = Mapping['gaze'][number]['valid']

type Validity = TableValues['validity']

/** Proposes each eye's validity column, and the texts in it that mean valid. */
export function guessValidity(
  { validity }: TableValues,
  columns: GuessedColumns,
  header: string[],
  facts: TableFacts,
  isPupils: boolean,
): { valid: Valid[]; doubts: string[] } {
  const { eyes } = columns
  const column = isPupils ? confidenceOfCore(columns, header) : undefined
  if (column !== undefined) {
    const least = PUPIL_CONFIDENCE
    const doubt = `gaze is taken to be valid where ${column} is at least ${least}, as Pupil Player does by default`
    return { valid: eyes.map(() => ({ column, least })), doubts: [doubt] }
  }
  const byTexts = eyes.map((eye) => validByTexts(eye, eyes, validity, header))
  const byMovement = eyes.map((eye, i) => (byTexts[i] === null ? validByMovement(eye, columns, header, facts) : null))
  const valid = byTexts.map((own, i) => own ?? byMovement[i]?.valid ?? null)
  const unused = columns.validity.filter((at) => !validity.has(at)).map((at) => unusedSaid(header[at]))
  const moving = byMovement.flatMap((one) => one?.doubt ?? [])
  return { valid, doubts: [...moving, ...doubtsOfTexts(validity, valid, header), ...unused] }
}

/** Returns the name of Pupil Core's column of confidence, if gaze is its own. */
function confidenceOfCore({ eyes, validity }: GuessedColumns, header: string[]): string | undefined {
  const isCore = eyes.some(({ stem }) => isBottomLeft(stem, true))
  const at = isCore ? validity.find((one) => plainName(header[one]) === 'confidence') : undefined
  return at === undefined ? undefined : header[at]
}

/** Proposes the column of an eye by the names of columns with few texts: of the eye itself, or of both. */
function validByTexts(eye: AxisPair, eyes: AxisPair[], validity: Validity, header: string[]): Valid {
  const openGaze = openGazeValidity(eye, header)
  if (openGaze >= 0) return { column: header[openGaze], values: ['1'] }
  const isOfGaze = (at: number) => (/gaze|por|regard|pog/.test(plainName(header[at])) ? 0 : 1)
  const byGaze = [...validity.keys()].sort((a, b) => isOfGaze(a) - isOfGaze(b))
  const side = eyeSideOf(eye)
  const own = byGaze.find((at) => side !== null && sideOfColumn(header[at]) === side)
  const numbered = numberedAs(eye, eyes, byGaze, header)
  const at = own ?? numbered ?? byGaze.find((one) => sideOfColumn(header[one]) === null)
  const values = at === undefined ? [] : validTexts(validity.get(at)!, plainName(header[at]))
  return at === undefined || values.length === 0 ? null : { column: header[at], values }
}

/** Proposes the column that best calls those positions invalid that repeat the one before: of the eye, if one does. */
function validByMovement(
  eye: AxisPair,
  { eyes, time, participant, item, trial }: GuessedColumns,
  header: string[],
  facts: TableFacts,
): { valid: Valid; doubt: string } | null {
  const named = [time, participant, item, trial, ...eyes.flatMap(({ x, y }) => [x, y])]
  const found = [...header.keys()].flatMap((at) => {
    const one = named.includes(at) ? null : facts.validity(at, eye, time)
    if (one === null) return []
    const side = sideOfColumn(header[at])
    return [{ ...one, column: header[at], rank: side === eyeSideOf(eye) ? 0 : side === null ? 1 : 2 }]
  })
  const [best] = found.sort((a, b) => a.rank - b.rank || a.misses - b.misses)
  if (best === undefined) return null
  const { column, valid } = best
  const said = 'values' in valid ? valid.values.join(', ') : `at least ${valid.least}`
  const doubt = `${column} is ${said} where ${header[eye.x]} moves: gaze is taken to be valid there`
  return { valid: { column, ...valid }, doubt }
}

const sideOfColumn = (name: string) => eyeSideOf({ stem: plainName(name) })

/** Says of columns with few texts which of them are taken to be valid, or that they may say so. */
function doubtsOfTexts(validity: Validity, valid: Valid[], header: string[]): string[] {
  return [...validity].flatMap(([at, found]) => {
    const name = header[at]
    const texts = [...found.keys()].map((text) => JSON.stringify(text)).join(', ')
    const chosen = valid.find((one) => one?.column === name)
    if (OTHERS_OF_OPEN_GAZE.test(name) && !chosen) return []
    if (chosen && 'values' in chosen)
      return [`${name} holds ${texts}: gaze is taken to be valid where it is ${chosen.values.join(', ')}`]
    return found.size > 1 ? [`${name} holds ${texts}, and may say whether a gaze is valid: name it in valid if so`] : []
  })
}

function unusedSaid(name: string): string {
  return `${name} holds many values and is not used: {"column": …, "least": …} in valid gives the least that is valid`
}

/** Validity columns of other gazes than the chosen one. */
const OTHERS_OF_OPEN_GAZE = /^[bflr]pog_?v$/i

/** Words for valid, in the languages in which labs name columns. */
const VALID_WORDS = /^(valid|valide|gültig|geldig|válid[oa]|true|yes|ja|oui|s[ií]|sim|ok|有效|有効|是|はい)$/i

/** Names of columns that say where gaze is lost, and words in them for lost, besides those that mean yes. */
const LOST_NAMES = /blink|missing|loss|lost|invalid|artifact|artefact|outlier/
const LOST_WORDS = /^(1([.,]0+)?|lost|missing|invalid|blink)$/i

/** Returns the texts that come mostly with gaze; none if there is no text that comes without gaze. */
function validTexts(texts: Map<string, { seen: number; lost: number }>, name: string): string[] {
  if (/validity/.test(name) && isTobiis(texts)) return ['0', '1']
  if (LOST_NAMES.test(name)) {
    const lost = [...texts.keys()].filter((text) => VALID_WORDS.test(text) || LOST_WORDS.test(text))
    if (lost.length > 0 && lost.length < texts.size) return [...texts.keys()].filter((text) => !lost.includes(text))
  }
  if (texts.size < 2 && !/^(valid|true)$/i.test([...texts.keys()][0] ?? '')) return []
  const words = [...texts.keys()].filter((text) => VALID_WORDS.test(text))
  if (words.length > 0) return words
  if (/^(is_?)?valid$/.test(name) && isFlag(texts)) return [...texts.keys()].filter((text) => Number(text) === 1)
  const isTold = [...texts.values()].some(({ seen, lost }) => lost > seen)
  return isTold ? [...texts].filter(([, { seen, lost }]) => seen > lost).map(([text]) => text) : []
}

/** Returns whether texts are 0 and 1, mostly 1, so that a column called valid says which rows are. */
function isFlag(texts: Map<string, { seen: number; lost: number }>): boolean {
  const rows = (flag: number) =>
    [...texts].reduce((sum, [text, { seen, lost }]) => sum + (Number(text) === flag ? seen + lost : 0), 0)
  return [...texts.keys()].every((text) => text !== '' && [0, 1].includes(Number(text))) && rows(1) > rows(0)
}

/**
 * Returns whether texts are Tobii's validity codes: 0 and 1 mean certainly and probably this eye, 4 means no eye. For 2
 * and 3 there is a gaze, but its eye is unknown.
 */
function isTobiis(texts: Map<string, { seen: number; lost: number }>): boolean {
  const { seen, lost } = texts.get('0') ?? { seen: 0, lost: 0 }
  return (
    seen > lost &&
    [...texts.keys()].every((text) => /^[0-4]$/.test(text)) &&
    ['2', '3', '4'].some((one) => texts.has(one))
  )
}
