import {
  type ClicksByAoi,
  clicksByAoi,
  type FixationsByAoi,
  fixationsByAoi,
  type GazesByAoi,
  gazesByAoi,
} from '../compute/aoi-grid.ts'
import { encode } from '../csv/cells.ts'
import { append, markNotes } from '../csv/sink.ts'
import type { ExportEntry } from '../registry.ts'
import { itemsInOrder } from '../select.ts'
import { aoiColumns } from './aoi-identity.ts'
import { prepareAois } from './context.ts'
import { FIXATION_FILTER } from './fixations.ts'
import { cellText, fixedPrefix, ITEM_IDENTITY } from './identity.ts'
import { NOTES } from './notes.ts'

/**
 * Sums over a shard's tests of an item: columns with a place for each AOI, in the order of study.json. Whole µs and counts, so
 * that they are exact in any order: a shard's stay far below 2^53, those of a study may not.
 */
type ItemSums = {
  /** With a valid gaze sample on the item: one place. */
  participants: Distinct
  fixationCount: Float64Array
  fixationTests: Float64Array
  ttffUs: Float64Array
  fixationTimeUs: Float64Array
  firstDurationUs: Float64Array
  revisits: Float64Array
  fixationParticipants: Distinct
  gazeCount: Float64Array
  gazeTests: Float64Array
  firstGazeUs: Float64Array
  gazeTimeUs: Float64Array
  gazeParticipants: Distinct
  clickCount: Float64Array
  clickTests: Float64Array
  firstClickUs: Float64Array
}

/**
 * How many participants, each counted once: an item's tests come participant by participant, so only the one before has to be
 * known. The first and the last by index, -1 for none; where a shard ends in the midst of a participant they tell.
 */
type Distinct = { count: Float64Array; first: Int32Array; last: Int32Array }

export const aoiOverallStats: ExportEntry = {
  name: 'aoi-overall-stats',
  path: 'eye-tracking/aois-all/overall-stats',
  variant: null,
  title: 'AOI overall stats',
  rowPer: 'item and AOI',
  listed: [...FIXATION_FILTER, 'participantQualityGradeItemMin'],
  columns: [
    ...ITEM_IDENTITY,
    {
      name: 'participant_count',
      type: 'int',
      unit: 'participants',
      meaning: 'Participants with a valid gaze sample on the item, after the grade filter',
      missing: null,
    },
    ...aoiColumns('aoi_size_overall_percents'),
    {
      name: 'aoi_fixation_total_count',
      type: 'int',
      unit: 'fixations',
      meaning: 'Fixations in the AOI',
      missing: null,
    },
    {
      name: 'aoi_fixation_average_ttff_ms',
      type: 'int',
      unit: 'ms',
      meaning: 'Mean time to first fixation, over tests with one',
      missing: '',
    },
    {
      name: 'aoi_fixation_average_total_time_spent_ms',
      type: 'int',
      unit: 'ms',
      meaning: 'Mean total time spent, over tests with a fixation',
      missing: '',
    },
    {
      name: 'aoi_fixation_average_fixation_duration_ms',
      type: 'int',
      unit: 'ms',
      meaning: 'Mean duration over all its fixations',
      missing: '',
    },
    {
      name: 'aoi_fixation_average_first_fixation_duration_ms',
      type: 'int',
      unit: 'ms',
      meaning: 'Mean duration of the first fixation, over tests with one',
      missing: '',
    },
    {
      name: 'aoi_fixation_participant_ratio_percents',
      type: 'number',
      unit: '% of participants',
      meaning: 'Participants with a fixation in the AOI',
      missing: '',
    },
    { name: 'aoi_gaze_total_count', type: 'int', unit: 'gazes', meaning: 'Gaze samples in the AOI', missing: null },
    {
      name: 'aoi_gaze_average_time_to_first_gaze_at_ms',
      type: 'int',
      unit: 'ms',
      meaning: 'Mean time to first gaze, over tests with one',
      missing: '',
    },
    {
      name: 'aoi_gaze_average_total_time_spent_ms',
      type: 'int',
      unit: 'ms',
      meaning: 'Mean time of its gazes, over tests with one',
      missing: '',
    },
    {
      name: 'aoi_gaze_participant_ratio_percents',
      type: 'number',
      unit: '% of participants',
      meaning: 'Participants with a gaze in the AOI',
      missing: '',
    },
    {
      name: 'aoi_average_revisits_count',
      type: 'number',
      unit: 'visits',
      meaning: 'Mean visits after the first, over tests with a fixation',
      missing: '',
    },
    { name: 'aoi_click_total_count', type: 'int', unit: 'clicks', meaning: 'Clicks in the AOI', missing: null },
    {
      name: 'aoi_click_average_time_to_first_click_ms',
      type: 'int',
      unit: 'ms',
      meaning: 'Mean time to first click, over tests with one',
      missing: '',
    },
    NOTES,
  ],
  reads: ['gazeXPx', 'gazeYPx', 'scrollYPx', 'clicks'],
  estimateBytes: ({ aois, aoiBytes }) => aois * 400 + aoiBytes,
  kind: 'sums',
  addTest: (run, context, sums) => {
    const { item, test } = run.identity
    const { length: n } = context.aoisOf(item)
    if (n === 0) return
    if (!sums.has(item.id)) sums.set(item.id, noSums(n))
    const sum = sums.get(item.id) as ItemSums
    const grid = context.aoiGridOf(item)
    const gaze = context.gazeOf(run)
    if (gaze.n > 0) addParticipant(sum.participants, 0, test.participantIndex)
    addFixations(sum, fixationsByAoi(grid, context.fixationsOf(run, gaze)), test.participantIndex)
    addGazes(sum, gazesByAoi(grid, gaze), test.participantIndex)
    addClicks(sum, clicksByAoi(grid, run.samples, test.display))
  },
  writeRows: (snapshot, plan, parts, sink) => {
    for (const item of itemsInOrder(snapshot.study, plan.parameters.itemId ?? null)) {
      const own = parts.flatMap((part) => (part.get(item.id) as ItemSums | undefined) ?? [])
      const participantCount = countDistinct(own, 'participants', 0)
      const itemPrefix = fixedPrefix(ITEM_IDENTITY, { studyId: snapshot.study.id, item }, plan.formulaGuard)
      for (const [a, { prefix }] of prepareAois(snapshot.study.aois, item, plan.formulaGuard).entries()) {
        append(sink, itemPrefix)
        append(sink, encode(`${participantCount},`))
        append(sink, prefix)
        append(sink, encode(`${sumCells(own, a, participantCount).join(',')},`))
        markNotes(sink)
        append(sink, encode('\n'))
      }
    }
  },
}

