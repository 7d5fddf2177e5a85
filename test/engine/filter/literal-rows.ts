import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { listValue, openDuckDb } from '../../../engine/duckdb/duckdb.ts'
import { type QueryValues, queryRows } from '../../../engine/duckdb/query.ts'
import { filterColumns } from '../../../engine/filter/columns.ts'
import { readFilter } from '../../../engine/filter/read-filter.ts'
import { filterSql } from '../../../engine/filter/to-sql.ts'
import { selectionSql } from '../../../engine/snapshot/select-sql.ts'
import { writeParticipants, writeTests } from '../../../engine/snapshot/table-columns.ts'
import { uuid } from '../import/bundles.ts'

/** The values of columns, by the names that filters have for them. */
export type Facts = Record<string, unknown>

export const NAMES = ['g', 'constructor']

/** Tables of a snapshot with a test and a participant for each row of facts, and filters asked of them. */
export async function literalRows(facts: Facts[]) {
  const root = await mkdtemp(join(tmpdir(), 'gazette-filter-'))
  const directory = join(root, 'study', 'snapshot')
  await mkdir(directory, { recursive: true })
  const [path, participants] = [join(directory, 'tests.parquet'), join(directory, 'participants.parquet')]
  const filenames = facts.map((fact) => String(fact.item_filename ?? 'item.png'))
  const db = await openDuckDb({ directories: [root], threads: 1, memoryMib: 128 })
  try {
    const more = { hasTags: true, externalData: NAMES }
    await writeParticipants(db.connection, participants, facts.map(participantOf), more)
    await writeTests(db.connection, path, facts.map(testOf))
  } finally {
    db.close()
  }
  const columns = filterColumns(NAMES)

  /** @returns for each row true, false or null, as the SQL of a filter says */
  async function truths(text: string): Promise<(boolean | null)[]> {
    const { condition, fault } = readFilter(text, columns)
    if (condition === null) throw new Error(`${text}: ${JSON.stringify(fault)}`)
    const made = filterSql(condition, true)
    const values: QueryValues = { path, itemId: null, gradeMin: 1, ignored: listValue([]), ...made.values }
    if (made.columns.some(({ name }) => name === 'item_filename')) values.filenames = listValue(filenames)
    if (made.needsTags || made.columns.some(({ of }) => of === 'participant')) values.participants = participants
    const rowsWhere = async (where: string) =>
      (await queryRows(root, selectionSql('test_row, participant_row', { ...made, where }), values)).map(([row]) =>
        Number(row),
      )
    const found = new Array<boolean | null>(facts.length).fill(null)
    for (const row of await rowsWhere(made.where)) found[row] = true
    for (const row of await rowsWhere(`NOT ${made.where}`)) found[row] = false
    return found
  }
  return { truths, remove: () => rm(root, { recursive: true, force: true }) }
}

const textOf = (fact: unknown) => (fact ?? '') as string
const numberOf = (fact: unknown) => (fact ?? null) as number | null

function participantOf(fact: Facts, n: number) {
  const given = {
    id: textOf(fact.participant_id) || `00000000-0000-4000-8003-${String(n).padStart(12, '0')}`,
    externalId: textOf(fact.participant_external_id),
    createdAt: textOf(fact.participant_created_at),
    displayName: textOf(fact.participant_display_name),
    age: numberOf(fact.participant_age),
    gender: numberOf(fact.participant_gender) as 0 | 1 | 2 | null,
    displayGender: textOf(fact.participant_display_gender),
    qualityGrade: numberOf(fact.participant_quality_grade) ?? 6,
    isCompleted: fact.participant_is_completed === true,
    notes: '',
    tags: (fact.participant_tags ?? []) as string[],
    externalData: Object.fromEntries(
      NAMES.map((name) => [name, textOf(fact[`external_data_${name}`])]).filter(([, value]) => value !== ''),
    ),
  }
  return { given, filled: given }
}

function testOf(fact: Facts, n: number) {
  const duration = numberOf(fact.test_duration_ms)
  const given = {
    id: textOf(fact.test_id) || uuid('c', n),
    itemId: textOf(fact.item_id) || uuid('1', n),
    participantId: participantOf(fact, n).filled.id,
    createdAt: textOf(fact.test_created_at),
    displayOrder: numberOf(fact.test_item_display_order),
    durationUs: duration === null ? null : Math.round(duration * 1000),
    finishedOnKey: textOf(fact.test_finished_on_key),
    hasFinishedOnClick: fact.test_has_finished_on_click === true,
    clickCount: numberOf(fact.test_click_count) ?? 0,
    qualityGradeItem: numberOf(fact.participant_quality_grade_item) ?? 6,
    browserWidthPx: numberOf(fact.test_browser_width_px),
    browserHeightPx: numberOf(fact.test_browser_height_px),
    display: null,
    notes: '',
  }
  const sums = { validCount: 0, spanUs: 0, missingUs: 0, durationUs: 0, onScreenCount: 0, windowedCount: 0 }
  return {
    given,
    filled: { ...given, itemIndex: n, participantIndex: n, sampleCount: 0 },
    measured: { ...sums, sampleCount: 0, clickCount: 0 },
    place: { file: -1, ordinal: n, firstSample: 0 },
  }
}
