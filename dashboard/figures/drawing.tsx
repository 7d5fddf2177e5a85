import type { ComponentChildren, SVGAttributes } from 'preact'
import './figures.css'

/** Draws an <svg> of a width and height in pixels, which can be saved as a file. @param label accessible description */
export function Drawing({
  width,
  height,
  label,
  children,
  ...more
}: {
  width: number
  height: number
  label: string
  children: ComponentChildren
} & Pick<SVGAttributes<SVGSVGElement>, 'class' | 'onPointerMove' | 'onPointerDown' | 'onPointerLeave'>) {
  return (
    <svg
      xmlns="http://www.w3.org/2000/svg"
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      aria-label={label}
      {...more}
    >
      {children}
    </svg>
  )
}
