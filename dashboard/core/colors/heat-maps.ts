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

/** Colours of the fog of a fog map, which is full where nobody looked. */
export type FogName = 'dark' | 'light'

export const FOGS: Record<FogName, { label: string; color: [r: number, g: number, b: number] }> = {
  dark: { label: 'Dark fog', color: [16, 24, 32] },
  light: { label: 'Light fog, for dark pictures', color: [244, 246, 248] },
}
