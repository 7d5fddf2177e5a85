import type { RecordedEye } from '../draft/draft.ts'
import type { Lines } from '../text/lines.ts'
import { COMMA, type DecimalMark, numberAt, POINT } from '../text/parse-number.ts'
import { type Blink, blinkFinder } from './eyelink-blinks.ts'

/** Reads a file's lines of samples, whose layout depends on other lines about the eyes. */
export type SampleReader = {
  /** Time of the last sample read; the gaze is NaN if lost. */
  tMs: number
  x: number
  y: number
  /** The left and the right eye: x, y and pupil, NaN if lost or not recorded. Blinks do not remove pupils. */
  eyes: [Float64Array, Float64Array]
  /** Longer side of the display: codes for lost gaze lie beyond it. */
  beyondPx: number
  /** Gaze points omitted because an eye was in a blink. */
  blinked: number
  /** Gaze points omitted because both coordinates are a code for lost gaze, and the first of these codes. */
  coded: number
  code: number
  /** Samples with the same time in whole ms as the sample before. */
  halved: number
  /** null until a line has named an eye. */
  eye: () => RecordedEye
  /**
   * Sets the eyes and the sampling rate from a line that names them; a line without them changes nothing. START begins
   * the next recording.
   */
  useSetup: (text: string) => void
  /**
   * Parses one line: time, then x, y and pupil of each eye, separated by spaces; the rest is not needed. Returns false
   * if it is not a sample.
   */
  read: (lines: Lines) => boolean
}

const SPACE = 32
const [FIELDS_OF_ONE_EYE, FIELDS] = [4, 7]
/** Least code for lost gaze, larger than any display: public files use -9999, -32768 and 100000000. */
const CODE_LEAST = 9999

const lostEye = () => new Float64Array(3).fill(Number.NaN)
/** Receives the data of an eye that no line has named. */
const NOBODY = lostEye()

/**
 * Opens the reader of sample lines.
 *
 * @param blinks blinks of each recording of the file, starting with those before the first START
 */
export function openEyelinkSamples(blinks: Blink[][]): SampleReader {
  const setup: Setup = { eyes: [], recording: 0, isInBlink: [] }
  const fields = openFields()
  const clock = openClock()
  useEyes(setup, '', blinks)
  const samples: SampleReader = {
    tMs: Number.NaN,
    x: Number.NaN,
    y: Number.NaN,
    eyes: [lostEye(), lostEye()],
    beyondPx: Number.POSITIVE_INFINITY,
    blinked: 0,
    coded: 0,
    code: Number.NaN,
    halved: 0,
    eye: () => {
      const { eyes } = setup
      return eyes.length === 2 ? 'both' : eyes[0] === 'LEFT' ? 'left' : eyes[0] === 'RIGHT' ? 'right' : null
    },
    useSetup: (text) => {
      useEyes(setup, text, blinks)
      clock.useSetup(text)
    },
    read: (lines) => {
      // The pupil of the last eye is followed by flags, which are not numbers.
      const n = fields.read(lines, setup.eyes.length === 1 ? FIELDS_OF_ONE_EYE : FIELDS)
      if (n < 3) return false
      takeEyes(samples, setup, fields.values, n)
      const tMs = fields.values[0]
      samples.tMs = clock.timeOf(tMs)
      if (samples.tMs > tMs) samples.halved++
      return true
    },
  }
  return samples
}

