import { isMissing } from '../../../isomorphic/missing-text.ts'
import { makeDraft } from '../draft/draft.ts'
import { type Naming, namedColumns } from '../reader/mapping.ts'
import { columnIn, tableHead } from '../text/foreign-table.ts'
import type { SourceFile } from '../text/source-files.ts'
import { forEachRow } from '../text/table-body.ts'
import { cellNumber, repeatedText, type TableRows } from '../text/table-rows.ts'
import { plainName } from './column-names.ts'
import { guessColumns } from './guess-columns.ts'
import { openRowFilter } from './row-filter.ts'

/** Findings about a table's columns, from which people choose conditions and thresholds. */
export type ColumnLook = {
  /** Columns with one value per participant, such as a condition, and those values. */
  conditions: { column: string; values: string[] }[]
  /** Columns that may hold the confidence of a gaze: for some thresholds, the percentage of gaze rows below each. */
  thresholds: { column: string; steps: { least: number; lostPercents: number }[] }[]
}

/** Largest numbers of values of a condition, and of participants, that are examined. */
const VALUES_MAX = 20
const PEOPLE_MAX = 10_000
const COLUMNS_MAX = 200
/** Names of facts about a person, which count even if each person has another value. */
const FACTS = /^(age|gender|sex|group|condition|cond|hand(edness)?|version|list)$/

const STEPS = 50
const SCALES = [1, 100]

/** Reads all rows of a table, in bounded memory. @param mapping the known or guessed meanings of its columns */
export async function lookAtColumns(file: SourceFile, mapping: Naming): Promise<ColumnLook> {
  const { header, decimalMark } = tableHead(file)!
  const at = (name: string | null | undefined) => (name == null ? -1 : columnIn(header, name))
  // Candidates for conditions are all columns, including those already chosen.
  const used = new Set(namedColumns({ ...mapping, tags: [], externalData: [] }).map(at))
  const person = repeatedText(at(mapping.participant))
  const conditions = header
    .slice(0, COLUMNS_MAX)
    .flatMap((name, column) => (used.has(column) || name.trim() === '' ? [] : [openCondition(name, column)]))
  const sure = [...new Set([...mapping.gaze.map(({ valid }) => at(valid?.column)), ...guessColumns(header).validity])]
  const thresholds = sure.filter((column) => column >= 0).map((column) => openThreshold(header[column], column))
  const eyes = mapping.gaze.map(({ x, y }) => [at(x), at(y)]).filter(([x, y]) => x >= 0 && y >= 0)
  const number = (rows: TableRows, cell: number) => cellNumber(rows, cell, decimalMark)
  const hasGaze = (rows: TableRows) =>
    eyes.some(([x, y]) => !Number.isNaN(number(rows, x)) && !Number.isNaN(number(rows, y)))
  const isSample = openRowFilter(header, mapping.rows)
  await forEachRow(file, makeDraft(''), (rows) => {
    if (!isSample(rows)) return
    const who = person(rows)
    for (const condition of conditions) condition.add(who, rows)
    if (thresholds.length > 0 && hasGaze(rows))
      for (const threshold of thresholds) threshold.add(number(rows, threshold.column))
  })
  return {
    conditions: conditions.flatMap((condition) => condition.found()),
    thresholds: thresholds.flatMap((threshold) => threshold.found()),
  }
}

/** Tracks a column as long as each participant has one value in it. */
function openCondition(name: string, column: number) {
  const text = repeatedText(column)
  const ofPeople = new Map<string, string>()
  const values = new Set<string>()
  let isOne = true
  return {
    add: (who: string, rows: TableRows): void => {
      if (!isOne) return
      const value = text(rows)
      const known = ofPeople.get(who)
      if (value === known || isMissing(value)) return
      if (known === undefined && ofPeople.size < PEOPLE_MAX) {
        ofPeople.set(who, value)
        values.add(value)
      }
      isOne = (known === undefined || known === value) && values.size <= VALUES_MAX
    },
    found: (): ColumnLook['conditions'] => {
      const isShared = values.size >= 2 && values.size < ofPeople.size
      const isFact = values.size >= 1 && FACTS.test(plainName(name))
      return isOne && (isShared || isFact) ? [{ column: name, values: [...values].sort() }] : []
    },
  }
}

/** Counts rows by the thresholds, from 0 to 1 and from 0 to 100, that their number reaches. */
function openThreshold(name: string, column: number) {
  const scales = SCALES.map((most) => ({
    steps: Array.from({ length: STEPS + 1 }, (_, i) => (i * most) / STEPS),
    reached: new Float64Array(STEPS + 2),
  }))
  const different = new Set<number>()
  let [n, least, most] = [0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  return {
    column,
    add: (value: number): void => {
      n++
      // Text that is not a number is below every threshold.
      for (const { steps, reached } of scales) reached[Number.isNaN(value) ? 0 : stepsUpTo(steps, value)]++
      if (Number.isNaN(value)) return
      least = Math.min(least, value)
      most = Math.max(most, value)
      if (different.size < 3) different.add(value)
    },
    found: (): ColumnLook['thresholds'] => {
      const scale = scales[SCALES.findIndex((largest) => most <= largest)]
      // A column of two numbers is a flag: valid or not.
      if (scale === undefined || least < 0 || different.size < 3) return []
      let lost = 0
      const steps = scale.steps.map((step, i) => {
        lost += scale.reached[i]
        return { least: step, lostPercents: (100 * lost) / n }
      })
      return [{ column: name, steps }]
    },
  }
}

/** Returns how many of the ascending thresholds a value reaches. */
function stepsUpTo(steps: number[], value: number): number {
  let [low, high] = [0, steps.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (steps[middle] <= value) low = middle + 1
    else high = middle
  }
  return low
}
