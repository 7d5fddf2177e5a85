import type { RecordedEye } from '../bundle/draft.ts'
import type { Lines } from '../text/lines.ts'
import { numberAt, POINT } from '../text/parse-number.ts'

/** Reads lines of samples of a file, which depend on what other lines say of the eyes. */
export type SampleReader = {
  /** Time of the sample read last; the gaze is NaN where it is lost. */
  tMs: number
  x: number
  y: number
  /** Gaze points that are left out since an eye was in a blink. */
  blinked: number
  /** Whether a recording has started and not ended. */
  isRecording: boolean
  /** null while no line has named any. */
  eye: () => RecordedEye
  /** Takes the eyes from a line that names them; a line that names none changes nothing. */
  useEyes: (text: string) => void
  /** Takes the start or the end of a blink. */
  onBlink: (text: string) => void
  /** Reads one line: blanks between time, x, y and pupil of each eye, then more that is not needed. False for what is no sample. */
  read: (lines: Lines) => boolean
}

const SPACE = 32
const FIELDS = 7

export function openSamples(): SampleReader {
  const fields = new Float64Array(FIELDS)
  let eyes: string[] = []
  let isInBlink = [false, false]

  const readFields = ({ bytes, start, end }: Lines): number => {
    let n = 0
    for (let at = start; at < end && n < FIELDS; ) {
      while (at < end && bytes[at] <= SPACE) at++
      const first = at
      while (at < end && bytes[at] > SPACE) at++
      if (at > first) fields[n++] = numberAt(bytes, first, at, POINT)
    }
    return n
  }
  const samples: SampleReader = {
    tMs: Number.NaN,
    x: Number.NaN,
    y: Number.NaN,
    blinked: 0,
    isRecording: false,
    eye: () => (eyes.length === 2 ? 'both' : eyes[0] === 'LEFT' ? 'left' : eyes[0] === 'RIGHT' ? 'right' : null),
    useEyes: (text) => {
      eyes = text.match(/\b(LEFT|RIGHT)\b/g) ?? eyes
      if (text.startsWith('START')) isInBlink = [false, false]
    },
    onBlink: (text) => {
      const eye = Math.max(0, eyes.indexOf(/^.BLINK\s+R/.test(text) ? 'RIGHT' : 'LEFT'))
      isInBlink[eye] = text.startsWith('S')
    },
    read: (lines) => {
      const n = readFields(lines)
      if (n < 3) return false
      let [x, y, seen] = [0, 0, 0]
      const eyeCount = eyes.length === 2 || (eyes.length === 0 && n >= FIELDS) ? 2 : 1
      for (let eye = 0; eye < eyeCount; eye++) {
        const [eyeX, eyeY] = [fields[1 + 3 * eye], fields[2 + 3 * eye]]
        if (eyeX - eyeX !== 0 || eyeY - eyeY !== 0) continue
        if (isInBlink[eye]) {
          samples.blinked++
          continue
        }
        x += eyeX
        y += eyeY
        seen++
      }
      samples.tMs = fields[0]
      samples.x = seen === 0 ? Number.NaN : x / seen
      samples.y = seen === 0 ? Number.NaN : y / seen
      return true
    },
  }
  return samples
}
