import { createHash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readTestsAside } from '../../../engine/store/read-aside.ts'
import { participantsToJson, readParticipantsTable, readTestsTable, testsToJson } from '../../../engine/store/tables.ts'
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

async function read(json: string, sha256 = createHash('sha256').update(json).digest('hex')): Promise<Participant[]> {
  const path = join(folder, 'participants.json')
  await writeFile(path, json)
  const table = await readParticipantsTable(path, sha256)
  return Array.from({ length: table.length }, (_, i) => rowAt<Participant>(table, i))
}

test('a table is read as it was written, wherever the pieces end that it is read in', async () => {
  // Letters of two to four bytes across the borders of pieces of a MiB, and fields of several of them.
  for (const padding of [0, 1, 2, 3]) {
    const people = Array.from({ length: 3000 }, (_, n) => participant(n, `${'x'.repeat(padding)}${'é漢😀'.repeat(80)}`))
    expect(await read(participantsToJson(people))).toEqual(people)
  }
  expect(await read(participantsToJson([]))).toEqual([])
})

test('a table is also JSON', () => {
  const people = [participant(1, 'a'), participant(2, 'b')]
  expect(JSON.parse(participantsToJson(people)).externalId).toEqual(['P"1\\', 'P"2\\'])
})

test('a table that is not what its hash says, lacks a field, or ends early, is refused', async () => {
  const json = participantsToJson([participant(1, 'a')])
  await expect(read(json, 'f'.repeat(64))).rejects.toThrow('participants.json has changed')
  await expect(read(json.replace('"age":[1],\n', ''))).rejects.toThrow()
  await expect(read(json.replace('"age":[1]', '"age":[1,2]'))).rejects.toThrow('unequal length')
  await expect(read(json.slice(0, json.indexOf('"notes"')))).rejects.toThrow()
})

test('tests that a thread reads are those that are read here, and so is what is wrong with them', async () => {
  const tests = Array.from({ length: 500 }, (_, ordinal) => testOf(ordinal))
  const path = join(folder, 'tests.json')
  const json = testsToJson(tests)
  await writeFile(path, json)
  const sha256 = createHash('sha256').update(json).digest('hex')
  const [aside, here] = [await readTestsAside(path, sha256), await readTestsTable(path, sha256)]
  expect(tests.map((_, i) => rowAt<Test>(aside, i))).toEqual(tests)
  expect(aside).toEqual(here)
  await expect(readTestsAside(path, 'f'.repeat(64))).rejects.toThrow('tests.json has changed')
  await expect(readTestsAside(join(folder, 'none.json'), sha256)).rejects.toMatchObject({ code: 'ENOENT' })
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
