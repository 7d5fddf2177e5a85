import { type ComponentChildren, createContext } from 'preact'
import { useContext } from 'preact/hooks'
import { type Colors, LIGHT } from '../../core/colors/theme.ts'

const Inks = createContext<Colors>(LIGHT)

/** Returns the colours of the drawing that a mark is part of. */
export function useInks(): Colors {
  return useContext(Inks)
}

export type DrawingProps = {
  width: number
  height: number
  /** Accessible description. */
  label: string
  /** Colours for its marks; by default, those of light pages. */
  colors?: Colors
  class?: string
  /** Called when the pointer moves or is pressed, with its place in px of the drawing, and with null when it leaves. */
  onPoint?: (at: { x: number; y: number } | null, event: PointerEvent) => void
  children: ComponentChildren
}

/** Draws an <svg> of a width and height in pixels, which can be saved as a file, and gives its marks their colours. */
export function Drawing({ width, height, label, colors = LIGHT, onPoint, children, ...more }: DrawingProps) {
  const point = (event: PointerEvent) => {
    const box = (event.currentTarget as SVGElement).getBoundingClientRect()
    const at = (px: number, from: number, size: number, ofSize: number) => ((px - from) * ofSize) / size
    onPoint!(
      { x: at(event.clientX, box.left, box.width, width), y: at(event.clientY, box.top, box.height, height) },
      event,
    )
  }
  const pointed = onPoint && {
    onPointerMove: point,
    onPointerDown: point,
    onPointerLeave: (event: PointerEvent) => onPoint(null, event),
  }
  return (
    <Inks.Provider value={colors}>
      <svg
        xmlns="http://www.w3.org/2000/svg"
        width={width}
        height={height}
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        aria-label={label}
        {...pointed}
        {...more}
      >
        {children}
      </svg>
    </Inks.Provider>
  )
}
