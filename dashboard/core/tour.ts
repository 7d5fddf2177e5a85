import { useEffect, useState } from 'preact/hooks'
import type { Study } from './api.ts'

/** Demo study of the tour, and the current step. */
export type Tour = { studyId: string; itemId: string; step: number }

/** Storage keys: the current step in this tab, and in this browser, that the tour was taken or declined. */
const NOW = 'gazette-tour'
const OVER = 'gazette-tour-over'
const listeners = new Set<() => void>()

function read(): Tour | null {
  return JSON.parse(sessionStorage.getItem(NOW) ?? 'null') as Tour | null
}

/** Sets the step of the tour; null ends it. */
export function setTour(tour: Tour | null): void {
  if (tour === null) endTour()
  else sessionStorage.setItem(NOW, JSON.stringify(tour))
  for (const listener of listeners) listener()
}

/** Ends the tour for good: it is not offered again. */
function endTour(): void {
  sessionStorage.removeItem(NOW)
  localStorage.setItem(OVER, 'yes')
}

/** Returns the current tour, and whether it has ended for good. */
export function useTour(): { tour: Tour | null; isOver: boolean } {
  const [state, setState] = useState(() => ({ tour: read(), isOver: localStorage.getItem(OVER) !== null }))
  useEffect(() => {
    const update = () => setState({ tour: read(), isOver: localStorage.getItem(OVER) !== null })
    listeners.add(update)
    return () => {
      listeners.delete(update)
    }
  }, [])
  return state
}

/** Returns whether a study is a demo study with synthetic recordings. */
export function isDemo({ recording }: Study): boolean {
  return recording?.manufacturer === 'Gazette' && recording.model === 'synthetic webcam'
}
