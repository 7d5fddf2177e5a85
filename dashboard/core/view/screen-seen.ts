import { createContext } from 'preact'
import { useContext } from 'preact/hooks'

/** True if degrees of the visual field can be computed in the study. */
export const ScreenSeen = createContext(false)

/** Returns whether the user can choose thresholds in degrees. */
export function useHasDegrees(): boolean {
  return useContext(ScreenSeen)
}
