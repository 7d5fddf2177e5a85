import type { ComponentChildren } from 'preact'
import { useInks } from './drawing.tsx'

type WordsProps = {
  x?: number
  y: number
  anchor?: 'start' | 'middle' | 'end'
  fontPx?: number
  isStrong?: boolean
  isMuted?: boolean
  children: ComponentChildren
}

/** Draws a line of text. @param y baseline, px */
export function Words({ x = 0, y, anchor = 'start', fontPx = 12, isStrong, isMuted, children }: WordsProps) {
  const { ink, muted } = useInks()
  return (
    <text
      x={x}
      y={y}
      text-anchor={anchor === 'start' ? undefined : anchor}
      font-size={fontPx}
      font-weight={isStrong ? 600 : undefined}
      fill={isMuted ? muted : ink}
    >
      {children}
    </text>
  )
}

/** Truncates a text to about that many px. */
export function cutTo(text: string, px: number, fontPx = 12): string {
  const most = Math.max(3, Math.floor(px / (fontPx * 0.56)))
  // Half a character of two units would be none.
  return text.length <= most ? text : `${text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}…`
}
