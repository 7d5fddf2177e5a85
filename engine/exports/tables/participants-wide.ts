import { fixationsByAoi } from '../../compute/aoi-grid.ts'
import { type Cells, type Column, column, fractions, type Rows, type Value, wholes } from '../../model/columns.ts'
import { aoisByItem, itemsInOrder } from '../../model/output-order.ts'
import type { Item, Study } from '../../model/study.ts'
import { personalColumns } from '../columns/columns-of.ts'
import type { ExportEntry, Sums } from '../columns/export-entry.ts'
import { type FixedColumn, type TestIdentity, WHO } from '../columns/identity.ts'
import { NO_NOTES, NOTES } from '../columns/notes.ts'
import { asPlain, valueCells } from '../columns/person-cells.ts'
import { type StudyFacts, studyOf } from '../columns/study-facts.ts'
import { FIXATION_FILTER } from './fixations.ts'
import { meanMs } from './mean-ms.ts'
import { addRecord, addToSums, type ItemSums, noRecords, type Records, recordsIn } from './participant-records.ts'
import { variableNames } from './variable-names.ts'

/** A participant; `who` has the values about them. */
type Person = { index: number; who: Value[] }
/** A participant with the sums over their tests, by item id. */
type PersonSums = Person & { items: Map<string, ItemSums> }

/** A measure of a participant on an item, or in one of its AOIs; NaN without a value. */
type Measure = Pick<Column, 'type' | 'unit' | 'meaning'> & { prefix: string; of: (sums: ItemSums, a: number) => number }

const PER_TEST = 'mean over the tests of the item, if there are several'

const OF_ITEM: Measure[] = [
  { prefix: 'item_tests', type: 'int', unit: 'tests', meaning: 'Tests', of: ({ tests }) => tests },
  {
    prefix: 'item_fixations',
    type: 'number',
    unit: 'fixations',
    meaning: `Fixations, ${PER_TEST}`,
    of: ({ fixationCount, tests }) => fixationCount / tests,
  },
  {
    prefix: 'item_fixation_ms',
    type: 'int',
    unit: 'ms',
    meaning: 'Mean duration of a fixation',
    of: ({ fixationUs, fixationCount }) => meanMs(BigInt(fixationUs), fixationCount),
  },
]

const OF_AOI: Measure[] = [
  {
    prefix: 'seen',
    type: 'number',
    unit: 'share of tests',
    meaning: '1 with a fixation in the AOI, 0 without; of several tests the share with one',
    of: ({ seenTests, tests }, a) => seenTests[a] / tests,
  },
  {
    prefix: 'ttff_ms',
    type: 'int',
    unit: 'ms',
    meaning: 'Time to first fixation from item onset, mean over tests with one',
    of: ({ ttffUs, seenTests }, a) => meanMs(BigInt(ttffUs[a]), seenTests[a]),
  },
  {
    prefix: 'dwell_ms',
    type: 'int',
    unit: 'ms',
    meaning: `Sum of the durations of the fixations in the AOI, ${PER_TEST}`,
    of: ({ totalUs, tests }, a) => meanMs(BigInt(totalUs[a]), tests),
  },
  {
    prefix: 'fixations',
    type: 'number',
    unit: 'fixations',
    meaning: `Fixations in the AOI, ${PER_TEST}`,
    of: ({ count, tests }, a) => count[a] / tests,
  },
  {
    prefix: 'first_ms',
    type: 'int',
    unit: 'ms',
    meaning: 'Duration of the first fixation in the AOI, mean over tests with one',
    of: ({ firstDurationUs, seenTests }, a) => meanMs(BigInt(firstDurationUs[a]), seenTests[a]),
  },
  {
    prefix: 'revisits',
    type: 'number',
    unit: 'visits',
    meaning: 'Visits of the AOI after the first, mean over tests with a fixation in it',
    of: ({ revisits, seenTests }, a) => revisits[a] / seenTests[a],
  },
]

/** A column of measures: its item, AOI and measure. */
type Place = { item: Item; aoi: number; measure: Measure; column: Column }

/**
 * One row for each participant, with the measures of every item and AOI in columns: the layout that JASP, jamovi and
 * SPSS expect for repeated measures.
 */
