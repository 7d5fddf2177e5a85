import { createHash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { participantsToJson, readParticipantsTable } from '../../../engine/store/tables.ts'
import type { Participant } from '../../../engine/study.ts'
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
