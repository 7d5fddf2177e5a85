import {
  type ClicksByAoi,
  clicksByAoi,
  type FixationsByAoi,
  fixationsByAoi,
  type GazesByAoi,
  gazesByAoi,
} from '../../compute/aoi-grid.ts'
import { type Cells, column, fractions, type Rows, same, wholes } from '../../model/columns.ts'
import { itemsInOrder } from '../../model/output-order.ts'
import type { Plan } from '../../model/plan.ts'
import { type ColumnsOf, sized } from '../../model/struct.ts'
import type { Item, Study } from '../../model/study.ts'
import { AOI_DEGREES, aoiDegrees } from '../columns/aoi-degrees.ts'
import { aoiCells, aoiColumns, describeAois } from '../columns/aoi-identity.ts'
import type { ExportEntry } from '../columns/export-entry.ts'
import { ITEM_IDENTITY, identityCells } from '../columns/identity.ts'
import { NO_NOTES, NOTES } from '../columns/notes.ts'
import { FIXATION_FILTER } from './fixations.ts'
import { meanMs } from './mean-ms.ts'

const SHARE = '% of participants'
const OVER_FIXATED = 'over tests with a fixation'
/** True, since sums over a whole study may need more than 32 bits. */
const LARGE = { isLarge: true }

/**
 * Sums over the tests of an item in a shard: columns with one value for each AOI, in the order of study.json. They are
 * whole µs and counts, so they are exact in any order. Those of a shard stay far below 2^53; those of a study may not.
 */
const SUMS = {
  fixationCount: Float64Array,
  fixationTests: Float64Array,
  ttffUs: Float64Array,
  fixationTimeUs: Float64Array,
  firstDurationUs: Float64Array,
  revisits: Float64Array,
  gazeCount: Float64Array,
  gazeTests: Float64Array,
  firstGazeUs: Float64Array,
  gazeTimeUs: Float64Array,
  clickCount: Float64Array,
  clickTests: Float64Array,
  firstClickUs: Float64Array,
  /** Tests with a valid gaze sample and a geometry, and sums of angles over them, in whole millionths of a degree. */
  sizeTests: Float64Array,
  widthUdeg: Float64Array,
  heightUdeg: Float64Array,
}
type ItemSums = ColumnsOf<typeof SUMS> & {
  /** Participants with a valid gaze sample on the item; a single value. */
  participants: Distinct
  fixationParticipants: Distinct
  gazeParticipants: Distinct
}

/**
 * Distinct participants. Tests of an item are ordered by participant, so comparing with the previous one is enough.
 * `first` and `last` are participant indexes, -1 for none, with which a participant whose tests span two shards is
 * recognised.
 */
type Distinct = { count: Float64Array; first: Int32Array; last: Int32Array }

