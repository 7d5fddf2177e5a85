import { createHash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  participantsToBytes,
  readParticipantsTable,
  readTestsTable,
  testsToBytes,
} from '../../../engine/store/tables.ts'
import type { Participant, Test } from '../../../engine/study.ts'
import { rowAt } from '../../../engine/table.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gazette-tables-'))
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
  const table = await readParticipantsTable(path, sha256)
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

test('a table of tests is read as it was written', async () => {
  const tests = Array.from({ length: 500 }, (_, ordinal) => testOf(ordinal))
  const path = join(folder, 'tests.table')
  const bytes = testsToBytes(tests)
  await writeFile(path, bytes)
  const table = await readTestsTable(path, createHash('sha256').update(bytes).digest('hex'))
  expect(tests.map((_, i) => rowAt<Test>(table, i))).toEqual(tests)
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
