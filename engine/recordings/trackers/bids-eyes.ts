import type { ToPx } from '../../../isomorphic/to-px.ts'
import type { EyeColumn, PupilUnit } from '../../model/eye-columns.ts'
import { type Draft, noteLeft } from '../draft/draft.ts'
import { noteRecording } from '../draft/recording-facts.ts'
import type { ValueCell } from '../reader/value-columns.ts'
import type { Sidecar } from './bids-recordings.ts'

type Side = 'left' | 'right'

/**
 * Finds the columns of each eye in a recording: gaze, pupil and distance. The sidecar names the eye of a recording;
 * drafts of BIDS had `eye1_…` and `eye2_…` in one file.
 */
export function eyeCells(
  sidecar: Sidecar,
  eye: string,
  { xScale, yScale, xOffset, yOffset, xEyesPx, yEyesPx }: ToPx,
  { name: file }: { name: string },
  draft: Draft,
): ValueCell<EyeColumn>[] {
  const found: ValueCell<EyeColumn>[] = []
  const add = (names: string[], column: EyeColumn, scale = 1, offset = 0, eyesPx = 0) => {
    const cell = sidecar.Columns.findIndex((one) => names.includes(one))
    if (cell >= 0) found.push({ into: column, cell, scale, offset, eyesPx })
    return cell >= 0
  }
  const named = eye === 'left' || eye === 'right' ? eye : null
  const isTwo = sidecar.Columns.includes('eye2_x_coordinate')
  const first = named ?? (isTwo ? 'left' : null)
  const addEye = (side: Side, prefixes: string[]) => {
    const columns = (name: string) => prefixes.map((prefix) => `${prefix}${name}`)
    add(columns('x_coordinate'), `${side}GazeXPx`, xScale, xOffset, xEyesPx)
    add(columns('y_coordinate'), `${side}GazeYPx`, yScale, yOffset, yEyesPx)
    add(columns('pupil_size'), `${side}Pupil`)
    add(columns('eye_distance'), `${side}EyeDistanceMm`)
  }
  if (first !== null) addEye(first, isTwo ? ['eye1_'] : ['', 'eye1_'])
  if (isTwo) addEye(first === 'right' ? 'left' : 'right', ['eye2_'])
  for (const side of ['left', 'right'] as const) {
    add([`${side}_pupil_size`], `${side}Pupil`)
    add([`${side}_eye_distance`], `${side}EyeDistanceMm`)
  }
  const isOfNone = first === null && sidecar.Columns.includes('pupil_size')
  const described = isOfNone ? /\b(left|right) eye/i.exec(describedIn(sidecar, 'pupil_size'))?.[1].toLowerCase() : null
  if (described) {
    add(['pupil_size'], `${described as Side}Pupil`)
    add(['eye_distance'], `${described as Side}EyeDistanceMm`)
  } else if (isOfNone) noteLeft(draft, 'pupils of no eye in particular', 1, { file })
  const pupil = found.find(({ into }) => into.endsWith('Pupil'))
  if (pupil) noteRecording(draft, { pupilUnit: pupilUnitOf(sidecar, sidecar.Columns[pupil.cell]) })
  return found
}

function describedIn(sidecar: Sidecar, column: string): string {
  const { Description, LongName } = (sidecar[column] ?? {}) as { Description?: unknown; LongName?: unknown }
  return `${Description ?? ''} ${LongName ?? ''}`
}

/**
 * Returns the unit of pupils; for arbitrary units, only the column's description distinguishes areas from diameters.
 */
function pupilUnitOf(sidecar: Sidecar, column: string): PupilUnit | undefined {
  const unit = String((sidecar[column] as { Units?: unknown } | undefined)?.Units ?? '')
  if (/^(mm|millimet(er|re)s?)$/i.test(unit)) return 'mm'
  if (/^(px|pix|pixels?)$/i.test(unit)) return 'px'
  const described = describedIn(sidecar, column)
  return /area/i.test(described) ? 'area_au' : /diameter/i.test(described) ? 'diameter_au' : undefined
}
