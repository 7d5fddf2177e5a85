import type { PupilUnit } from '../../model/eye-columns.ts'
import { type Draft, noteAssumed } from '../draft/draft.ts'
import { noteRecording } from '../draft/recording-facts.ts'
import type { SourceFile } from '../text/source-files.ts'

/** Recording setup, from the tracker's own messages. */
export type Setup = {
  calibrationType: string | null
  rateHz: number | null
  pupilUnit: PupilUnit | null
  targets: { eye: string; xPx: number; yPx: number; offsetXPx: number; offsetYPx: number }[]
}

/** Largest number of targets; files have a few validations of at most 13 targets. */
const TARGETS_MAX = 10_000
const CALIBRATION = /^!CAL CALIBRATION (H|V|HV)(\d+)\s/
const NUMBER = '(-?[\\d.]+)'
/**
 * Matches `VALIDATE LR POINT 0 LEFT at 960,540 OFFSET 0.35 deg. -10.2,3.1 pix`: the distance of gaze from the target.
 */
const TARGET = new RegExp(
  `^VALIDATE \\w+ \\d*POINT \\d+\\s+(LEFT|RIGHT)\\s+at\\s+${NUMBER},${NUMBER}\\s+OFFSET\\s+${NUMBER}\\s+deg\\.\\s+${NUMBER},${NUMBER}\\s+pix`,
  'i',
)

export function makeSetup(): Setup {
  return { calibrationType: null, rateHz: null, pupilUnit: null, targets: [] }
}

/** Adds the facts of a message. */
export function addToSetup(setup: Setup, message: string): void {
  const calibration = CALIBRATION.exec(message)
  if (calibration) setup.calibrationType = calibration[1] + calibration[2]
  const target = TARGET.exec(message)
  if (target === null || setup.targets.length >= TARGETS_MAX) return
  const [xPx, yPx, , offsetXPx, offsetYPx] = target.slice(2).map(Number)
  setup.targets.push({ eye: target[1].toUpperCase(), xPx, yPx, offsetXPx, offsetYPx })
}

/** Adds the sampling rate from a SAMPLES line. */
export function addRate(setup: Setup, line: string): void {
  const rate = /\bRATE\s+([\d.]+)/.exec(line)
  if (rate) setup.rateHz = Number(rate[1])
}

/** Adds the meaning of pupil sizes from a PUPIL line, in the tracker's own unit. */
export function addPupil(setup: Setup, line: string): void {
  const [, what] = /^PUPIL\s+(AREA|DIAMETER)\b/.exec(line) ?? []
  if (what) setup.pupilUnit = what === 'AREA' ? 'area_au' : 'diameter_au'
}

/**
 * Records the setup of a file: its validations for the participant, and facts about the tracker.
 *
 * @param display first pixel of the display
 */
export function noteSetup(
  { calibrationType, rateHz, pupilUnit, targets }: Setup,
  { head }: SourceFile,
  draft: Draft,
  participant: number,
  display: { leftPx: number; topPx: number } | undefined,
): void {
  const version = /^\*\* (EYELINK [^\r\n]*?\d)(?=\s|$)/m.exec(head)?.[1] ?? null
  noteRecording(draft, {
    ...{ manufacturer: 'SR Research', model: version, calibrationType, nominalSamplingRateHz: rateHz, pupilUnit },
    calibrationPoints: calibrationType === null ? null : Number(/\d+/.exec(calibrationType)),
  })
  const [leftPx, topPx] = [display?.leftPx ?? 0, display?.topPx ?? 0]
  for (const { xPx, yPx, offsetXPx, offsetYPx } of targets) {
    const [targetXPx, targetYPx] = [xPx - leftPx, yPx - topPx]
    const gaze = { gazeXPx: targetXPx + offsetXPx, gazeYPx: targetYPx + offsetYPx }
    draft.validations.push({ participant, targetXPx, targetYPx, ...gaze })
  }
  if (targets.length > 0)
    noteAssumed(draft, 'the OFFSET of a validation, in px, is from the target to the gaze; each eye counts by itself')
}
