import { collectAll } from '../../duckdb/garbage.ts'
import type { Domain, FixedColumn, TestIdentity } from '../../exports/columns/identity.ts'
import type { ColumnDictionary, Texts } from '../../formats/encoder.ts'
import { isNull, isText } from '../../formats/gather.ts'
import type { Column, Value } from '../../model/columns.ts'
import type { Aoi, Item, Snapshot } from '../../model/study.ts'
import { loadRows } from '../../snapshot/rows/read-rows.ts'
import type { Selection } from '../../snapshot/selection.ts'
import { distinctTexts } from './distinct-texts.ts'

/**
 * Distinct texts of the tests and AOIs of a file, for formats whose file begins with them. They are in the order of
 * their first use by a row, so threads do not influence it.
 */
export type Dictionaries = {
  /** Texts by column. */
  values: Record<string, Texts>
  /**
   * Codes by column, for each study of the file: the number of distinct values, and the code for each item,
   * participant, AOI of the study or test of the selection, in shared memory.
   */
  codes: Codes[]
}
export type Codes = Record<string, { size: number; codes: Int32Array }>

/** Kinds of subjects to which the values of fixed columns belong. */
type Subject = TestIdentity & { aoi: Aoi }
type TextColumn = FixedColumn<Partial<Subject>>

/** Returns the columns with repeated texts: those of tests and AOIs. */
function dictionaryColumns(columns: Column[]): TextColumn[] {
  return columns.filter((column) => isText(column) && 'value' in column) as TextColumn[]
}

const TESTS_AT_ONCE = 2048
/** Number of rows that are garbage-collected before more are read. */
const COLLECT_EVERY_TESTS = 16 * TESTS_AT_ONCE

/** A study of a file, and the tests that the file has of it. */
type Texted = { snapshot: Snapshot; selection: Selection }
/** A column of a dictionary, and the distinct texts found so far. */
type Collected = { column: TextColumn; distinct: ReturnType<typeof distinctTexts> }

/**
 * Collects the distinct texts of the tests and AOIs of selections.
 *
 * @throws ServiceError corrupt if a table lacks rows
 */
export async function makeDictionaries(columns: Column[], sources: Texted[]): Promise<Dictionaries> {
  const collected = dictionaryColumns(columns).map((column) => ({ column, distinct: distinctTexts() }))
  const codes: Record<string, Int32Array>[] = []
  for (const source of sources) codes.push(await collectTexts(collected, source))
  const sizes = Object.fromEntries(collected.map(({ column, distinct }) => [column.name, distinct.texts.ends.length]))
  const sized = (own: Record<string, Int32Array>): Codes =>
    Object.fromEntries(Object.entries(own).map(([name, of]) => [name, { size: sizes[name], codes: of }]))
  return {
    values: Object.fromEntries(collected.map(({ column, distinct }) => [column.name, distinct.texts])),
    codes: codes.map(sized),
  }
}

/** Adds the texts of a study, and returns their codes by column. */
async function collectTexts(
  collected: Collected[],
  { snapshot, selection }: Texted,
): Promise<Record<string, Int32Array>> {
  const { study, manifest } = snapshot
  const sizes: Record<Domain, number> = {
    study: 1,
    item: study.items.length,
    participant: manifest.counts.participants,
    test: selection.n,
    aoi: study.aois.length,
  }
  const columnsOf = collected.map((each) => startColumn(each, sizes[each.column.of]))
  const add = (of: Domain, index: number, subject: Partial<Subject>) => {
    for (const column of columnsOf) if (column.of === of) column.add(index, subject)
  }
  add('study', 0, { studyId: study.id })
  for (const [index, item] of study.items.entries()) add('item', index, { item })
  for (const [index, aoi] of study.aois.entries())
    add('aoi', index, { aoi, item: study.items.find(({ id }) => id === aoi.itemId) as Item })
  const isKnown = new Uint8Array(manifest.counts.participants)
  for (let from = 0; from < selection.n; from += TESTS_AT_ONCE) {
    const to = Math.min(selection.n, from + TESTS_AT_ONCE)
    if (from > 0 && from % COLLECT_EVERY_TESTS === 0) collectAll()
    const people = Int32Array.from(new Set(selection.participantRows.subarray(from, to))).filter(
      (row) => isKnown[row] === 0,
    )
    const { testAt, participantAt } = await loadRows(snapshot, selection.testRows.subarray(from, to), people)
    for (const row of people) {
      isKnown[row] = 1
      add('participant', row, { participant: participantAt(row) })
    }
    for (let i = from; i < to; i++) add('test', i, { test: testAt(selection.testRows[i]) })
  }
  return Object.fromEntries(columnsOf.map(({ name, codes }) => [name, codes]))
}

function startColumn({ column, distinct: { codeOf } }: Collected, size: number) {
  const codes = new Int32Array(new SharedArrayBuffer(4 * size)).fill(-1)
  return {
    name: column.name,
    of: column.of,
    codes,
    add: (index: number, subject: Partial<Subject>) => {
      const value = column.value(subject)
      if (!isNull(value, column)) codes[index] = codeOf(String(value))
    },
  }
}

/** Dictionaries by column, with the codes of upcoming values; each thread has its own. */
export type KnownCodes = {
  dictionaries: Record<string, ColumnDictionary>
  know: (of: Domain, index: number, subject: Partial<Subject>) => void
}

export function knownCodes(columns: Column[], given: Codes): KnownCodes {
  const texts = dictionaryColumns(columns)
  const dictionaries = Object.fromEntries(
    texts.map(({ name }) => [name, { size: given[name].size, codes: new Map<Value, number>() }]),
  )
  return {
    dictionaries,
    know: (of, index, subject) => {
      for (const column of texts) {
        if (column.of !== of) continue
        dictionaries[column.name].codes.set(column.value(subject), given[column.name].codes[index])
      }
    },
  }
}
