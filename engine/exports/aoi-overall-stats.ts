import type { AoiFixationStats, AoiGazeStats } from '../compute/aoi.ts'
import { clicksByAoi, fixationsByAoi, gazesByAoi } from '../compute/aoi-grid.ts'
import { encode } from '../csv/cells.ts'
import { append, markNotes } from '../csv/sink.ts'
import type { ExportEntry, Sums } from '../registry.ts'
import { itemsInOrder } from '../select.ts'
import { aoiColumns } from './aoi-identity.ts'
import { prepareAois } from './context.ts'
import { FIXATION_FILTER } from './fixations.ts'
import { cellText, fixedPrefix, ITEM_IDENTITY } from './identity.ts'
import { NOTES } from './notes.ts'

/**
 * Sums of one AOI over tests: whole µs and counts, so that they are exact in any order; participants by id. A shard's sums
 * of µs stay far below 2^53, those of a study may not.
 */
type AoiSums<Us extends number | bigint> = {
  fixationCount: number
  fixationTests: number
  ttffUs: Us
  fixationTimeUs: Us
  firstDurationUs: Us
  revisits: number
  fixationParticipants: Set<string>
  gazeCount: number
  gazeTests: number
  firstGazeUs: Us
  gazeTimeUs: Us
  gazeParticipants: Set<string>
  clickCount: number
  clickTests: number
  firstClickUs: Us
}

/** Participants with a valid gaze sample on an item stand under this key, next to its AOIs' sums. */
const participantsOf = (itemId: string) => `participants ${itemId}`

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
  reads: ['gazeXPx', 'gazeYPx', 'scrollYPx', 'mouseXPx', 'mouseYPx', 'isClick'],
  estimateBytes: ({ aois, aoiBytes }) => aois * 400 + aoiBytes,
  kind: 'sums',
  addTest: (run, context, sums) => {
    const { item, participant, test } = run.identity
    const aois = context.aoisOf(item)
    if (aois.length === 0) return
    const gaze = context.gazeOf(run)
    const grid = context.aoiGridOf(item)
    const fixations = fixationsByAoi(grid, context.fixationsOf(run, gaze))
    const gazes = gazesByAoi(grid, gaze)
    const clicks = clicksByAoi(grid, run.samples, test.display)
    if (gaze.n > 0) participantSet(sums, item.id).add(participant.id)
    for (const [a, { aoi }] of aois.entries()) {
      const sum = sumsOf(sums, aoi.id, 0)
      addFixations(sum, fixations[a], participant.id)
      addGazes(sum, gazes[a], participant.id)
      if (clicks[a].count > 0) {
        sum.clickCount += clicks[a].count
        sum.clickTests++
        sum.firstClickUs += clicks[a].firstUs
      }
    }
  },
  writeRows: (snapshot, plan, parts, sink) => {
    const total = parts.reduce(addSums, new Map())
    for (const item of itemsInOrder(snapshot.study, plan.parameters.itemId ?? null)) {
      const participants = participantSet(total, item.id).size
      const itemPrefix = fixedPrefix(ITEM_IDENTITY, { studyId: snapshot.study.id, item }, plan.formulaGuard)
      for (const { aoi, prefix } of prepareAois(snapshot.study.aois, item, plan.formulaGuard)) {
        append(sink, itemPrefix)
        append(sink, encode(`${participants},`))
        append(sink, prefix)
        append(sink, encode(`${sumCells(sumsOf(total, aoi.id, 0n), participants).join(',')},`))
        markNotes(sink)
        append(sink, encode('\n'))
      }
    }
  },
}

function sumCells(sum: AoiSums<bigint>, participants: number): string[] {
  const ratio = (some: number) => cellText(participants === 0 ? null : (100 * some) / participants, false)
  return [
    String(sum.fixationCount),
    meanMs(sum.ttffUs, sum.fixationTests),
    meanMs(sum.fixationTimeUs, sum.fixationTests),
    meanMs(sum.fixationTimeUs, sum.fixationCount),
    meanMs(sum.firstDurationUs, sum.fixationTests),
    ratio(sum.fixationParticipants.size),
    String(sum.gazeCount),
    meanMs(sum.firstGazeUs, sum.gazeTests),
    meanMs(sum.gazeTimeUs, sum.gazeTests),
    ratio(sum.gazeParticipants.size),
    cellText(sum.fixationTests === 0 ? null : sum.revisits / sum.fixationTests, false),
    String(sum.clickCount),
    meanMs(sum.firstClickUs, sum.clickTests),
  ]
}

/** The mean in ms, rounded once, halves up, exactly: floor((sum / count + 500) / 1000). Sums are not negative. */
function meanMs(sumUs: bigint, count: number): string {
  if (count === 0) return ''
  return String((sumUs + 500n * BigInt(count)) / (1000n * BigInt(count)))
}

function addFixations(sum: AoiSums<number>, stats: AoiFixationStats, participantId: string): void {
  if (stats.count === 0) return
  sum.fixationCount += stats.count
  sum.fixationTests++
  sum.ttffUs += stats.firstStartUs
  sum.fixationTimeUs += stats.totalUs
  sum.firstDurationUs += stats.firstDurationUs
  sum.revisits += stats.revisits
  sum.fixationParticipants.add(participantId)
}

function addGazes(sum: AoiSums<number>, stats: AoiGazeStats, participantId: string): void {
  if (stats.count === 0) return
  sum.gazeCount += stats.count
  sum.gazeTests++
  sum.firstGazeUs += stats.firstUs
  sum.gazeTimeUs += stats.totalUs
  sum.gazeParticipants.add(participantId)
}

/** Adds a part to the total: numbers are added, sets united. */
function addSums(total: Sums, part: Sums): Sums {
  for (const [key, value] of part) {
    if (value instanceof Set) {
      const participants = (total.get(key) ?? new Set()) as Set<string>
      for (const id of value) participants.add(id)
      total.set(key, participants)
      continue
    }
    const sum = sumsOf(total, key, 0n) as Record<string, unknown>
    for (const [name, added] of Object.entries(value as AoiSums<number>)) {
      if (added instanceof Set) for (const id of added) (sum[name] as Set<string>).add(id)
      else if (typeof sum[name] === 'bigint') sum[name] = sum[name] + BigInt(added)
      else sum[name] = (sum[name] as number) + added
    }
  }
  return total
}

function participantSet(sums: Sums, itemId: string): Set<string> {
  const key = participantsOf(itemId)
  if (!sums.has(key)) sums.set(key, new Set())
  return sums.get(key) as Set<string>
}

function sumsOf<Us extends number | bigint>(sums: Sums, aoiId: string, zero: Us): AoiSums<Us> {
  if (!sums.has(aoiId)) sums.set(aoiId, noSums(zero))
  return sums.get(aoiId) as AoiSums<Us>
}

function noSums<Us extends number | bigint>(zero: Us): AoiSums<Us> {
  return {
    fixationCount: 0,
    fixationTests: 0,
    ttffUs: zero,
    fixationTimeUs: zero,
    firstDurationUs: zero,
    revisits: 0,
    fixationParticipants: new Set(),
    gazeCount: 0,
    gazeTests: 0,
    firstGazeUs: zero,
    gazeTimeUs: zero,
    gazeParticipants: new Set(),
    clickCount: 0,
    clickTests: 0,
    firstClickUs: zero,
  }
}
