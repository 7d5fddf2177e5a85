import type { Recording } from '../../model/study.ts'
import { type Draft, noteLeft } from './draft.ts'

/** Bounds of the recording facts in study.json; a value outside its bounds counts as unknown. */
const BOUNDS: Record<keyof Recording, [least: number, most: number] | 'text'> = {
  manufacturer: 'text',
  model: 'text',
  calibrationType: 'text',
  environment: 'text',
  nominalSamplingRateHz: [1, 10_000],
  screenWidthPx: [1, 100_000],
  screenHeightPx: [1, 100_000],
  screenWidthCm: [1, 1000],
  screenHeightCm: [1, 1000],
  viewingDistanceCm: [1, 1000],
  calibrationPoints: [0, 100],
  pupilUnit: 'text',
}
const WHOLE = new Set(['screenWidthPx', 'screenHeightPx', 'calibrationPoints'])
const TEXT_MAX = 200

/** Records a file's facts about tracker and screen; a fact that differs between recordings is dropped. */
export function noteRecording(draft: Draft, facts: { [name in keyof Recording]: Recording[name] | null }): void {
  for (const [name, value] of Object.entries(facts) as [keyof Recording, string | number | null | undefined][]) {
    if (value === null || value === undefined || !isWithin(name, value)) continue
    const known = draft.recording.get(name)
    if (known === undefined) draft.recording.set(name, value)
    else if (known !== null && known !== value) {
      draft.recording.set(name, null)
      noteLeft(draft, `${name} of the tracker and the screen, which differs between recordings`)
    }
  }
}

function isWithin(name: keyof Recording, value: string | number): boolean {
  const bounds = BOUNDS[name]
  if (bounds === 'text') return typeof value === 'string' && value !== '' && value.length <= TEXT_MAX
  const isNumber = typeof value === 'number' && value >= bounds[0] && value <= bounds[1]
  return isNumber && (!WHOLE.has(name) || Number.isInteger(value))
}

/** Returns the facts that all recordings share; undefined if there are none. */
export function recordingOf({ recording }: Draft): Recording | undefined {
  const known = [...recording].filter(([, value]) => value !== null)
  return known.length === 0 ? undefined : (Object.fromEntries(known) as Recording)
}
