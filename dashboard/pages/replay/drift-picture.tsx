import { useRef } from 'preact/hooks'
import type { FixationRow } from '../../core/api.ts'
import { GAZE, RIM } from '../../figures/stimulus.tsx'

/** Fixations of a test from the server, and their shift in percent of the item. */
type DriftPath = { fixations: FixationRow[]; shift: { x: number; y: number } }

type DriftPictureProps = {
  paths: DriftPath[]
  href: string | null
  aspect: number
  /** Called with the distance dragged since the last call, in shares of the picture. */
  onDrag: (x: number, y: number) => void
}

const WIDTH = 1000

/** Draws shifted fixations over their picture, and lets the user drag them. */
export function DriftPicture({ paths, href, aspect, onDrag }: DriftPictureProps) {
  const last = useRef<{ x: number; y: number } | null>(null)
  const height = WIDTH / aspect
  const move = (event: PointerEvent) => {
    if (last.current === null) return
    const box = (event.currentTarget as Element).getBoundingClientRect()
    onDrag((event.clientX - last.current.x) / box.width, (event.clientY - last.current.y) / box.height)
    last.current = { x: event.clientX, y: event.clientY }
  }
  return (
    <svg
      class="drift-picture"
      viewBox={`0 0 ${WIDTH} ${height}`}
      role="img"
      aria-label="Fixations over the picture, moved by the offset; use the fields below to move them by keyboard"
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId)
        last.current = { x: event.clientX, y: event.clientY }
      }}
      onPointerMove={move}
      onPointerUp={() => {
        last.current = null
      }}
      onPointerCancel={() => {
        last.current = null
      }}
    >
      <rect width={WIDTH} height={height} class="drift-ground" />
      {href !== null && <image href={href} width={WIDTH} height={height} preserveAspectRatio="none" opacity="0.75" />}
      {paths.map(({ fixations, shift }, p) => (
        <g key={p} transform={`translate(${(shift.x * WIDTH) / 100} ${(shift.y * height) / 100})`}>
          {fixations.map(([x, y, startMs, endMs]) => (
            <circle
              key={startMs}
              cx={(x * WIDTH) / 100}
              cy={(y * height) / 100}
              r={4 + Math.sqrt(endMs - startMs) / 2}
              fill={GAZE}
              fill-opacity="0.8"
              stroke={RIM}
            />
          ))}
        </g>
      ))}
    </svg>
  )
}
