import { averageColumns, type Measure, READING_MEASURES } from '../../../isomorphic/measures.ts'
import type { Aoi, ReadingData } from '../../core/api.ts'
import { cellColor } from '../../core/colors/heat-colors.ts'
import { decimal, isolate, wholeText } from '../../core/number-texts.ts'
import type { Numbers } from '../../core/numbers-csv.ts'

type Word = ReadingData['words'][number]
/** Averages of a measure, by word. */
type Averages = ReadingData['measures'][number]

/** Percent of readers beyond whom a word counts as skipped by most. */
const MOST_PERCENT = 50

export const SKIPPED = 'word_skipped'

/** Returns the averages of a measure. */
export function averagesOf({ measures }: ReadingData, column: string): Averages {
  return measures.find((each) => each.column === column)!
}

/** Ends of the colours: 0 to 100 for percents, else the least and the greatest mean; null without values. */
export function colorEnds({ means }: Averages, { unit }: Measure): [least: number, greatest: number] | null {
  const known = means.filter((mean) => mean !== null)
  if (known.length === 0) return null
  return unit === '%' ? [0, 100] : [Math.min(...known), Math.max(...known)]
}

/** Place of the palest colour, which still stands out from the ground. */
const PALEST = 0.12

/** Returns the colour of a word by its place between the ends, 0 to 1. */
export function wordColor(share: number, isDark: boolean): string {
  return cellColor(PALEST + (1 - PALEST) * share, isDark)
}

/** A word as it is drawn. */
export type DrawnWord = {
  aoi: Aoi
  /** `1.7`. */
  place: string
  text: string
  /** Place of its mean between the ends, 0 to 1; null without a value. */
  share: number | null
  isSkippedByMost: boolean
  told: string
}

/** Returns the words that are among the AOIs, with what is drawn of a measure. */
export function drawnWords(data: ReadingData, measure: Measure, aois: Aoi[]): DrawnWord[] {
  const own = averagesOf(data, measure.column)
  const skipped = averagesOf(data, SKIPPED)
  const ends = colorEnds(own, measure)
  return data.words.flatMap((word, w) => {
    const aoi = aois.find(({ id }) => id === word.aoiId)
    if (aoi === undefined) return []
    const value = own.means[w]
    return [
      {
        aoi,
        place: placeOf(word),
        text: word.text,
        share: value === null || ends === null ? null : shareOf(value, ends),
        isSkippedByMost: (skipped.means[w] ?? 0) > MOST_PERCENT,
        told: `${placeOf(word)} ${isolate(word.text)}: ${averageText(own, w, measure)}`,
      },
    ]
  })
}

function shareOf(value: number, [least, greatest]: [number, number]): number {
  return greatest === least ? 1 : (value - least) / (greatest - least)
}

export function placeOf({ line, place }: Pick<Word, 'line' | 'place'>): string {
  return `${line}.${place}`
}

/** Returns a mean with its deviation and n: `259 ms (SD 61, n = 26)`. */
function averageText({ means, sds, n }: Averages, w: number, { unit }: Measure): string {
  const [value, spread] = [means[w], sds[w]]
  if (value === null) return 'no value'
  const sdText = spread === null ? '' : `SD ${decimal(spread)}, `
  return `${valueText(value, unit)} (${sdText}n = ${wholeText(n[w])})`
}

/** Describes a word in a sentence, with the measure that is shown and the others. */
export function wordSentence(data: ReadingData, w: number, shown: Measure): string {
  const others = READING_MEASURES.filter((each) => each !== shown)
  const told = [shown, ...others].map((each, i) => {
    const own = averagesOf(data, each.column)
    const value = i === 0 ? averageText(own, w, each) : valueText(own.means[w], each.unit)
    return `${each.label.toLowerCase()} ${value}`
  })
  return `word ${placeOf(data.words[w])}: ${told.join(', ')}.`
}

/** Returns a value with its unit: `259 ms`. */
export function valueText(value: number | null, unit: string): string {
  return value === null ? 'without a value' : `${decimal(value)} ${unit}`.trimEnd()
}

/** Returns a row for each word, with n, mean and deviation of each measure, as the analysis has them. */
export function wordNumbers(data: ReadingData): Numbers {
  const averages = READING_MEASURES.map(({ column }) => averagesOf(data, column))
  return {
    columns: [
      ...['line', 'place', 'word'],
      ...READING_MEASURES.flatMap((measure) => Object.values(averageColumns(measure))),
    ],
    rows: data.words.map(({ line, place, text }, w) => [
      ...[line, place, text],
      ...averages.flatMap(({ n, means, sds }) => [n[w], means[w], sds[w]]),
    ]),
  }
}
