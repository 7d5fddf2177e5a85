import type { Mapping } from '../reader/mapping.ts'
import { eyeSideOf, numberedAs, openGazeValidity, type Pair, plainName } from './column-names.ts'
import type { GuessedColumns } from './guess-columns.ts'
import { isBottomLeft } from './guess-places.ts'
import type { TableValues } from './guess-values.ts'
import type { TableFacts } from './table-facts.ts'

/** Default confidence threshold of Pupil Player. */
const PUPIL_CONFIDENCE = 0.6

type Valid = Mapping['gaze'][number]['valid']

/** Proposes each eye's validity column, and the texts in it that mean valid. */
export function guessValidity(
  { validity }: TableValues,
  { eyes, validity: guessed, time, participant, item, trial }: GuessedColumns,
  header: string[],
  facts: TableFacts,
  isPupils: boolean,
): { valid: Valid[]; doubts: string[] } {
  const doubts: string[] = []
  const columns = [...validity.keys()]
  const isOfGaze = (at: number) => (/gaze|por|regard|pog/.test(plainName(header[at])) ? 0 : 1)
  const byGaze = [...columns].sort((a, b) => isOfGaze(a) - isOfGaze(b))
  const isCore = isPupils && eyes.some(({ stem }) => isBottomLeft(stem, isPupils))
  const confidence = isCore ? guessed.find((at) => plainName(header[at]) === 'confidence') : undefined
  if (confidence !== undefined) {
    const column = header[confidence]
    const least = PUPIL_CONFIDENCE
    return {
      valid: eyes.map(() => ({ column, least })),
      doubts: [`gaze is taken to be valid where ${column} is at least ${least}, as Pupil Player does by default`],
    }
  }
  const sideOfColumn = (at: number) => eyeSideOf({ stem: plainName(header[at]) })
  const named = [time, participant, item, trial, ...eyes.flatMap(({ x, y }) => [x, y])]
  const free = [...header.keys()].filter((at) => !named.includes(at))
  /** Returns the column that best calls those positions invalid that repeat the one before: of the eye, if one does. */
  const byMovement = (tried: number[], eye: Pair): Valid => {
    const isOfEye = (at: number) => (sideOfColumn(at) === eyeSideOf(eye) ? 0 : sideOfColumn(at) === null ? 1 : 2)
    const found = tried.flatMap((at) => {
      const one = facts.validity(at, eye, time)
      return one === null ? [] : [{ at, ...one }]
    })
    const [best] = found.sort((a, b) => isOfEye(a.at) - isOfEye(b.at) || a.misses - b.misses)
    if (best === undefined) return null
    const { at, valid } = best
    const said = 'values' in valid ? valid.values.join(', ') : `at least ${valid.least}`
    doubts.push(`${header[at]} is ${said} where ${header[eye.x]} moves: gaze is taken to be valid there`)
    return { column: header[at], ...valid }
  }
  const valid = eyes.map((eye): Valid => {
    const openGaze = openGazeValidity(eye, header)
    if (openGaze >= 0) return { column: header[openGaze], values: ['1'] }
    const own = byGaze.find((at) => eyeSideOf(eye) !== null && sideOfColumn(at) === eyeSideOf(eye))
    const numbered = numberedAs(eye, eyes, byGaze, header)
    const at = own ?? numbered ?? byGaze.find((one) => sideOfColumn(one) === null)
    const values = at === undefined ? [] : validTexts(validity.get(at)!, plainName(header[at]))
    if (at !== undefined && values.length > 0) return { column: header[at], values }
    return byMovement(free, eye)
  })
  for (const at of columns) {
    const texts = [...validity.get(at)!.keys()].map((text) => JSON.stringify(text)).join(', ')
    const chosen = valid.find((one) => one?.column === header[at])
    if (OTHERS_OF_OPEN_GAZE.test(header[at]) && !chosen) continue
    if (chosen && 'values' in chosen)
      doubts.push(`${header[at]} holds ${texts}: gaze is taken to be valid where it is ${chosen.values.join(', ')}`)
    else if (validity.get(at)!.size > 1)
      doubts.push(`${header[at]} holds ${texts}, and may say whether a gaze is valid: name it in valid if so`)
  }
  for (const at of guessed.filter((one) => !validity.has(one)))
    doubts.push(
      `${header[at]} holds many values and is not used: {"column": …, "least": …} in valid gives the least that is valid`,
    )
  return { valid, doubts }
}

/** Validity columns of other gazes than the chosen one. */
const OTHERS_OF_OPEN_GAZE = /^[bflr]pog_?v$/i

/** Words for valid, in the languages in which labs name columns. */
const VALID_WORDS = /^(valid|valide|gültig|geldig|válid[oa]|true|yes|ja|oui|s[ií]|sim|ok|有效|有効|是|はい)$/i

/** Returns the texts that come mostly with gaze; none if there is no text that comes without gaze. */
function validTexts(texts: Map<string, { seen: number; lost: number }>, name: string): string[] {
  if (/validity/.test(name) && isTobiis(texts)) return ['0', '1']
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
