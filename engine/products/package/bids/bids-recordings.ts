import type { Samples } from '../../../compute/gaze.ts'
import { EYE_PAIRS, type EyeColumn, type PupilUnit } from '../../../model/eye-columns.ts'
import type { Recording } from '../../../model/study.ts'

/** Eye of a recording; `both` is the mean of the two, or the one that was tracked. */
export type BidsEye = 'left' | 'right' | 'both' | 'unknown'

/** One `_physio` file of each test: its gaze, and the further columns after it. */
export type BidsRecording = {
  label: 'eye1' | 'eye2' | 'eye3'
  eye: BidsEye
  /** True if the file has the study's recorded gaze, rather than that of a single eye beside it. */
  isRecordedGaze: boolean
  gaze: (samples: Samples) => [Float64Array, Float64Array]
  further: FurtherColumn[]
}

type FurtherColumn = { name: string; column: EyeColumn; description: string; units: string }

const UNITS: Record<PupilUnit, { size: string; units: string }> = {
  mm: { size: 'diameter', units: 'mm' },
  px: { size: 'diameter', units: 'pixel' },
  diameter_au: { size: 'diameter', units: 'arbitrary' },
  area_au: { size: 'area', units: 'arbitrary' },
}

/**
 * Lists the recordings of each test. If a study has gaze of both eyes, these are `eye1` (left) and `eye2` (right), and
 * the recorded gaze is `eye3`; otherwise, the recorded gaze is `eye1`, with the pupil columns of the study.
 *
 * @param columns eye columns of the study
 * @param eye eye of the recorded gaze
 */
export function bidsRecordings(columns: EyeColumn[], eye: BidsEye, recording: Recording = {}): BidsRecording[] {
  const areBoth = EYE_PAIRS.flat().every((column) => columns.includes(column))
  const recorded = (label: BidsRecording['label'], further: FurtherColumn[]): BidsRecording => ({
    ...{ label, eye, isRecordedGaze: true, further },
    gaze: ({ gazeXPx, gazeYPx }) => [gazeXPx, gazeYPx],
  })
  if (!areBoth) return [recorded('eye1', furtherColumns(columns, recording, null))]
  const ofSides = (['left', 'right'] as const).map((side, i): BidsRecording => {
    const [x, y] = EYE_PAIRS[i]
    return {
      ...{ label: i === 0 ? 'eye1' : 'eye2', eye: side, isRecordedGaze: false },
      gaze: ({ eyes }) => [eyes![x]!, eyes![y]!],
      further: furtherColumns(columns, recording, side),
    }
  })
  return [...ofSides, recorded('eye3', [])]
}

/** Returns the pupil and distance columns of one side, or of all; columns name their side if there are two. */
function furtherColumns(
  columns: EyeColumn[],
  { pupilUnit }: Recording,
  side: 'left' | 'right' | null,
): FurtherColumn[] {
  const { size, units } = pupilUnit === undefined ? { size: 'size', units: 'unknown' } : UNITS[pupilUnit]
  const sides = side === null ? (['left', 'right'] as const) : [side]
  const of = (column: 'Pupil' | 'EyeDistanceMm', name: string, what: string, unit: string) => {
    const there = sides.filter((one) => columns.includes(`${one}${column}`))
    return there.map((one) => ({
      name: there.length > 1 ? `${one}_${name}` : name,
      column: `${one}${column}` as const,
      description: `${what} of the ${one} eye, as recorded`,
      units: unit,
    }))
  }
  return [
    ...of('Pupil', 'pupil_size', `Pupil ${size}`, units),
    ...of('EyeDistanceMm', 'eye_distance', 'Distance from the tracker', 'mm'),
  ]
}
