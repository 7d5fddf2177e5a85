import type { AoisData, FixationsData, GazeData, HeatmapData } from '../../core/api.ts'
import { useData } from '../../core/use-data.ts'
import { changedSettings, defaultsFor, queryString, type Settings } from '../../core/view/chart-settings.ts'
import { drawsDensity, type ItemFigure, type View } from '../../core/view/chart-view.ts'
import { gazeSettings, useHeat } from '../../figures/item-answers.ts'

/** Answers to the requests of an item's charts. */
export type ItemAnswers = ReturnType<typeof useAnswers>

/** Loads the data of an item's charts. @param base address of the study's charts */
export function useAnswers({
  base,
  itemId,
  participantId,
  view,
  settings,
  defaults,
  hasAois,
  figure,
}: {
  base: string
  itemId: string
  participantId: string | null
  view: View
  settings: Settings
  defaults: Settings
  hasAois: boolean
  figure: ItemFigure
}) {
  const { layers, of, weighting } = view
  const isShown = (name: ItemFigure) => figure === name || figure === 'all'
  const at = (some: Settings, more: Record<string, string | null> = {}) =>
    queryString(some, defaults, { itemId, participantId, ...more })
  const key = `${itemId} ${participantId}`
  // Requested first, since it is at the top of the page.
  const heatmap = useData<HeatmapData>(
    drawsDensity(layers) && isShown('picture')
      ? `${base}/heatmap${at(of === 'gazes' ? gazeSettings(settings, defaults) : settings, { of, weighting })}`
      : null,
    0,
    `${key} ${of} ${weighting}`,
  )
  const fixations = useData<FixationsData>(`${base}/fixations${at(settings)}`, 0, key)
  const grade = defaultsFor(settings, defaults)
  const isDefault = changedSettings(settings, grade).length === 0
  const byDefault = useData<FixationsData>(isDefault ? null : `${base}/fixations${at(grade)}`, 0, key)
  const points = layers.gaze && participantId === null ? 'true' : null
  const ofGaze = isShown('time') || (layers.gaze && isShown('picture'))
  const ofAois = hasAois && (isShown('aois') || (layers.aois && isShown('picture')))
  const gazePath = `${base}/gaze${at(gazeSettings(settings, defaults), { points })}`
  const gaze = useData<GazeData>(ofGaze ? gazePath : null, 0, key)
  const bars = useData<AoisData>(ofAois ? `${base}/aois${at(settings)}` : null, 0, key)
  const heat = useHeat(drawsDensity(layers) ? heatmap.data : null, view.heat)
  return { heatmap, heat, fixations, gaze, bars, isDefault, byDefault }
}