/** Names and positions of its columns are fixed: test/engine/exports/fixed-columns.test.ts. */
export const aoiOverallStats: ExportEntry = {
  name: 'aoi-overall-stats',
  path: 'eye-tracking/aois-all/overall-stats',
  variant: null,
  title: 'AOI overall stats',
  rowPer: 'item and AOI',
  listed: [...FIXATION_FILTER, 'participantQualityGradeItemMin'],
  takesWindow: true,
  columns: [
    ...ITEM_IDENTITY,
    column(
      'participant_count',
      'int',
      'participants',
      'Participants with a valid gaze sample on the item, after the grade filter',
    ),
    ...aoiColumns('aoi_size_overall_percents'),
    column('aoi_fixation_total_count', 'int', 'fixations', 'Fixations in the AOI', null, LARGE),
    column('aoi_fixation_average_ttff_ms', 'int', 'ms', 'Mean time to first fixation, over tests with one', ''),
    column('aoi_fixation_average_total_time_spent_ms', 'int', 'ms', `Mean total time spent, ${OVER_FIXATED}`, ''),
    column('aoi_fixation_average_fixation_duration_ms', 'int', 'ms', 'Mean duration of all fixations in the AOI', ''),
    column(
      'aoi_fixation_average_first_fixation_duration_ms',
      'int',
      'ms',
      'Mean duration of the first fixation, over tests with one',
      '',
    ),
    column('aoi_fixation_participant_ratio_percents', 'number', SHARE, 'Participants with a fixation in the AOI', ''),
    column('aoi_gaze_total_count', 'int', 'gazes', 'Gaze samples in the AOI', null, LARGE),
    column(
      'aoi_gaze_average_time_to_first_gaze_at_ms',
      'int',
      'ms',
      'Mean time to first gaze, over tests with one',
      '',
    ),
    column(
      'aoi_gaze_average_total_time_spent_ms',
      'int',
      'ms',
      'Mean total time of gazes in the AOI, over tests with one',
      '',
    ),
    column('aoi_gaze_participant_ratio_percents', 'number', SHARE, 'Participants with a gaze in the AOI', ''),
    column(
      'aoi_average_revisits_count',
      'number',
      'visits',
      `Mean number of visits after the first, ${OVER_FIXATED}`,
      '',
    ),
    column('aoi_click_total_count', 'int', 'clicks', 'Clicks in the AOI', null, LARGE),
    column(
      'aoi_click_average_time_to_first_click_ms',
      'int',
      'ms',
      'Mean time to first click, over tests with one',
      '',
    ),
    NOTES,
  ],
  extras: { degrees: AOI_DEGREES },
  needsAois: true,
  reads: ['gazeXPx', 'gazeYPx', 'scrollYPx', 'clicks'],
  estimateBytes: ({ aois, aoiBytes }) => aois * 400 + aoiBytes,
  kind: 'sums',
  addTest: (run, context, sums) => {
    const { item, test } = run.identity
    const { n } = context.aoisOf(item)
    if (n === 0) return
    if (!sums.has(item.id)) sums.set(item.id, noSums(n))
    const sum = sums.get(item.id) as ItemSums
    const grid = context.aoiGridOf(item)
    const gaze = context.gazeOf(run)
    if (gaze.n > 0) addParticipant(sum.participants, 0, test.participantIndex)
    addFixations(sum, fixationsByAoi(grid, context.fixationsOf(run, gaze)), test.participantIndex)
    addGazes(sum, gazesByAoi(grid, gaze, context.window), test.participantIndex)
    if (gaze.n > 0 && context.plan.parameters.extras) addSizes(sum, aoiDegrees(run, context))
    addClicks(sum, clicksByAoi(grid, run.samples, test.display, context.window))
  },
  combine: (study, plan, packed) => {
    const parts = [...packed]
    return chosenItems(study, plan).flatMap((item): Rows[] => {
      const own = parts.flatMap((part) => (part.get(item.id) as ItemSums | undefined) ?? [])
      const aois = describeAois(study.aois, item)
      if (aois.n === 0) return []
      const participantCount = countDistinct(own, 'participants', 0)
      const cells = [
        ...identityCells(ITEM_IDENTITY, { studyId: study.id, item }),
        same(participantCount),
        ...aoiCells(aois),
        ...sumCells(own, aois.n, participantCount),
        ...(plan.parameters.extras ? sizeCells(own, aois.n) : []),
        NO_NOTES,
      ]
      return [{ n: aois.n, cells }]
    })
  },
}

function chosenItems(study: Study, { parameters: { itemId } }: Plan): Item[] {
  return itemsInOrder(study).filter(({ id }) => !itemId || id === itemId)
}

/** Returns the cells of the AOIs of an item, from the merged sums. */
function sumCells(parts: ItemSums[], n: number, participantCount: number): Cells[] {
  const perAoi = (value: (a: number) => number) => Float64Array.from({ length: n }, (_, a) => value(a))
  const count = (name: SumName) => perAoi((a) => parts.reduce((sum, part) => sum + part[name][a], 0))
  const means = (name: SumName, counts: Float64Array) =>
    wholes(
      perAoi((a) =>
        meanMs(
          parts.reduce((sum, part) => sum + BigInt(part[name][a]), 0n),
          counts[a],
        ),
      ),
    )
  const ratios = (name: 'fixationParticipants' | 'gazeParticipants') =>
    fractions(perAoi((a) => (100 * countDistinct(parts, name, a)) / participantCount))
  const [fixationTests, gazeTests] = [count('fixationTests'), count('gazeTests')]
  const [fixationCount, revisits] = [count('fixationCount'), count('revisits')]
  return [
    wholes(fixationCount),
    means('ttffUs', fixationTests),
    means('fixationTimeUs', fixationTests),
    means('fixationTimeUs', fixationCount),
    means('firstDurationUs', fixationTests),
    ratios('fixationParticipants'),
    wholes(count('gazeCount')),
    means('firstGazeUs', gazeTests),
    means('gazeTimeUs', gazeTests),
    ratios('gazeParticipants'),
    fractions(revisits.map((sum, a) => sum / fixationTests[a])),
    wholes(count('clickCount')),
    means('firstClickUs', count('clickTests')),
  ]
}

