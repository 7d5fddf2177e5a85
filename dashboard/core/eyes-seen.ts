import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Study } from './api.ts'

/** Columns that the study recorded for each eye. */
export const EyesSeen = createContext<NonNullable<Study['eyes']>>([])

/** Returns whether the user can choose an eye: the study recorded gaze, or pupils, of single eyes. */
export function useHasEyes(isOfPupils: boolean): boolean {
  const eyes = useContext(EyesSeen)
  return isOfPupils ? hasPupils({ eyes }) : eyes.includes('leftGazeXPx') || eyes.includes('rightGazeXPx')
}

/** Returns whether a study recorded pupils. */
export function hasPupils({ eyes = [] }: Pick<Study, 'eyes'>): boolean {
  return eyes.includes('leftPupil') || eyes.includes('rightPupil')
}
