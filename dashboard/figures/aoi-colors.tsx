import type { Aoi, Study } from '../core/api.ts'
import type { AoiPaint } from '../core/colors/aoi-colors.ts'
import { AoiChooser, AoiLegend } from './aoi-legend.tsx'
import { AoiOrderChoice } from './aoi-order.tsx'

type AoiColorsProps = {
  study: Study
  aois: Aoi[]
  chosen: number[]
  paint: AoiPaint
  onLight: (aoiIndex: number | null) => void
}

/** Draws the colours of AOIs below a chart of fixations, and the choice of AOIs with a colour. */
export function AoiColors({ study, aois, chosen, paint, onLight }: AoiColorsProps) {
  return (
    <>
      <AoiLegend aois={aois} paint={paint} onLight={onLight} />
      <AoiChooser {...{ study, aois, chosen }} colors={paint.colors} />
      <AoiOrderChoice />
    </>
  )
}
