import { type DistinctTimes, distinctTimes } from '../../compute/distinct-times.ts'
import type { Fixations } from '../../compute/fixation-list.ts'
import type { Gaze } from '../../compute/gaze.ts'
import { measureGaze } from '../../compute/grade.ts'
import type { ScreenGeometry } from '../../compute/quality/degrees.ts'
import {
  type InUnits,
  measureAccuracy,
  measureClicks,
  measureGaps,
  measurePrecision,
  measureSampling,
} from '../../compute/quality/measure-quality.ts'
import type { Precision } from '../../compute/quality/precision.ts'
import { clearScratch } from '../../compute/quality/scratch.ts'
import { type Column, column, same, type Value } from '../../model/columns.ts'
import type { Recording, Test } from '../../model/study.ts'
import { roundToMs } from '../../text/numbers.ts'
import type { ExportEntry } from '../columns/export-entry.ts'
import { ITEM_PARTICIPANT_TEST, identityCells } from '../columns/identity.ts'
import { NO_NOTES, NOTES } from '../columns/notes.ts'
import type { TestRun } from '../columns/test-context.ts'
import { FIXATION_FILTER } from './fixations.ts'

const UNITS = [
  ['percents', '% of the displayed item'],
  ['px', 'px'],
  ['deg', '°'],
] as const

function inUnits(name: string, meaning: string): Column[] {
  return UNITS.map(([suffix, unit]) => column(`${name}_${suffix}`, 'number', unit, meaning, ''))
}

function precisionColumns(group: 'fixation' | 'window', over: string): Column[] {
  const name = `precision_${group}`
  return [
    ...inUnits(`${name}_rms_s2s`, `Precision: root mean square of steps between samples, median over ${over}`),
    ...inUnits(`${name}_std`, `Precision: standard deviation of positions, median over ${over}`),
    ...inUnits(`${name}_bcea68`, `Precision: area of the ellipse of 68 %, median over ${over}`).map((each) => ({
      ...each,
      name: `${each.name}2`,
      unit: `(${each.unit})²`,
    })),
  ]
}

const number = (name: string, unit: string, meaning: string) => column(name, 'number', unit, meaning, '')

export const qualityStats: ExportEntry = {
  name: 'quality-stats',
  path: 'eye-tracking/quality-stats',
  variant: null,
  title: 'Data quality',
  rowPer: 'test',
  listed: FIXATION_FILTER,
  columns: [
    ...ITEM_PARTICIPANT_TEST,
    column('sample_count', 'int', 'samples', 'Samples from item onset on'),
    column('valid_sample_count', 'int', 'samples', 'Those of them with gaze'),
    number('data_loss_percents', '% of samples', 'Share of samples without gaze'),
    number('sampling_rate_hz', 'Hz', 'Valid samples a second, as the quality grade takes it'),
    number('sample_interval_median_ms', 'ms', 'Median step between distinct times of samples'),
    number('sample_interval_p99_ms', 'ms', '99th percentile of these steps'),
    number('nominal_sampling_rate_hz', 'Hz', "The recording's, as the study gives it"),
    number(
      'sampling_rate_deviation_percents',
      '% of the nominal rate',
      'How far the rate of the median step is from the nominal one',
    ),
    number(
      'data_integrity_percents',
      '% of the test',
      'Share of the test without gaps above 50 ms, as the quality grade takes it',
    ),
    column('gap_count', 'int', 'gaps', 'Gaps between valid samples above 50 ms, with lead-in and tail'),
    column('gap_longest_ms', 'int', 'ms', 'The longest step between valid samples, with lead-in and tail'),
    number('gaze_on_screen_percents', '% of valid samples', 'Share of valid samples inside the browser window'),
    column('fixation_count', 'int', 'fixations', 'Fixations of the test'),
    number('fixation_time_percents', '% of the time with gaze', 'Their share of the time that has gaze'),
    ...precisionColumns('fixation', 'fixations'),
    ...precisionColumns('window', 'windows of 200 ms'),
    column('gaze_click_count', 'int', 'clicks', 'Clicks at a time that has gaze'),
    ...inUnits('gaze_click_distance_median', 'Median distance of gaze from these clicks'),
    column('participant_validation_count', 'int', 'validations', "The participant's validations with gaze"),
    number('participant_accuracy_mean_px', 'px', 'Mean distance of gaze from their targets'),
    number('participant_accuracy_mean_deg', '°', 'The same as an angle'),
    NOTES,
  ],
  needsValidations: true,
  reads: ['gazeXPx', 'gazeYPx', 'scrollYPx', 'clicks'],
  estimateBytes: ({ tests }) => tests * 700,
  kind: 'rows',
  compute: (run, context) => {
    const { samples, identity } = run
    const { test, participant } = identity
    clearScratch()
    const { recording } = context.facts
    const screen = recording && geometryOf(recording)
    const gaze = context.gazeOf(run)
    const times = distinctTimes(samples, gaze)
    const fixations = context.fixationsOf(run, gaze)
    const { display } = test
    const precision = display && measurePrecision(samples, gaze, times, fixations, display, screen)
    const clicks = display && measureClicks(samples, gaze, display, screen)
    const accuracy = measureAccuracy(context.validationsOf(participant), screen)
    const values = [
      ...samplingValues(run, gaze, times, recording?.nominalSamplingRateHz ?? Number.NaN),
      fixations.n,
      100 * fixationShare(gaze, fixations),
      ...precisionValues(precision?.fixations),
      ...precisionValues(precision?.windows),
      clicks?.count ?? 0,
      clicks?.percents,
      clicks?.px,
      clicks?.degrees,
      accuracy.count,
      accuracy.px,
      accuracy.degrees,
    ]
    return {
      n: 1,
      cells: [
        ...identityCells(ITEM_PARTICIPANT_TEST, identity),
        ...values.map((value) => same(known(value))),
        NO_NOTES,
      ],
    }
  },
}

