import { countOffsets } from '../../../isomorphic/gaze-offsets.ts'
import { INTERPOLATION_HZ, LONGEST_JOINED_GAP_MS } from '../../compute/gaze.ts'
import { type Cells, type Column, column, type Rows, same } from '../../model/columns.ts'
import { PARAMETER_NAMES, type ParameterName } from '../../model/parameters.ts'
import type { Plan } from '../../model/plan.ts'

export const NOTES: Column = column(
  'notes',
  'string',
  '',
  'In the first row: version of Gazette and settings with which the file was computed',
  '',
  { isGuarded: true },
)

/** Parameters that stand by themselves. */
const ONES: ParameterName[] = [
  'eye',
  'fromMs',
  'toMs',
  'readingFrom',
  'lines',
  'extras',
  'eventType',
  'aoiNames',
  'denominator',
]

/** Settings that are told apart from those of fixations. */
const GROUPS = [
  { title: 'PupilSettings', names: /^(pupil|blink)/ },
  { title: 'ClusterSettings', names: /^cluster/ },
  { title: 'MicrosaccadeSettings', names: /^microsaccade/ },
]

/** Notes of rows without their own. */
export const NO_NOTES: Cells = same('')

/**
 * Returns the notes for the first data row of a file, on one line: version, settings and, at the end, the filter, whose
 * characters may need quotes.
 */
export function settingsNotes(plan: Plan): string {
  const given = plan.parameters as Record<string, unknown>
  const isSetting = (name: ParameterName) =>
    !['itemId', 'participantQualityGradeItemMin', 'filter', 'analysis', ...ONES].includes(name)
  const listed = PARAMETER_NAMES.filter((name) => isSetting(name) && name in given)
  const textOf = (name: ParameterName) => `${name} = ${given[name]}`
  const settings = listed.filter((name) => !GROUPS.some(({ names }) => names.test(name))).map(textOf)
  const groups = GROUPS.flatMap(({ title, names }) => {
    const own = listed.filter((name) => names.test(name)).map(textOf)
    return own.length > 0 ? [`${title} [${own.join('; ')}]`] : []
  })
  const filter = [
    `gazePointInterpolationHz = ${INTERPOLATION_HZ}`,
    `gazePointInterpolationMaxGapMs = ${LONGEST_JOINED_GAP_MS}`,
    ...settings,
  ]
  return [
    `Gazette v${plan.version}`,
    ...(settings.length > 0 ? [`FixationFilterSettings [${filter.join('; ')}]`] : []),
    ...groups,
    `participantQualityGradeItemMin = ${given.participantQualityGradeItemMin}`,
    ...ONES.flatMap((name) => (name in given ? [`${name} = ${given[name]}`] : [])),
    ...(given.analysis ? [`analysis = ${given.analysis} (${ignoredText(plan)})`] : []),
    ...(given.offsets ? [`gazeOffsets = ${countOffsets(plan.parameters.offsets!)}`] : []),
    ...(given.filter ? [`filter = ${given.filter}`] : []),
  ].join('; ')
}

function ignoredText({ parameters: { ignored = [] } }: Plan): string {
  return `${ignored.length} participant${ignored.length === 1 ? '' : 's'} ignored`
}

/** Adds the notes of the file to the first row, before the row's own notes. */
export function withNotes({ n, cells }: Rows, columns: Column[], notes: string): Rows {
  const at = columns.findIndex(({ name }) => name === 'notes')
  const cell = cells[at]
  const own = cell.kind === 'same' ? String(cell.value ?? '') : ''
  const first = own === '' ? notes : `${notes} | ${own}`
  const indexes = new Int32Array(n).fill(1)
  indexes[0] = 0
  return { n, cells: cells.with(at, { kind: 'texts', dictionary: [first, own], indexes }) }
}