/** Takes the eyes from the first `n` fields of a line: each of its own, and the mean of those that see. */
function takeEyes(samples: SampleReader, { eyes, isInBlink }: Setup, fields: Float64Array, n: number): void {
  let [x, y, seen] = [0, 0, 0]
  for (const values of samples.eyes) values.fill(Number.NaN)
  const eyeCount = eyes.length === 2 || (eyes.length === 0 && n >= FIELDS) ? 2 : 1
  for (let eye = 0; eye < eyeCount; eye++) {
    const eyeX = fields[1 + 3 * eye]
    const eyeY = fields[2 + 3 * eye]
    const pupil = fields[3 + 3 * eye]
    const hasCode = eyeX === eyeY && isCode(eyeX, pupil, samples.beyondPx)
    const own = eyes.length === 0 ? NOBODY : samples.eyes[eyes[eye] === 'RIGHT' ? 1 : 0]
    if (!(hasCode && pupil === eyeX)) own[2] = pupil
    if (eyeX - eyeX !== 0 || eyeY - eyeY !== 0) continue
    if (isInBlink[eye]?.(fields[0])) {
      samples.blinked++
      continue
    }
    if (hasCode) {
      if (samples.coded++ === 0) samples.code = eyeX
      continue
    }
    own[0] = eyeX
    own[1] = eyeY
    x += eyeX
    y += eyeY
    seen++
  }
  samples.x = seen === 0 ? Number.NaN : x / seen
  samples.y = seen === 0 ? Number.NaN : y / seen
}

/** Reads numbers of lines. A converter writes the decimal mark of its system: the first sample with a comma tells. */
function openFields() {
  const values = new Float64Array(FIELDS)
  let decimalMark: DecimalMark = POINT
  const read = (lines: Lines, most: number): number => {
    const n = readFields(lines, most, decimalMark, values)
    if (decimalMark === COMMA || !Number.isNaN(values[0] + values[1]) || !hasComma(lines)) return n
    decimalMark = COMMA
    return readFields(lines, most, decimalMark, values)
  }
  return { values, read }
}

function hasComma({ bytes, start, end }: Lines): boolean {
  return bytes.subarray(start, end).includes(COMMA)
}

/** Reads the leading numbers of a line, at most `most`; the rest of `fields` becomes NaN. @returns how many */
function readFields(
  { bytes, start, end }: Lines,
  most: number,
  decimalMark: DecimalMark,
  fields: Float64Array,
): number {
  let n = 0
  for (let at = start; at < end && n < most; ) {
    while (at < end && bytes[at] <= SPACE) at++
    const first = at
    while (at < end && bytes[at] > SPACE) at++
    if (at > first) fields[n++] = numberAt(bytes, first, at, decimalMark)
  }
  for (let i = n; i < FIELDS; i++) fields[i] = Number.NaN
  return n
}

/**
 * Returns whether a value is a code for lost gaze from `edf2asc -miss`, in both coordinates: the pupil is then 0 or the
 * same code.
 */
function isCode(value: number, pupil: number, beyondPx: number): boolean {
  return Math.abs(value) >= CODE_LEAST || ((value <= 0 || value > beyondPx) && (pupil === 0 || pupil === value))
}

/** Eyes that lines have named, the index of the recording, and the blinks of its eyes. */
type Setup = { eyes: string[]; recording: number; isInBlink: ((tMs: number) => boolean)[] }

/** Takes the eyes from a line about them. If one eye is recorded, or none is named, every blink is that eye's. */
function useEyes(setup: Setup, text: string, blinks: Blink[][]): void {
  setup.eyes = text.match(/\b(LEFT|RIGHT)\b/g) ?? setup.eyes
  if (text.startsWith('START')) setup.recording++
  const own = blinks[setup.recording] ?? []
  setup.isInBlink =
    setup.eyes.length === 2 ? setup.eyes.map((eye) => blinkFinder(own, eye === 'RIGHT')) : [blinkFinder(own, null)]
}

/** Spreads the times of more than 1,000 samples a second, which old converters write in whole ms. */
function openClock() {
  /** Sampling interval, if it is shorter than 1 ms; otherwise 0. */
  let stepMs = 0
  let [wholeMs, again] = [Number.NaN, 0]
  return {
    useSetup: (text: string): void => {
      const rateHz = Number(/\bRATE\s+([\d.]+)/.exec(text)?.[1] ?? Number.NaN)
      if (rateHz > 0) stepMs = rateHz > 1000 ? 1000 / rateHz : 0
      if (text.startsWith('START')) wholeMs = Number.NaN
    },
    timeOf: (tMs: number): number => {
      again = tMs === wholeMs ? again + 1 : 0
      wholeMs = tMs
      return again * stepMs < 1 ? tMs + again * stepMs : tMs
    },
  }
}
