/** Facts of a recording that degrees of the visual field need. */
const GEOMETRY = ['screenWidthPx', 'screenHeightPx', 'screenWidthCm', 'screenHeightCm', 'viewingDistanceCm'] as const

/**
 * Returns the names of the facts that degrees need and a recording lacks.
 *
 * @param eyes recorded columns of each eye: their distance replaces that of the recording
 */
export function missingGeometry(
  recording: Partial<Record<(typeof GEOMETRY)[number], number | null>> | null | undefined,
  eyes: readonly string[] = [],
): string[] {
  const hasDistance = eyes.some((column) => column.endsWith('EyeDistanceMm'))
  return GEOMETRY.filter((name) => !recording?.[name] && !(name === 'viewingDistanceCm' && hasDistance))
}
