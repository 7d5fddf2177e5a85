import type { Study } from '../core/api.ts'
import { AoiChooser, AoiLegend } from './aoi-legend.tsx'
import { AoiOrderChoice } from './aoi-order.tsx'
import type { ScarfData } from './scarf.tsx'

type AoiColorsProps = Pick<ScarfData, 'aois' | 'chosen' | 'paint'> & {
  study: Study
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