export const participantsWide: ExportEntry = {
  name: 'participants-wide',
  path: 'eye-tracking/participants-wide',
  variant: null,
  title: 'Wide table of participants',
  rowPer: 'participant, with items and AOIs in columns',
  listed: [...FIXATION_FILTER, 'participantQualityGradeItemMin'],
  takesWindow: true,
  columns: [...WHO.map(asPlain), NOTES],
  ownColumns: (facts) => [...personalColumns(facts).map(asPlain), ...measureColumns(facts)],
  needsAois: true,
  reads: ['gazeXPx', 'gazeYPx', 'scrollYPx'],
  estimateBytes: ({ tests, aoiTests, aois }) => tests * (400 + 2 * aois) + aoiTests * 80 + aois * 400,
  kind: 'sums',
  addTest: (run, context, sums) => {
    const { item, participant, test } = run.identity
    const person = test.participantIndex
    const who = () => [...WHO, ...personalColumns(context.facts)].map((each) => each.value(run.identity))
    if (!sums.has(participant.id)) sums.set(participant.id, { index: person, who: who() } satisfies Person)
    const records = (sums.get(RECORDS) ?? noRecords()) as Records
    sums.set(RECORDS, records)
    const fixations = context.fixationsOf(run, context.gazeOf(run))
    addRecord(records, { person, item: item.id, fixations, of: fixationsByAoi(context.aoiGridOf(item), fixations) })
  },
  combine: function* ({ aois }, _plan, parts, facts) {
    const people = peopleIn(parts)
    const places = placesOf(facts)
    const who = [...WHO, ...personalColumns(facts)]
    const aoisOf = aoisByItem(aois)
    const sumsOf = ({ tests, ...person }: PersonTests): PersonSums => {
      const items = new Map<string, ItemSums>()
      for (const { records, at } of tests) addToSums(items, records, at, (item) => aoisOf.get(item)?.length ?? 0)
      return { ...person, items }
    }
    const atOnce = Math.max(1, Math.floor(CELLS_AT_ONCE / (places.length + who.length)))
    for (let from = 0; from < people.length; from += atOnce)
      yield rowsOf(people.slice(from, from + atOnce).map(sumsOf), who, places)
  },
}

/** Key of the records among the sums; the others are ids of participants. */
const RECORDS = ''

const CELLS_AT_ONCE = 1 << 19

function rowsOf(people: PersonSums[], who: FixedColumn<TestIdentity>[], places: Place[]): Rows {
  const own = who.map((column, c) =>
    valueCells(
      column,
      people.map(({ who }) => who[c]),
    ),
  )
  const measured = places.map(({ item, aoi, measure }): Cells => {
    const values = Float64Array.from(people, ({ items }) =>
      items.has(item.id) ? measure.of(items.get(item.id)!, aoi) : measure === OF_ITEM[0] ? 0 : Number.NaN,
    )
    return measure.type === 'int' ? wholes(values) : fractions(values)
  })
  return { n: people.length, cells: [...own, ...measured, NO_NOTES] }
}

/** A participant, and where the records of their tests are. */
type PersonTests = Person & { tests: { records: Records; at: number }[] }

/** Collects the participants of all shards, in order, since tests of one participant may be in several. */
function peopleIn(parts: Iterable<Sums>): PersonTests[] {
  const people = new Map<number, PersonTests>()
  for (const part of parts) {
    const records = part.get(RECORDS) as Records | undefined
    if (records === undefined) continue
    for (const [key, person] of part as Map<string, Person>)
      if (key !== RECORDS && !people.has(person.index)) people.set(person.index, { ...person, tests: [] })
    for (const { person, at } of recordsIn(records)) people.get(person)!.tests.push({ records, at })
  }
  return [...people.values()].sort((a, b) => a.index - b.index)
}

/** Returns the columns of measures of a study; without a study, one column for all with the same prefix. */
function measureColumns(facts: StudyFacts): Column[] {
  if (studyOf(facts)) return placesOf(facts).map(({ column }) => column)
  return [...OF_ITEM, ...OF_AOI].map(({ prefix, type, unit, meaning }) =>
    column(`${prefix}__*`, type, unit, meaning, prefix === OF_ITEM[0].prefix ? null : ''),
  )
}

const known = new WeakMap<Study, Place[]>()

/** Returns the columns of measures of a study, by item in the order of output; empty on a thread, without the study. */
function placesOf(facts: StudyFacts): Place[] {
  const study = studyOf(facts)
  if (!study) return []
  const made = known.get(study) ?? makePlaces(study)
  known.set(study, made)
  return made
}

function makePlaces(study: Study): Place[] {
  const items = itemsInOrder(study)
  const itemNames = variableNames(
    items.map(({ filename }) => filename.replace(/\.[^.]*$/, '')),
    'item',
  )
  const aoisOf = aoisByItem(study.aois)
  return items.flatMap((item, i) => {
    const aois = aoisOf.get(item.id) ?? []
    const aoiNames = variableNames(
      aois.map(({ name }) => name),
      'aoi',
    )
    const place = (measure: Measure, aoi: number): Place => {
      const { prefix, type, unit, meaning } = measure
      const names = aoi < 0 ? [prefix, itemNames[i]] : [prefix, itemNames[i], aoiNames[aoi]]
      const where = aoi < 0 ? `item ${item.filename}` : `AOI ${aois[aoi].name}, item ${item.filename}`
      const missing = measure === OF_ITEM[0] ? null : ''
      return { item, aoi, measure, column: column(names.join('__'), type, unit, `${meaning}: ${where}`, missing) }
    }
    return [
      ...OF_ITEM.map((measure) => place(measure, -1)),
      ...aois.flatMap((_, a) => OF_AOI.map((measure) => place(measure, a))),
    ]
  })
}
