import { useEffect, useState } from 'preact/hooks'
import type { Study } from './api.ts'

/** The demo study that a tour goes through, and the step at which it is. */
export type Tour = { studyId: string; itemId: string; step: number }

/** Where the tour is, in this tab; and whether it was taken or declined, in this browser. */
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

/** Ends the tour, which is not offered again. */
function endTour(): void {
  sessionStorage.removeItem(NOW)
  localStorage.setItem(OVER, 'yes')
}

/** Returns the tour that is being taken, and whether it is over for good. */
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

/** Returns whether a study is a demo study, of synthetic recordings. */
export function isDemo({ recording }: Study): boolean {
  return recording?.manufacturer === 'Gazette' && recording.model === 'synthetic webcam'
}