function known(value: number | null | undefined): Value {
  return value === null || value === undefined || !Number.isFinite(value) ? null : value
}

/** Returns the geometry of a recording's screen; null where anything of it is not known. */
function geometryOf(recording: Recording): ScreenGeometry | null {
  const { screenWidthPx, screenHeightPx, screenWidthCm, screenHeightCm, viewingDistanceCm } = recording
  if (!screenWidthPx || !screenHeightPx || !screenWidthCm || !screenHeightCm || !viewingDistanceCm) return null
  return {
    widthPx: screenWidthPx,
    heightPx: screenHeightPx,
    widthCm: screenWidthCm,
    heightCm: screenHeightCm,
    distanceCm: viewingDistanceCm,
  }
}

/** Values of the columns from `sample_count` to `gaze_on_screen_percents`. */
function samplingValues({ samples, identity: { test } }: TestRun, gaze: Gaze, times: DistinctTimes, nominalHz: number) {
  const { sampleCount, validCount, intervalMedianUs, intervalP99Us } = measureSampling(samples, times)
  const { tUs, gazeXPx, gazeYPx, n } = samples
  const sums = measureGaze(tUs, gazeXPx, gazeYPx, 0, n, test.durationUs, windowOf(test))
  const gaps = measureGaps(gaze, sums.durationUs)
  const rateHz = sums.spanUs > 0 ? ((validCount - 1) / sums.spanUs) * 1e6 : 0
  const integrity = sums.durationUs > 0 ? 100 * (1 - sums.missingUs / sums.durationUs) : 0
  return [
    sampleCount,
    validCount,
    (100 * (sampleCount - validCount)) / sampleCount,
    validCount === 0 ? null : rateHz,
    intervalMedianUs / 1000,
    intervalP99Us / 1000,
    nominalHz,
    100 * (1e6 / intervalMedianUs / nominalHz - 1),
    Math.min(100, Math.max(0, integrity)),
    gaps.count,
    roundToMs(gaps.longestUs),
    (100 * sums.onScreenCount) / sums.windowedCount,
  ]
}

function windowOf({ browserWidthPx, browserHeightPx }: Test): { widthPx: number; heightPx: number } | null {
  return browserWidthPx === null || browserHeightPx === null
    ? null
    : { widthPx: browserWidthPx, heightPx: browserHeightPx }
}

function fixationShare({ segmentStart, segmentCount, tUs }: Gaze, { n, startUs, endUs }: Fixations): number {
  let [spanUs, fixatedUs] = [0, 0]
  for (let k = 0; k < segmentCount; k++) spanUs += tUs[segmentStart[k + 1] - 1] - tUs[segmentStart[k]]
  for (let f = 0; f < n; f++) fixatedUs += endUs[f] - startUs[f]
  return fixatedUs / spanUs
}

/** Values in the order of `precisionColumns`. */
function precisionValues(precision: InUnits<Precision> | null | undefined): (number | undefined)[] {
  const units = [precision?.percents, precision?.px, precision?.degrees]
  return (['rmsS2s', 'std', 'bcea68'] as const).flatMap((name) => units.map((values) => values?.[name]))
}
