import type { VNode } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'

/** Debounce of drawings outside the viewport: they are redrawn once their data has rested for this time. */
const REST_MS = 250

type Drawn = { frame: unknown[]; madeOf: unknown[] | null; drawing: VNode | null }

/**
 * Returns a drawing, redrawn at once while it is visible and debounced otherwise, so that a slider moves the charts in
 * view first.
 *
 * @param box container of the drawing
 * @param frame width, colours and the like: if one changes, the drawing is redrawn at once, visible or not
 * @param madeOf all other dependencies; null redraws on every render
 * @returns isBehind true while the drawing is outdated
 */
export function useDrawing(
  box: { current: Element | null },
  draw: () => VNode | null,
  frame: unknown[],
  madeOf: unknown[] | null,
): { drawing: VNode | null; isBehind: boolean } {
  const isSeen = useSeen(box)
  const drawn = useRef<Drawn | null>(null)
  const [rested, setRested] = useState<unknown[] | null>(null)
  const before = drawn.current
  const isSame = before !== null && before.madeOf !== null && areSame(before.madeOf, madeOf)
  const mayWait = before !== null && areSame(before.frame, frame) && before.drawing !== null && !areSame(rested, madeOf)
  const isBehind = !isSame && !isSeen && mayWait && madeOf !== null
  if (!isBehind && !(isSame && areSame(before.frame, frame))) drawn.current = { frame, madeOf, drawing: draw() }
  useEffect(() => {
    if (!isBehind) return
    const timer = window.setTimeout(() => setRested(madeOf), REST_MS)
    return () => window.clearTimeout(timer)
  }, [isBehind, ...(madeOf ?? [])])
  // Preact skips a virtual node that is identical to the previous one.
  return { drawing: drawn.current!.drawing, isBehind }
}

function areSame(some: unknown[] | null, others: unknown[] | null): boolean {
  return some !== null && others !== null && some.every((value, i) => Object.is(value, others[i]))
}

/** Returns whether an element is in the viewport or close to it. */
function useSeen(element: { current: Element | null }): boolean {
  const [isSeen, setSeen] = useState(true)
  useEffect(() => {
    if (element.current === null) return
    const observer = new IntersectionObserver((entries) => setSeen(entries.at(-1)!.isIntersecting), {
      rootMargin: '100px',
    })
    observer.observe(element.current)
    return () => observer.disconnect()
  }, [])
  return isSeen
}