/** Returns the cells of the mean angles of the AOIs of an item. */
function sizeCells(parts: ItemSums[], n: number): Cells[] {
  const sum = (name: SumName, a: number) => parts.reduce((total, part) => total + part[name][a], 0)
  const mean = (name: SumName) =>
    fractions(Float64Array.from({ length: n }, (_, a) => sum(name, a) / 1e6 / sum('sizeTests', a)))
  return [mean('widthUdeg'), mean('heightUdeg')]
}

/** Columns that are sums. */
type SumName = keyof typeof SUMS

type DistinctName = 'participants' | 'fixationParticipants' | 'gazeParticipants'

/**
 * Counts distinct participants over all shards; a participant whose tests span two shards counts once.
 *
 * @param parts in the order of tests
 */
function countDistinct(parts: ItemSums[], name: DistinctName, a: number): number {
  let count = 0
  let lastOne = -1
  for (const { [name]: part } of parts) {
    if (part.count[a] === 0) continue
    count += part.count[a] - (part.first[a] === lastOne ? 1 : 0)
    lastOne = part.last[a]
  }
  return count
}

function addParticipant({ count, first, last }: Distinct, a: number, participant: number): void {
  if (last[a] === participant) return
  if (count[a]++ === 0) first[a] = participant
  last[a] = participant
}

function addFixations(sum: ItemSums, inTest: FixationsByAoi, participant: number): void {
  const { count, firstStartUs, totalUs, firstDurationUs, revisits } = inTest
  for (let a = 0; a < count.length; a++) {
    if (count[a] === 0) continue
    sum.fixationCount[a] += count[a]
    sum.fixationTests[a]++
    sum.ttffUs[a] += firstStartUs[a]
    sum.fixationTimeUs[a] += totalUs[a]
    sum.firstDurationUs[a] += firstDurationUs[a]
    sum.revisits[a] += revisits[a]
    addParticipant(sum.fixationParticipants, a, participant)
  }
}

function addGazes(sum: ItemSums, { count, firstUs, totalUs }: GazesByAoi, participant: number): void {
  for (let a = 0; a < count.length; a++) {
    if (count[a] === 0) continue
    sum.gazeCount[a] += count[a]
    sum.gazeTests[a]++
    sum.firstGazeUs[a] += firstUs[a]
    sum.gazeTimeUs[a] += totalUs[a]
    addParticipant(sum.gazeParticipants, a, participant)
  }
}

function addSizes(sum: ItemSums, { width, height }: ReturnType<typeof aoiDegrees>): void {
  for (let a = 0; a < width.length; a++) {
    if (Number.isNaN(width[a])) continue
    sum.sizeTests[a]++
    sum.widthUdeg[a] += Math.round(width[a] * 1e6)
    sum.heightUdeg[a] += Math.round(height[a] * 1e6)
  }
}

function addClicks(sum: ItemSums, { count, firstUs }: ClicksByAoi): void {
  for (let a = 0; a < count.length; a++) {
    if (count[a] === 0) continue
    sum.clickCount[a] += count[a]
    sum.clickTests[a]++
    sum.firstClickUs[a] += firstUs[a]
  }
}

function noSums(n: number): ItemSums {
  const [participants, fixationParticipants, gazeParticipants] = [1, n, n].map(noParticipants)
  return { ...sized(SUMS, n), participants, fixationParticipants, gazeParticipants }
}

function noParticipants(n: number): Distinct {
  return { count: new Float64Array(n), first: new Int32Array(n).fill(-1), last: new Int32Array(n).fill(-1) }
}
