import { type DistinctTimes, distinctTimes } from '../../compute/distinct-times.ts'
import { gazeOfEye } from '../../compute/eyes.ts'
import type { Fixations } from '../../compute/fixation-list.ts'
import type { Gaze } from '../../compute/gaze.ts'
import { measureGaze } from '../../compute/grade.ts'
import { geometryOf, type ScreenGeometry } from '../../compute/quality/degrees.ts'
import { blinksPerMinute, lossPercents, measureDisparity } from '../../compute/quality/measure-eyes.ts'
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
import { EYE_PAIRS, type EyeColumn, type Eyes } from '../../model/eye-columns.ts'
import type { Test } from '../../model/study.ts'
import { roundToMs } from '../../text/numbers.ts'
import type { ExportEntry } from '../columns/export-entry.ts'
import { ITEM_PARTICIPANT_TEST } from '../columns/identity.ts'
import type { StudyFacts } from '../columns/study-facts.ts'
import type { ExportContext, TestRun } from '../columns/test-context.ts'
import { BLINK_SETTINGS, pupilOf } from '../columns/test-pupil.ts'
import { exportOfTests } from '../columns/test-rows-export.ts'
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

export const qualityStats: ExportEntry = exportOfTests(ITEM_PARTICIPANT_TEST, {
  name: 'quality-stats',
  path: 'eye-tracking/quality-stats',
  title: 'Data quality',
  rowPer: 'test',
  listed: FIXATION_FILTER,
  listedIfChanged: BLINK_SETTINGS,
  columns: [
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
  ],
  ownColumns: ({ eyes }) => eyeMeasures(eyes).flatMap(({ columns }) => columns),
  needsValidations: true,
  reads: ['gazeXPx', 'gazeYPx', 'scrollYPx', 'clicks', ...EYE_PAIRS.flat(), 'leftPupil', 'rightPupil'],
  estimateBytes: ({ tests }) => tests * 700,
  compute: (run, context) => {
    const { samples, identity } = run
    const { test, participant } = identity
    clearScratch()
    const { recording } = context.facts
    const screen = geometryOf(recording)
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
      // Last, since it replaces the gaze of the test by that of an eye.
      ...eyeMeasures(context.facts.eyes).flatMap(({ measure }) => measure(run, context, screen)),
    ]
    return { n: 1, cells: values.map((value) => same(known(value))) }
  },
})

/** A measure of eyes: its columns, and their values for a test. */
type EyeMeasure = {
  columns: Column[]
  measure: (run: TestRun, context: ExportContext, screen: ScreenGeometry | null) => (number | null | undefined)[]
}

/** Returns the measures of the eyes that a study has: docs/metrics.md, "Eyes". */
function eyeMeasures(recorded: EyeColumn[]): EyeMeasure[] {
  const sides = (['left', 'right'] as const).map((side, s) => ({ side, pair: EYE_PAIRS[s] }))
  const seen = sides.filter(({ pair }) => pair.every((name) => recorded.includes(name)))
  const loss = (name: string, what: string, column: EyeColumn): EyeMeasure => ({
    columns: [number(name, '% of samples', what)],
    measure: ({ samples: { tUs, eyes } }) => [eyes?.[column] && lossPercents(tUs, eyes[column])],
  })
  return [
    ...seen.map(({ side, pair }) =>
      loss(`${side}_data_loss_percents`, `Share without gaze of the ${side} eye`, pair[0]),
    ),
    ...seen.map(({ side }) => precisionOfEye(side)),
    ...(seen.length === 2 ? [DISPARITY] : []),
    ...sides
      .filter(({ side }) => recorded.includes(`${side}Pupil`))
      .map(({ side }) => loss(`${side}_pupil_loss_percents`, `Share without the ${side} pupil`, `${side}Pupil`)),
    blinksOfEyes(sides.map(({ side }) => side).filter((side) => recorded.includes(`${side}Pupil`))),
  ]
}

/** Returns the names of the measures of the eyes that a study has, with angles only where they can be known. */
export function eyeMeasureNames({ eyes, recording }: StudyFacts): string[] {
  const names = eyeMeasures(eyes).flatMap(({ columns }) => columns.map(({ name }) => name))
  const hasDegrees = geometryOf(recording) !== null
  return names.filter((name) => !name.endsWith('_px') && (hasDegrees || !name.endsWith('_deg')))
}

function blinksOfEyes(sides: ('left' | 'right')[]): EyeMeasure {
  const meaningOf = (side: string) => `Blinks of the ${side} eye a minute, as \`blinks\` finds them`
  return {
    columns: sides.map((side) => number(`${side}_blinks_per_minute`, '1/min', meaningOf(side))),
    measure: (run, context) => {
      const measured = sides.length === 0 ? null : pupilOf(run, context)
      return sides.map((side) => measured && blinksPerMinute(measured.recorded, measured.pupil[side].blinks))
    },
  }
}

function precisionOfEye(side: 'left' | 'right'): EyeMeasure {
  const meaning = `Precision of the ${side} eye: root mean square of steps between samples, median over windows of 200 ms`
  return {
    columns: inUnits(`${side}_precision_window_rms_s2s`, meaning),
    measure: ({ samples, identity }, context, screen) => {
      const { display } = identity.test
      if (display === null || samples.eyes === undefined) return [null, null, null]
      const [gazeXPx, gazeYPx] = [new Float64Array(samples.n), new Float64Array(samples.n)]
      gazeOfEye(samples.eyes, side, gazeXPx, gazeYPx)
      const own = { identity, samples: { ...samples, gazeXPx, gazeYPx } }
      const gaze = context.gazeOf(own)
      const times = distinctTimes(own.samples, gaze)
      const { windows } = measurePrecision(own.samples, gaze, times, context.fixationsOf(own, gaze), display, screen)
      return [windows.percents.rmsS2s, windows.px.rmsS2s, windows.degrees?.rmsS2s]
    },
  }
}

const DISPARITY: EyeMeasure = {
  columns: inUnits('eye_disparity_median', 'Median distance between the gazes of both eyes'),
  measure: ({ samples: { tUs, eyes }, identity }, _context, screen) => {
    const { display } = identity.test
    if (display === null || eyes === undefined) return [null, null, null]
    const { percents, px, degrees } = measureDisparity(tUs, eyes as Required<Eyes>, display, screen)
    return [percents, px, degrees]
  },
}

function known(value: number | null | undefined): Value {
  return value === null || value === undefined || !Number.isFinite(value) ? null : value
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
