import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Study } from '../api.ts'
import { hasDetector, isOfPupils } from './chart-settings.ts'

/** Columns that the study recorded for each eye. */
export const EyesSeen = createContext<NonNullable<Study['eyes']>>([])

/** Returns whether the user can choose an eye for these settings. @param listed settings that exports echo */
export function useHasEyes(listed: readonly string[]): boolean {
  return hasEyesFor({ eyes: useContext(EyesSeen) }, listed)
}

/** Returns whether a study recorded single eyes for these settings: gaze for those of fixations, pupils for theirs. */
export function hasEyesFor({ eyes = [] }: Pick<Study, 'eyes'>, listed: readonly string[]): boolean {
  const hasGaze = eyes.includes('leftGazeXPx') || eyes.includes('rightGazeXPx')
  const ofPupils = isOfPupils(listed)
  // Microsaccades are those of both eyes.
  if (listed.includes('microsaccadeLambda')) return false
  return (ofPupils && hasPupils({ eyes })) || ((hasDetector(listed) || !ofPupils) && hasGaze)
}

/** Returns whether a study recorded the gaze of both eyes. */
export function hasBothEyes({ eyes = [] }: Pick<Study, 'eyes'>): boolean {
  return (['leftGazeXPx', 'leftGazeYPx', 'rightGazeXPx', 'rightGazeYPx'] as const).every((name) => eyes.includes(name))
}

/** Returns whether a study recorded pupils. */
export function hasPupils({ eyes = [] }: Pick<Study, 'eyes'>): boolean {
  return eyes.includes('leftPupil') || eyes.includes('rightPupil')
}
