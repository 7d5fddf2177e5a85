import { useEffect, useRef } from 'preact/hooks'
import type { Caption } from './caption.ts'

/** Figure of a page as a document takes it: its texts, and its drawing without them. */
export type DrawnFigure = {
  title: string
  caption: Caption
  /** Tests and settings that apply to the figures of the page. */
  applied: string
  /** Height on paper, in mm, at which its rows are legible; null without rows. */
  paperMm: number | null
  /** Draws it in light colours, with colour bar and legend; null if it shows nothing. */
  drawing: ((place: DrawingPlace) => Promise<SVGSVGElement>) | null
}

/** Place for a drawing. @param isWide true if it is much wider than high */
export type DrawingPlace = { widthPx: number; isWide: boolean }

const figures = new WeakMap<Element, DrawnFigure>()

/** Keeps what a figure shows with its element, for {@link drawnFigureOf}. */
export function useDrawnFigure(shown: DrawnFigure): { current: HTMLElement | null } {
  const element = useRef<HTMLElement | null>(null)
  useEffect(() => {
    figures.set(element.current!, shown)
  })
  return element
}

/** Returns what a <figure> of the page shows; null for others. */
export function drawnFigureOf(element: Element): DrawnFigure | null {
  return figures.get(element) ?? null
}
