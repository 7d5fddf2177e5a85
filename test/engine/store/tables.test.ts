import { createHash } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  openTables,
  participantsToBytes,
  readParticipantsTable,
  readTestsTable,
  testsToBytes,
} from '../../../engine/store/tables.ts'
import type { Participant, Test } from '../../../engine/study.ts'
import { numbersOf, rowAt, type Table, views } from '../../../engine/table.ts'

let folder: string
let people: Table
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gazette-tables-'))
  const bytes = participantsToBytes([])
  await writeFile(join(folder, 'participants.table'), bytes)
  people = await readParticipantsTable(folder, createHash('sha256').update(bytes).digest('hex'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const participant = (n: number, notes: string): Participant => ({
  id: `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
  externalId: `P"${n}\\`,
  createdAt: '2024-03-04T09:03:18.513+01:00',
  displayName: n % 2 === 0 ? '' : 'Åsa, "née" Ł\nand a line',
  age: n % 3 === 0 ? null : n,
  gender: n % 5 === 0 ? null : 1,
  displayGender: 'female',
  qualityGrade: (n % 6) + 1,
  isCompleted: n % 2 === 0,
  notes,
})

async function read(bytes: Buffer, sha256 = createHash('sha256').update(bytes).digest('hex')): Promise<Participant[]> {
  const path = join(folder, 'participants.table')
  await writeFile(path, bytes)
  const table = await readParticipantsTable(folder, sha256)
  return Array.from({ length: table.length }, (_, i) => rowAt<Participant>(table, i))
}

test('a table is read as it was written, wherever the pieces end that it is read in', async () => {
  // Fields of several MiB, and letters of two to four bytes.
  for (const padding of [0, 1, 2, 3]) {
    const people = Array.from({ length: 3000 }, (_, n) => participant(n, `${'x'.repeat(padding)}${'é漢😀'.repeat(80)}`))
    expect(await read(participantsToBytes(people))).toEqual(people)
  }
  expect(await read(participantsToBytes([]))).toEqual([])
})

async function readTests(tests: Test[]): Promise<Table> {
  const { table, pages } = testsToBytes(tests)
  await writeFile(join(folder, 'tests.table'), table)
  await writeFile(join(folder, 'tests.pages'), pages)
  return readTestsTable(folder, createHash('sha256').update(table).digest('hex'))
}

test('tests are read as they were written, in any order, whatever pages they lie in', async () => {
  for (const n of [0, 1, 1024, 1025, 20_000]) {
    const tests = Array.from({ length: n }, (_, ordinal) => testOf(ordinal))
    const table = await readTests(tests)
    expect(table.length).toBe(n)
    expect(tests.map((_, i) => rowAt<Test>(table, i))).toEqual(tests)
    const viewOf = views<Test>(inThread(table))
    // More pages than are kept, those of two tables in turn.
    for (let k = 0; k < Math.min(n, 300); k++) {
      const row = (k * 7919) % n
      expect(rowAt<Test>(table, n - 1 - row)).toEqual(tests[n - 1 - row])
      expect({ id: viewOf(row).id, display: viewOf(row).display, itemIndex: viewOf(row).itemIndex }).toEqual({
        id: tests[row].id,
        display: tests[row].display,
        itemIndex: tests[row].itemIndex,
      })
    }
  }
})

/** As a thread opens it, which is handed its source. */
function inThread({ source }: Table): Table {
  const { bytes } = structuredClone(source!)
  return openTables({ participants: people.source!, tests: { ...source!, bytes } }).tests
}

test('what is read of a table is memory that threads share', async () => {
  const table = await readTests([testOf(0), testOf(1)])
  const copy = inThread(table)
  numbersOf(table, 'sampleCount')[1] = 99
  expect(numbersOf(copy, 'sampleCount')[1]).toBe(99)
})

test('a page that is not what its hash says, or is gone, is not read', async () => {
  const tests = Array.from({ length: 2000 }, (_, ordinal) => testOf(ordinal))
  const { id } = tests[1500]
  const table = await readTests(tests)
  const path = join(folder, 'tests.pages')
  const bytes = await readFile(path)
  const at = bytes.indexOf(id)
  bytes[at] ^= 1
  await writeFile(path, bytes)
  expect(rowAt<Test>(table, 3).id).toBe(tests[3].id)
  const refused = (message: string) => expect.objectContaining({ code: 'corrupt', message })
  expect(() => rowAt<Test>(table, 1500)).toThrow(refused('tests.pages is not what its manifest promises'))
  await writeFile(path, bytes.subarray(0, at))
  expect(() => rowAt<Test>(table, 1500)).toThrow(refused('tests.pages cannot be read'))
  await rm(path)
  expect(() => rowAt<Test>(table, 1500)).toThrow(refused('tests.pages cannot be read'))
  // What was read stays.
  expect(rowAt<Test>(table, 3)).toEqual(tests[3])
})

test('a table that is not what its hash says, lacks a field, or ends early, is refused', async () => {
  const bytes = participantsToBytes([participant(1, 'a'), participant(2, 'a')])
  await expect(read(bytes, 'f'.repeat(64))).rejects.toThrow('participants.table has changed')
  await expect(
    read(bytes.subarray(0, bytes.length - 8), createHash('sha256').update(bytes).digest('hex')),
  ).rejects.toThrow('participants.table has changed')
  const header = bytes.toString('utf8', 0, bytes.indexOf('\n'))
  const withHeader = (changed: string) =>
    Buffer.concat([Buffer.from(changed.padEnd(header.length)), bytes.subarray(header.length)])
  const completed = '{"name":"isCompleted","kind":"boolean","arrays":[{"type":"Uint8Array","length":2}]}'
  expect(header).toContain(completed)
  await expect(read(withHeader(header.replace(`${completed},`, '')))).rejects.toThrow()
  await expect(read(withHeader(header.replace(completed, completed.replace('2}', '1}'))))).rejects.toThrow(
    'unequal length',
  )
  await expect(read(bytes.subarray(0, header.length + 1))).rejects.toThrow()
})

function testOf(ordinal: number): Test {
  const display = ordinal % 3 === 0 ? null : { leftPx: 0.1 * ordinal, topPx: 0, widthPx: 800.5, heightPx: 600 }
  return {
    id: `00000000-0000-4000-9000-${String(ordinal).padStart(12, '0')}`,
    itemIndex: ordinal % 7,
    participantIndex: ordinal % 11,
    createdAt: ordinal % 2 === 0 ? '' : '2024-03-04T09:03:18.513+01:00',
    displayOrder: ordinal % 5 === 0 ? null : ordinal,
    durationUs: ordinal % 4 === 0 ? null : ordinal * 1e6,
    finishedOnKey: 'Ä',
    hasFinishedOnClick: ordinal % 2 === 0,
    clickCount: 3,
    qualityGradeItem: 6,
    browserWidthPx: null,
    browserHeightPx: 1080.25,
    display,
    notes: '',
    file: 0,
    ordinal,
    sampleCount: 12,
  }
}
