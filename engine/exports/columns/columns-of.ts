import type { Column, Rows } from '../../model/columns.ts'
import type { Extra } from '../../model/parameters.ts'
import type { ExportEntry } from './export-entry.ts'
import { externalDataColumn, type FixedColumn, identityCells, participantTags, type TestIdentity } from './identity.ts'
import type { StudyFacts } from './study-facts.ts'

const made = new WeakMap<StudyFacts, Map<string, Column[]>>()

/**
 * Returns the columns of an export for a study. Right before `notes` come the export's own columns that depend on the
 * study, then the requested further ones, then those of participants in its bundles. Returns the same array for the
 * same facts and extras.
 *
 * @param extras of a plan
 */
export function columnsOf(entry: ExportEntry, facts: StudyFacts, extras: Extra[] = []): Column[] {
  const known = made.get(facts) ?? new Map<string, Column[]>()
  made.set(facts, known)
  const key = [entry.name, ...extras].join()
  const columns = known.get(key) ?? insertColumns(entry, facts, extras)
  known.set(key, columns)
  return columns
}

function insertColumns(entry: ExportEntry, facts: StudyFacts, extras: Extra[]): Column[] {
  const at = entry.columns.findIndex(({ name }) => name === 'notes')
  const further = extras.flatMap((extra) => entry.extras?.[extra] ?? [])
  const own = entry.ownColumns?.(facts) ?? []
  return entry.columns.toSpliced(at, 0, ...own, ...further, ...participantColumns(entry, facts))
}

/**
 * Returns the columns of tags and external data of participants; none if rows span tests and so belong to no single
 * participant.
 */
function participantColumns({ kind }: ExportEntry, facts: StudyFacts): FixedColumn<TestIdentity>[] {
  return kind === 'sums' ? [] : personalColumns(facts)
}

/** Returns the columns of tags and external data of participants in a study. */
export function personalColumns(facts: StudyFacts): FixedColumn<TestIdentity>[] {
  return [...(facts.hasTags ? [participantTags] : []), ...facts.externalDataNames.map(externalDataColumn)]
}

/**
 * Completes the rows of a test to all columns of `columnsOf`.
 *
 * @returns a function of the result of `entry.compute` and its test
 */
export function rowsWithParticipant(
  entry: ExportEntry,
  facts: StudyFacts,
  extras: Extra[] = [],
): (rows: Rows, identity: TestIdentity) => Rows {
  const columns = participantColumns(entry, facts)
  if (columns.length === 0) return (rows) => rows
  const at = columnsOf(entry, facts, extras).findIndex(({ name }) => name === 'notes') - columns.length
  return ({ n, cells }, identity) => ({ n, cells: cells.toSpliced(at, 0, ...identityCells(columns, identity)) })
}
