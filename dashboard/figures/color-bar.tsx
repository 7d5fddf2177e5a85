import type { HeatmapData } from '../core/api.ts'
import { fogOn, heatOn } from '../core/colors/heat-colors.ts'
import { HEAT_MAPS } from '../core/colors/heat-maps.ts'
import type { Colors } from '../core/colors/theme.ts'
import type { Heat } from '../core/heat/paint-heat.ts'
import { decimal, significant } from '../core/number-texts.ts'
import { Drawing } from '../ui/chart/drawing.tsx'
import { Words } from '../ui/chart/words.tsx'
import { ColorSteps } from './color-steps.tsx'

const STEPS = 48
const WIDTH = 288

/** Draws the colour bar of a heatmap or fog map, from zero to the end of its scale, as a separate drawing. */
export function ColorBar({ data, heat, colors }: { data: HeatmapData; heat: Heat; colors: Colors }) {
  const { end, peak, style } = heat
  const cell = `${decimal(100 / data.columns)} × ${decimal(100 / data.rows)} %`
  const what = `${data.unit} per cell of ${cell} of the item`
  const isCut = peak > end * (1 + 1e-9)
  const { fog, opacity } = style
  const isForDark = fog === null ? HEAT_MAPS[style.colors].isForDark : fog === 'light'
  const ground: [number, number, number] = isForDark ? [20, 20, 20] : [255, 255, 255]
  const colorAt = (share: number) =>
    fog === null ? heatOn(ground, style.colors, share, opacity) : fogOn(ground, fog, share, opacity)
  return (
    <Drawing
      class="color-bar"
      width={420}
      height={50}
      colors={colors}
      label={`${fog === null ? 'Colours' : 'Fog'} from 0 to ${significant(end)} ${what}`}
    >
      <ColorSteps steps={STEPS} width={WIDTH + 2} colorAt={colorAt} />
      <Words y={29}>0</Words>
      <Words x={WIDTH / 2} y={29} anchor="middle">
        {significant(end / 2)}
      </Words>
      <Words x={WIDTH} y={29} anchor="middle">{`${isCut ? '≥ ' : ''}${significant(end)}`}</Words>
      <Words y={45} isMuted>
        {what}
      </Words>
    </Drawing>
  )
}