/** The cells of AOI `a`, of its item's sums from all shards. */
function sumCells(parts: ItemSums[], a: number, participantCount: number): string[] {
  const count = (name: SumName) => parts.reduce((sum, part) => sum + part[name][a], 0)
  const meanOf = (name: SumName, n: number) =>
    meanMs(
      parts.reduce((sum, part) => sum + BigInt(part[name][a]), 0n),
      n,
    )
  const ratio = (name: 'fixationParticipants' | 'gazeParticipants') => {
    const some = countDistinct(parts, name, a)
    return cellText(participantCount === 0 ? null : (100 * some) / participantCount, false)
  }
  const fixationTests = count('fixationTests')
  return [
    String(count('fixationCount')),
    meanOf('ttffUs', fixationTests),
    meanOf('fixationTimeUs', fixationTests),
    meanOf('fixationTimeUs', count('fixationCount')),
    meanOf('firstDurationUs', fixationTests),
    ratio('fixationParticipants'),
    String(count('gazeCount')),
    meanOf('firstGazeUs', count('gazeTests')),
    meanOf('gazeTimeUs', count('gazeTests')),
    ratio('gazeParticipants'),
    cellText(fixationTests === 0 ? null : count('revisits') / fixationTests, false),
    String(count('clickCount')),
    meanOf('firstClickUs', count('clickTests')),
  ]
}

/** The columns that are sums. */
type SumName = { [Name in keyof ItemSums]: ItemSums[Name] extends Float64Array ? Name : never }[keyof ItemSums]

type DistinctName = 'participants' | 'fixationParticipants' | 'gazeParticipants'

/** @param parts in the order of tests */
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

/** The mean in ms, rounded once, halves up, exactly: floor((sum / count + 500) / 1000). Sums are not negative. */
function meanMs(sumUs: bigint, count: number): string {
  if (count === 0) return ''
  return String((sumUs + 500n * BigInt(count)) / (1000n * BigInt(count)))
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

function addClicks(sum: ItemSums, { count, firstUs }: ClicksByAoi): void {
  for (let a = 0; a < count.length; a++) {
    if (count[a] === 0) continue
    sum.clickCount[a] += count[a]
    sum.clickTests[a]++
    sum.firstClickUs[a] += firstUs[a]
  }
}

function noSums(n: number): ItemSums {
  return {
    participants: noParticipants(1),
    fixationCount: new Float64Array(n),
    fixationTests: new Float64Array(n),
    ttffUs: new Float64Array(n),
    fixationTimeUs: new Float64Array(n),
    firstDurationUs: new Float64Array(n),
    revisits: new Float64Array(n),
    fixationParticipants: noParticipants(n),
    gazeCount: new Float64Array(n),
    gazeTests: new Float64Array(n),
    firstGazeUs: new Float64Array(n),
    gazeTimeUs: new Float64Array(n),
    gazeParticipants: noParticipants(n),
    clickCount: new Float64Array(n),
    clickTests: new Float64Array(n),
    firstClickUs: new Float64Array(n),
  }
}

function noParticipants(n: number): Distinct {
  return { count: new Float64Array(n), first: new Int32Array(n).fill(-1), last: new Int32Array(n).fill(-1) }
}
