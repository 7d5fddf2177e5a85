import { amplitudesOf, type BinocularSaccade, type EyeGaze } from '../../compute/microsaccades.ts'
import { type Cells, type Column, column, fractions, microseconds, wholes } from '../../model/columns.ts'
import { EYE_PAIRS } from '../../model/eye-columns.ts'
import { roundToMs } from '../../text/numbers.ts'
import type { ExportEntry } from '../columns/export-entry.ts'
import { ITEM_PARTICIPANT_TEST } from '../columns/identity.ts'
import { DISTANCE_COLUMNS } from '../columns/test-geometry.ts'
import {
  amplitudeOfPair,
  MICROSACCADE_SETTINGS,
  meanAmplitudes,
  microsaccadesOf,
  sizeOfAmplitudes,
} from '../columns/test-microsaccades.ts'
import { exportOfTests } from '../columns/test-rows-export.ts'

const NO_SCREEN = 'empty if the size or distance of the screen is unknown'

function eyeColumns(eye: 'left' | 'right'): Column[] {
  const of = `the ${eye} eye`
  return [
    column(`${eye}_starts_at_ms`, 'int', 'ms', `Start of the saccade of ${of}, from item onset`),
    column(`${eye}_ends_at_ms`, 'int', 'ms', 'Its end'),
    column(`${eye}_amplitude_deg`, 'number', '°', `Its amplitude; ${NO_SCREEN}`, ''),
    column(`${eye}_peak_velocity_deg_per_s`, 'number', '°/s', `Its greatest velocity; ${NO_SCREEN}`, ''),
    column(`${eye}_amplitude_px`, 'number', 'px', 'Its amplitude in the window'),
  ]
}

export const microsaccades: ExportEntry = exportOfTests(ITEM_PARTICIPANT_TEST, {
  name: 'microsaccades',
  path: 'eye-tracking/microsaccades',
  title: 'Microsaccades of both eyes',
  rowPer: 'test and binocular saccade',
  listed: MICROSACCADE_SETTINGS,
  timeColumn: 'microsaccade_starts_at_ms',
  isAsRecorded: true,
  columns: [
    column('microsaccade_index', 'int', '', 'Order within the test, from 1'),
    column('microsaccade_starts_at_ms', 'int', 'ms', 'Start of the eye that moves first, from item onset'),
    column('microsaccade_ends_at_ms', 'int', 'ms', 'End of the eye that moves last'),
    column('microsaccade_duration_ms', 'int', 'ms', 'From its start to its end'),
    column('microsaccade_amplitude_deg', 'number', '°', `Amplitude of the mean of both eyes; ${NO_SCREEN}`, ''),
    column('microsaccade_amplitude_px', 'number', 'px', 'The same in the window'),
    column('microsaccade_direction_deg', 'number', '°', 'Its direction: 0 right, 90 up; empty without one', ''),
    ...eyeColumns('left'),
    ...eyeColumns('right'),
  ],
  reads: [...EYE_PAIRS.flat(), ...DISTANCE_COLUMNS],
  // A row has about 350 bytes, and takes four samples or more.
  estimateBytes: ({ samples }) => samples * 90,
  compute: (run, context) => {
    const found = microsaccadesOf(run, context)
    if (found === null) return null
    const { pairs, px, isInDegrees } = found
    const numbers = (value: (pair: BinocularSaccade) => number) => Float64Array.from(pairs, value)
    const timesUs = (value: (pair: BinocularSaccade) => number) => numbers((pair) => px.left.tUs[value(pair)])
    const startsUs = timesUs(({ left, right }) => Math.min(left.first, right.first))
    const endsUs = timesUs(({ left, right }) => Math.max(left.last, right.last))
    const degrees = (value: (pair: BinocularSaccade) => number) =>
      fractions(numbers((pair) => (isInDegrees ? value(pair) : Number.NaN)))
    const ofEye = (eye: 'left' | 'right'): Cells[] => [
      microseconds(timesUs((pair) => pair[eye].first)),
      microseconds(timesUs((pair) => pair[eye].last)),
      degrees((pair) => sizeOfAmplitudes(pair[eye])),
      degrees((pair) => pair[eye].peakVelocity),
      fractions(numbers((pair) => sizeOfAmplitudes(amplitudesIn(px[eye], pair[eye])))),
    ]
    const cells: Cells[] = [
      wholes(numbers(() => 0).map((_, s) => s + 1)),
      microseconds(startsUs),
      microseconds(endsUs),
      wholes(endsUs.map((us, s) => roundToMs(us) - roundToMs(startsUs[s]))),
      degrees(amplitudeOfPair),
      fractions(
        numbers(({ left, right }) =>
          sizeOfAmplitudes(meanAmplitudes(amplitudesIn(px.left, left), amplitudesIn(px.right, right))),
        ),
      ),
      fractions(numbers(({ left, right }) => directionOf(meanAmplitudes(left, right)))),
      ...ofEye('left'),
      ...ofEye('right'),
    ]
    return { n: pairs.length, cells }
  },
})

const amplitudesIn = (gaze: EyeGaze, { first, last }: { first: number; last: number }) =>
  amplitudesOf(gaze, first, last)

/** Returns the direction in degrees, 0 to 360; NaN if the eyes move against each other alike. */
function directionOf({ amplitudeX, amplitudeY }: ReturnType<typeof meanAmplitudes>): number {
  if (amplitudeX === 0 && amplitudeY === 0) return Number.NaN
  const degrees = (Math.atan2(-amplitudeY, amplitudeX) / Math.PI) * 180
  return degrees < 0 ? degrees + 360 : degrees
}
