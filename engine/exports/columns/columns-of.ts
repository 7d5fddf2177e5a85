import type { Column } from '../../model/columns.ts'
import type { Parameters } from '../../model/parameters.ts'
import type { ExportEntry } from './export-entry.ts'
import { externalDataColumn, type FixedColumn, participantTags, type TestIdentity } from './identity.ts'
import type { StudyFacts } from './study-facts.ts'
import { EPOCH_COLUMNS, takesEpochs } from './test-epochs.ts'

/** Parameters that add columns. */
type Asked = Pick<Partial<Parameters>, 'extras' | 'eventType'>

const made = new WeakMap<StudyFacts, Map<string, Column[]>>()

/**
 * Returns the columns of an export for a study. Right before `notes` come the export's own columns that depend on the
 * study, then the requested further ones, those of the event of an epoch, and those of participants in its bundles.
 * Returns the same array for the same facts and parameters.
 *
 * @param parameters of a plan
 */
export function columnsOf(entry: ExportEntry, facts: StudyFacts, parameters: Asked = {}): Column[] {
  const known = made.get(facts) ?? new Map<string, Column[]>()
  made.set(facts, known)
  const key = [entry.name, parameters.eventType === undefined, ...(parameters.extras ?? [])].join()
  const columns = known.get(key) ?? insertColumns(entry, facts, parameters)
  known.set(key, columns)
  return columns
}

function insertColumns(entry: ExportEntry, facts: StudyFacts, { extras = [], eventType }: Asked): Column[] {
  const at = entry.columns.findIndex(({ name }) => name === 'notes')
  const further = extras.flatMap((extra) => entry.extras?.[extra] ?? [])
  const own = entry.ownColumns?.(facts) ?? []
  const ofEpoch = eventType !== undefined && takesEpochs(entry) ? EPOCH_COLUMNS : []
  return entry.columns.toSpliced(at, 0, ...own, ...further, ...ofEpoch, ...participantColumns(entry, facts))
}

/**
 * Returns the columns of tags and external data of participants; none if rows span tests and so belong to no single
 * participant.
 */
export function participantColumns({ kind }: ExportEntry, facts: StudyFacts): FixedColumn<TestIdentity>[] {
  return kind === 'sums' ? [] : personalColumns(facts)
}

/** Returns the columns of tags and external data of participants in a study. */
export function personalColumns(facts: StudyFacts): FixedColumn<TestIdentity>[] {
  return [...(facts.hasTags ? [participantTags] : []), ...facts.externalDataNames.map(externalDataColumn)]
}
