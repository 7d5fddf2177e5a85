import { changedSettings, defaultsFor, queryString, type Settings } from './chart-settings.ts'
import { drawsDensity, type ItemFigure, type View } from './chart-view.ts'

/** Choice of what an item's page draws. @property base address of the study's charts */
export type DrawnItem = {
  base: string
  itemId: string
  participantId: string | null
  view: View
  settings: Settings
  defaults: Settings
  hasAois: boolean
  figure: ItemFigure
}

/** Addresses of the answers that an item's page draws; null for what it does not draw. */
type ItemChartPaths = {
  heatmap: string | null
  /** Numbers of fixations, which are listed only if they are drawn. */
  fixations: string
  /** Fixations with default settings, if others are set. */
  byDefault: string | null
  gaze: string | null
  bars: string | null
}

export function itemChartPaths(drawn: DrawnItem): ItemChartPaths {
  const { base, itemId, participantId, view, settings, defaults, hasAois, figure } = drawn
  const { layers, of, weighting } = view
  const isShown = (name: ItemFigure) => figure === name || figure === 'all'
  const at = (some: Settings, more: Record<string, string | null> = {}) =>
    queryString(some, defaults, { itemId, participantId, ...more })
  const grade = defaultsFor(settings, defaults)
  const isDefault = changedSettings(settings, grade).length === 0
  const points = layers.gaze && participantId === null ? 'true' : null
  const ofGaze = isShown('time') || (layers.gaze && isShown('picture'))
  const ofAois = hasAois && (isShown('aois') || (layers.aois && isShown('picture')))
  // Without fixations over the picture or a chart of them, only their numbers are needed: a hundredth of the bytes.
  const isListed = figure !== 'picture' || layers.scanpath || !(drawsDensity(layers) || layers.gaze)
  const listed = isListed ? null : 'false'
  const counted = of === 'gazes' ? gazeSettings(settings, defaults) : settings
  return {
    heatmap: drawsDensity(layers) && isShown('picture') ? `${base}/heatmap${at(counted, { of, weighting })}` : null,
    fixations: `${base}/fixations${at(settings, { listed })}`,
    byDefault: isDefault ? null : `${base}/fixations${at(grade, { listed: 'false' })}`,
    gaze: ofGaze ? `${base}/gaze${at(gazeSettings(settings, defaults), { points })}` : null,
    bars: ofAois ? `${base}/aois${at(settings)}` : null,
  }
}

/** Returns the settings that affect gaze before fixation detection: one, besides those that select tests. */
export function gazeSettings(settings: Settings, defaults: Settings): Settings {
  return { ...defaultsFor(settings, defaults), movingMedianRangeMs: settings.movingMedianRangeMs }
}
