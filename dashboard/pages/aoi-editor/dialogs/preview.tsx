import type { Aoi, Item } from '../../../core/api.ts'
import { paintAois } from '../../../core/colors/aoi-colors.ts'
import { countOf, isolate } from '../../../core/number-texts.ts'
import { Drawing } from '../../../ui/chart/drawing.tsx'
import { cornersOf } from '../shapes/parts.ts'

const WIDTH = 160

type PreviewProps = { aois: Aoi[]; second?: Aoi[]; item: Item; aspect: number; label: string }

/** Draws a small picture of a set of AOIs. @param second another set, dashed */
export function PreviewPanel({ aois, second = [], item, aspect, label }: PreviewProps) {
  const height = Math.round(WIDTH / aspect)
  const colors = paintAois(
    aois,
    aois.slice(0, 8).map((_, a) => a),
  )
  const shapes = (set: Aoi[], isDashed: boolean) =>
    set.flatMap((aoi, a) =>
      aoi.parts.map(({ areaPoints }, p) => (
        <polygon
          key={`${aoi.id} ${p}`}
          points={cornersOf(areaPoints, item)
            .map(([x, y]) => `${x * WIDTH},${y * height}`)
            .join(' ')}
          fill={isDashed ? 'none' : colors[a]}
          fill-opacity="0.3"
          stroke={isDashed ? 'currentColor' : colors[a]}
          stroke-width="1.5"
          stroke-dasharray={isDashed ? '4 3' : undefined}
        />
      )),
    )
  return (
    <Drawing class="aoi-preview" width={WIDTH} height={height} label={label}>
      {shapes(aois, false)}
      {shapes(second, true)}
    </Drawing>
  )
}

const NAMED = 12

/** Names a set of AOIs in a line. */
export function nameAois(aois: Aoi[]): string {
  const names = aois.slice(0, NAMED).map(({ name }) => isolate(name) || 'without a name')
  const more = aois.length > NAMED ? ` and ${aois.length - NAMED} more` : ''
  return `${countOf(aois.length, 'AOI')}${names.length > 0 ? `: ${names.join(', ')}${more}` : ''}`
}
