import type { PupilUnit } from '../../model/eye-columns.ts'
import type { Mapping } from '../reader/mapping.ts'
import type { TableHead } from '../text/foreign-table.ts'
import { numberIn } from '../text/parse-number.ts'
import { plainName, WORDS } from './column-names.ts'

const SIZE = /pupil|pupila|瞳孔|psize|(^|_)dia(m|meter)?(_|$)|^[lr]p(mm|d)$/
/** Columns about pupils that are not sizes, and sizes of something else. */
const NO_SIZE =
  /valid|conf|pos(ition)?(_|$)|cent|cr\d|(^|_)cr(_|$)|scale|thres|angle|count|theta|phi|veloc|missing|blink|(^|_)(id|y|z|ts|status|filtered)(_|$)|timestamp|origin|quality|fix|mean|median|avg|average|baseline|change|aperture/
const DISTANCE = /(^|_)(eye_?)?(dist|distance)(_|$)/
const LEFT = new RegExp(`${WORDS.left}|(^|_)l(?=_|p|dia|dist|eye|$)`)
const RIGHT = new RegExp(`${WORDS.right}|(^|_)r(?=_|p|dia|dist|eye|$)`)

/** Proposes the pupil and distance columns of each eye by their names, with a unit from names and values. */
export function guessEyes(table: TableHead): Pick<Mapping, 'pupils' | 'eyeDistanceMm'> & { doubts: string[] } {
  const doubts: string[] = []
  const sizes = columnsOf(table, (name) => SIZE.test(name) && !NO_SIZE.test(name))
  const pupils = bestPair(sizes)
  const distances = bestPair(columnsOf(table, (name) => DISTANCE.test(name) && !/valid|conf/.test(name)))
  const names = pupils && [pupils.left, pupils.right].filter((name) => name !== null)
  const unit = names === null ? null : unitOf(table, names)
  if (names !== null)
    doubts.push(
      `${names.join(' and ')} ${names.length > 1 ? 'are' : 'is'} taken to be pupil sizes, ${unit === null ? 'in a unit that is not known: say mm, px, diameter_au or area_au in unit' : `in ${unit}`}`,
    )
  const usual = distances && median(table, [distances.left, distances.right])
  const isMm = usual !== null && usual >= MM_LEAST && usual <= MM_MOST
  if (distances !== null && isMm) doubts.push(`${shown(distances)} are taken to be distances of the eyes, in mm`)
  return {
    ...(pupils === null ? {} : { pupils: { ...pupils, unit } }),
    ...(distances !== null && isMm ? { eyeDistanceMm: distances } : {}),
    doubts,
  }
}

type Sides = { left: string | null; right: string | null }
type Column = { name: string; side: 'left' | 'right'; stem: string; rank: number }

/** Working distances of trackers, in mm; in cm, they would be a tenth. */
const [MM_LEAST, MM_MOST] = [200, 2000]

const shown = ({ left, right }: Sides) => [left, right].filter((name) => name !== null).join(' and ')

/** Lists the numeric columns of one eye, with the name that the two eyes share. */
function columnsOf(table: TableHead, isWanted: (name: string) => boolean): Column[] {
  return table.header.flatMap((name, at) => {
    const plain = plainName(name)
    const side = LEFT.test(plain) ? 'left' : RIGHT.test(plain) ? 'right' : null
    if (side === null || !isWanted(plain) || !holdsNumbers(table, at)) return []
    return [{ name, side, stem: plain.replace(side === 'left' ? LEFT : RIGHT, '@'), rank: rankOf(plain) }]
  })
}

/** Ranks columns of sizes: mm first, then other units or none, px last. */
function rankOf(name: string): number {
  return (/mm|mapped/.test(name) ? 0 : /px|pix/.test(name) ? 2 : 1) + (/size|diam/.test(name) ? 0 : 0.5)
}

/** Returns the best matching columns of the two eyes; null without any. */
function bestPair(columns: Column[]): Sides | null {
  const [best] = [...columns].sort((a, b) => a.rank - b.rank)
  if (best === undefined) return null
  const other = columns.find(({ side, stem }) => side !== best.side && stem === best.stem)
  const both = [best.name, other?.name ?? null]
  const [left, right] = best.side === 'left' ? both : [both[1], both[0]]
  return { left, right }
}

/**
 * Guesses the unit from the columns' names, otherwise mm if the sizes are possible for a pupil: px and arbitrary units
 * are larger.
 */
function unitOf(table: TableHead, names: string[]): PupilUnit | null {
  const plain = names.map(plainName)
  if (plain.every((name) => /mm(?!2|_2)|mapped/.test(name))) return 'mm'
  if (plain.every((name) => /px|pix/.test(name))) return 'px'
  if (plain.every((name) => /area/.test(name))) return 'area_au'
  const usual = median(table, names)
  return usual !== null && usual >= PUPIL_LEAST_MM && usual <= PUPIL_MOST_MM ? 'mm' : null
}

const [PUPIL_LEAST_MM, PUPIL_MOST_MM] = [1, 9.5]

function numbersAt({ rows, decimalMark }: TableHead, at: number): number[] {
  return rows.map((cells) => numberIn(cells[at] ?? '', decimalMark)).filter((value) => !Number.isNaN(value))
}

/** Returns whether a column holds numbers, or is empty, in the sampled rows. */
function holdsNumbers(table: TableHead, at: number): boolean {
  return numbersAt(table, at).length > 0 || table.rows.every((cells) => (cells[at] ?? '').trim() === '')
}

/** Returns the median of the values above 0 in some columns; null without any. */
function median(table: TableHead, names: (string | null)[]): number | null {
  const columns = names.flatMap((name) => (name === null ? [] : [table.header.indexOf(name)]))
  const values = columns.flatMap((at) => numbersAt(table, at)).filter((value) => value > 0)
  values.sort((a, b) => a - b)
  return values[values.length >> 1] ?? null
}
