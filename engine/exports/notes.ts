import { INTERPOLATION_HZ, LONGEST_JOINED_GAP_MS } from '../compute/gaze.ts'
import { PARAMETER_NAMES, type ParameterName } from '../params.ts'
import type { Plan } from '../plan.ts'
import type { Column } from '../registry.ts'

export const NOTES: Column = {
  name: 'notes',
  type: 'string',
  unit: '',
  meaning: "In the first row: Gazette's version and the settings that the file was computed with",
  missing: '',
}

/** What stands in the notes of the first data row: SPEC section 7. Needs no quotes. */
export function settingsNotes(plan: Plan): string {
  const given = plan.parameters as Record<string, unknown>
  const isSetting = (name: ParameterName) => name !== 'itemId' && name !== 'participantQualityGradeItemMin'
  const settings = PARAMETER_NAMES.filter((name) => isSetting(name) && name in given).map(
    (name) => `${name} = ${given[name]}`,
  )
  const filter = [
    `gazePointInterpolationHz = ${INTERPOLATION_HZ}`,
    `gazePointInterpolationMaxGapMs = ${LONGEST_JOINED_GAP_MS}`,
    ...settings,
  ]
  return [
    `Gazette v${plan.version}`,
    ...(settings.length > 0 ? [`FixationFilterSettings [${filter.join('; ')}]`] : []),
    `participantQualityGradeItemMin = ${given.participantQualityGradeItemMin}`,
  ].join('; ')
}
