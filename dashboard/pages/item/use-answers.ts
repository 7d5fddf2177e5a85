import type { AoisData, FixationsData, GazeData, HeatmapData } from '../../core/api.ts'
import { useData } from '../../core/use-data.ts'
import { drawsDensity } from '../../core/view/chart-view.ts'
import { type DrawnItem, itemChartPaths } from '../../core/view/item-charts.ts'
import { useHeat } from '../../figures/item-answers.ts'

/** Answers to the requests of an item's charts. */
export type ItemAnswers = ReturnType<typeof useAnswers>

/** Loads the data of an item's charts. */
export function useAnswers(drawn: DrawnItem) {
  const { itemId, participantId, view, figure } = drawn
  const { layers, of, weighting } = view
  const paths = itemChartPaths(drawn)
  const key = `${itemId} ${participantId}`
  // Requested first, since it is at the top of the page.
  const heatmap = useData<HeatmapData>(paths.heatmap, 0, `${key} ${of} ${weighting}`)
  // Numbers without the list are no data of the other figures.
  const fixations = useData<FixationsData>(paths.fixations, 0, `${key} ${figure === 'picture'}`)
  const byDefault = useData<FixationsData>(paths.byDefault, 0, key)
  const gaze = useData<GazeData>(paths.gaze, 0, key)
  const bars = useData<AoisData>(paths.bars, 0, key)
  const heat = useHeat(drawsDensity(layers) ? heatmap.data : null, view.heat)
  return { heatmap, heat, fixations, gaze, bars, isDefault: paths.byDefault === null, byDefault }
}
