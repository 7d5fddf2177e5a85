/**
 * Colour scales of a heatmap: more gaze is darker on a light picture, or lighter on a dark one. Their colours are in
 * heat-colors.ts, which only pages with a heatmap load.
 */
export type HeatMapName = 'magma' | 'viridis' | 'blues' | 'glow'

export const HEAT_MAPS: Record<HeatMapName, { label: string; isForDark: boolean }> = {
  magma: { label: 'Orange to black', isForDark: false },
  viridis: { label: 'Green to violet', isForDark: false },
  blues: { label: 'Pale to dark blue', isForDark: false },
  glow: { label: 'Black to yellow, for dark pictures', isForDark: true },
}
