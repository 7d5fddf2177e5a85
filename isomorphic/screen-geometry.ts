/** Facts of a recording that degrees of the visual field need. */
const GEOMETRY = ['screenWidthPx', 'screenHeightPx', 'screenWidthCm', 'screenHeightCm', 'viewingDistanceCm'] as const

/** Returns the names of the facts that degrees need and a recording lacks. */
export function missingGeometry(
  recording: Partial<Record<(typeof GEOMETRY)[number], number | null>> | null | undefined,
): string[] {
  return GEOMETRY.filter((name) => !recording?.[name])
}
