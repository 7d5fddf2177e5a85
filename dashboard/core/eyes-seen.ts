import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Study } from './api.ts'

/** Columns that the study of this page recorded of each eye. */
export const EyesSeen = createContext<NonNullable<Study['eyes']>>([])

/** Returns whether the study recorded the gaze, or the pupils, of single eyes, so that there is a choice. */
export function useHasEyes(isOfPupils: boolean): boolean {
  const eyes = useContext(EyesSeen)
  return isOfPupils ? hasPupils({ eyes }) : eyes.includes('leftGazeXPx') || eyes.includes('rightGazeXPx')
}

/** Returns whether a study recorded pupils. */
export function hasPupils({ eyes = [] }: Pick<Study, 'eyes'>): boolean {
  return eyes.includes('leftPupil') || eyes.includes('rightPupil')
}
