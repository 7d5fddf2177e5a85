import { isolate } from '../core/number-texts.ts'
import { useInks } from '../ui/chart/drawing.tsx'
import { useFrame } from '../ui/chart/plot.tsx'
import { cutTo, Words } from '../ui/chart/words.tsx'

const NAME_PX = 90

/** Marks events by dashed lines with names, in a frame of seconds; a name that would overlap another is left out. */
export function EventLines({ events }: { events: { tMs: number; name: string }[] }) {
  const { x, top, bottom, right } = useFrame()
  const { ink } = useInks()
  let free = Number.NEGATIVE_INFINITY
  return [...events]
    .sort((a, b) => a.tMs - b.tMs)
    .map(({ tMs, name }, i) => {
      const at = x(tMs / 1000)
      const isFree = at >= free
      if (isFree) free = at + NAME_PX
      return (
        <g key={i} class="event">
          <line x1={at} x2={at} y1={top - 6} y2={bottom} stroke={ink} stroke-dasharray="2 3" />
          {isFree && (
            <Words x={Math.min(at + 3, right - 20)} y={top - 8} fontPx={11}>
              {isolate(cutTo(name, NAME_PX - 8, 11))}
            </Words>
          )}
        </g>
      )
    })
}
