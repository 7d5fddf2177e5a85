import type { Choices } from './choices.ts'

/** Choices for files that were sent, in this browser, until somebody signs out. */
const STORED = 'gazette-choices'
/** Number of uploads whose choices are kept, the latest ones. */
const KEPT_MAX = 20

type Sent = { id: string }[]
/** Study and snapshot come from the page on which the files are taken up again. */
type Kept = Omit<Choices, 'into' | 'replaces'>

function stored(): [id: string, choices: Kept][] {
  return JSON.parse(localStorage.getItem(STORED) ?? '[]') as [string, Kept][]
}

/** Keeps the choices for sent files. */
export function rememberChoices([first]: Sent, { into: _, replaces: _replaces, ...kept }: Choices): void {
  if (first === undefined) return
  const others = stored().filter(([id]) => id !== first.id)
  localStorage.setItem(STORED, JSON.stringify([[first.id, kept], ...others].slice(0, KEPT_MAX)))
}

/** Returns the choices that were made for files before; none for files that are new. */
export function rememberedChoices([first]: Sent): Partial<Choices> {
  return stored().find(([id]) => id === first?.id)?.[1] ?? {}
}

export function forgetChoices(): void {
  localStorage.removeItem(STORED)
}
