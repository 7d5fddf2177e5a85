import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { StudyAnalysis } from '../../../../engine/model/study-analysis.ts'
import { checkAnalysisFiles, readAnalysisFiles } from '../../../../engine/snapshot/analyses/copy-analyses.ts'
import {
  deleteAnalysis,
  forgetInAnalyses,
  listAnalyses,
  putAnalysis,
  readAnalysis,
  versionOf,
} from '../../../../engine/snapshot/analyses/stored-analyses.ts'
import { readSealed, seal } from '../../../../engine/storage/files/sealed-json.ts'

let studyDir: string
beforeEach(async () => {
  studyDir = await mkdtemp(join(tmpdir(), 'gazette-analyses-'))
})
afterEach(() => rm(studyDir, { recursive: true, force: true }))

const ANNA = '2a000000-0000-4000-8000-000000000001'
const BEN = '2a000000-0000-4000-8000-000000000002'
const NOW = new Date('2026-01-02T03:04:05.000Z')

const put = (analysis: StudyAnalysis, name = 'mine', ifMatch: string | null = null) =>
  putAnalysis({ studyDir, name, ifMatch }, analysis, NOW, async () => {})

test('an analysis is stored under a version that is its content, and earlier ones stay', async () => {
  const first = await put({ settings: { binMs: 50, movingMedianRangeMs: 300 } })
  expect(first).toMatchObject({ isNew: true, stored: { name: 'mine', changedAt: NOW.toISOString() } })
  const second = await put({ filter: ' participant_age > 3 ', title: ' ' })
  expect(second.isNew).toBe(false)
  expect(second.stored.analysis).toEqual({ filter: 'participant_age > 3' })
  expect((await readAnalysis(studyDir, 'mine'))?.version).toBe(second.stored.version)
  expect((await readAnalysis(studyDir, 'mine', first.stored.version))?.analysis).toEqual(first.stored.analysis)
  // The same in another order, and back again.
  const again = await put({ settings: { movingMedianRangeMs: 300, binMs: 50 } })
  expect(again.stored.version).toBe(first.stored.version)
  expect(await listAnalyses(studyDir)).toEqual([again.stored])
})

test('its version is the start of the SHA-256 of its canonical JSON', () => {
  // printf '{"filter":"TRUE","title":"T"}' | sha256sum
  expect(versionOf({ title: 'T', filter: 'TRUE' })).toBe('198903d8c75d')
})

test('a change of another version than the current one is refused, and nothing changes', async () => {
  const { stored } = await put({ title: 'a' })
  await put({ title: 'b' }, 'mine', stored.version)
  await expect(put({ title: 'c' }, 'mine', stored.version)).rejects.toMatchObject({ code: 'moved_on' })
  await expect(deleteAnalysis({ studyDir, name: 'mine', ifMatch: stored.version })).rejects.toMatchObject({
    code: 'moved_on',
  })
  expect((await readAnalysis(studyDir, 'mine'))?.analysis).toEqual({ title: 'b' })
  expect(await deleteAnalysis({ studyDir, name: 'mine', ifMatch: null })).toBe(true)
  expect(await deleteAnalysis({ studyDir, name: 'mine', ifMatch: null })).toBe(false)
  expect(await readAnalysis(studyDir, 'mine', stored.version)).toBeNull()
  expect(await readdir(studyDir)).toEqual([])
})

test('changes at once all arrive, and one of them is current', async () => {
  const titles = ['a', 'b', 'c', 'd', 'e']
  const made = await Promise.all(titles.map((title) => put({ title })))
  expect(made.filter(({ isNew }) => isNew)).toHaveLength(1)
  for (const { stored } of made) expect(await readAnalysis(studyDir, 'mine', stored.version)).not.toBeNull()
})

test('a participant who is removed goes from all versions, ids and names, and nobody else', async () => {
  const both = [
    { participantId: BEN, reason: 'late' },
    { participantId: ANNA.toUpperCase(), reason: 'asleep' },
  ]
  const named = await put({
    ignored: both,
    filter: `participant_id <> '${ANNA}' AND participant_external_id NOT IN ('A''1', 'A1')`,
  })
  const earlier = await put({ ignored: both }, 'other')
  await put({ title: 'nobody' }, 'other')
  const same = await put({ ignored: [both[0]] }, 'third')
  await forgetInAnalyses(studyDir, [ANNA, "a'1"], NOW)
  expect(await readAnalysis(studyDir, 'mine', named.stored.version)).toBeNull()
  expect((await readAnalysis(studyDir, 'mine'))?.analysis).toEqual({
    ignored: [{ participantId: BEN, reason: 'late' }],
    filter: "participant_id <> 'removed' AND participant_external_id NOT IN ('removed', 'A1')",
  })
  expect(await readAnalysis(studyDir, 'other', earlier.stored.version)).toBeNull()
  expect((await readAnalysis(studyDir, 'other'))?.analysis).toEqual({ title: 'nobody' })
  expect((await readAnalysis(studyDir, 'third'))?.version).toBe(same.stored.version)
  const files = await readdir(studyDir, { recursive: true, withFileTypes: true })
  const texts = files.filter((file) => file.isFile()).map((file) => readFile(join(file.parentPath, file.name), 'utf8'))
  for (const text of await Promise.all(texts)) expect(text.toLowerCase()).not.toContain(ANNA)
})

test('a modified file is reported', async () => {
  const { stored } = await put({ title: 'a' })
  const path = join(studyDir, 'analyses', 'mine', `${stored.version}.json`)
  await writeFile(path, (await readFile(path, 'utf8')).replace('"a"', '"b"'))
  await expect(readAnalysis(studyDir, 'mine')).rejects.toMatchObject({ code: 'corrupt' })
})

test('offsets are stored in one order, and go with their participant', async () => {
  const of = (participantId: string, testId?: string) => ({
    participantId,
    ...(testId ? { testId } : {}),
    dxPx: 1.5,
    dyPx: -0,
    source: 'hand' as const,
  })
  const { stored } = await put({ offsets: [of(BEN), of(ANNA.toUpperCase(), 'C'), of(ANNA)] })
  expect(stored.analysis.offsets).toEqual([
    { ...of(ANNA), dyPx: 0 },
    { ...of(ANNA, 'c'), dyPx: 0 },
    { ...of(BEN), dyPx: 0 },
  ])
  expect((await put({ offsets: [] })).stored.analysis).toEqual({})
  await put({ offsets: [of(BEN), of(ANNA, 'c')] })
  await forgetInAnalyses(studyDir, [ANNA], NOW)
  expect((await readAnalysis(studyDir, 'mine'))?.analysis).toEqual({ offsets: [{ ...of(BEN), dyPx: 0 }] })
  expect(await readAnalysis(studyDir, 'mine', stored.version)).toBeNull()
})

describe('offsets', () => {
  const offsets = [{ participantId: ANNA, dxPx: 1, dyPx: 2, source: 'hand' as const }]
  const pathOf = (version: string) => join(studyDir, 'analyses', 'mine', `${version}.json`)
  const asBefore = (version: string) => `analysis mine@${version}`

  test('an earlier version takes the file of an analysis with offsets for damaged, and no other file', async () => {
    const plain = (await put({ title: 'a' })).stored.version
    expect(await readSealed(pathOf(plain), asBefore(plain))).toEqual({ title: 'a' })
    const moved = (await put({ title: 'a', offsets })).stored
    await expect(readSealed(pathOf(moved.version), asBefore(moved.version))).rejects.toMatchObject({ code: 'corrupt' })
    expect((await readAnalysis(studyDir, 'mine'))?.analysis).toEqual({ title: 'a', offsets })
    expect(moved.version).toBe(versionOf({ title: 'a', offsets }))
  })

  test('one that was stored before the format had a number is read', async () => {
    const { version } = (await put({ offsets })).stored
    await writeFile(pathOf(version), seal({ offsets }, asBefore(version)))
    expect((await readAnalysis(studyDir, 'mine'))?.analysis).toEqual({ offsets })
  })

  test('its files are copied as whole analyses', async () => {
    await put({ title: 'a', offsets })
    const files = await readAnalysisFiles(studyDir)
    expect(Object.keys(files)).toHaveLength(2)
    expect(() => checkAnalysisFiles(files)).not.toThrow()
  })

  test('an analysis of a later format is refused, and told from damage', async () => {
    const { version } = (await put({ title: 'a' })).stored
    await writeFile(pathOf(version), seal({ format: 3, title: 'a' }, `${asBefore(version)} of format 3`))
    await expect(readAnalysis(studyDir, 'mine')).rejects.toMatchObject({
      code: 'other_format',
      message: expect.stringMatching(/^analysis mine is stored in format 3, of a later version of Gazette/),
    })
    await writeFile(pathOf(version), seal({ format: 3, title: 'a' }, asBefore(version)))
    await expect(readAnalysis(studyDir, 'mine')).rejects.toMatchObject({ code: 'corrupt' })
  })
})

test('colours of AOIs and contents of a report are kept, and a participant goes from its board and its groups', async () => {
  const colors = { aoiColors: { Logo: 'green', Face: 'mint' } }
  expect((await put({ ...colors, report: '' })).stored.analysis).toEqual(colors)
  const item = '1a000000-0000-4000-8000-000000000001'
  const board = `heatmap.${item}.${ANNA}_scarf.${item}_heatmap.${item}.${BEN}`
  const report = new URLSearchParams({ board, group1: `participant_id = '${ANNA}'`, title: 'All' }).toString()
  const named = await put({ report })
  expect(named.stored.analysis).toEqual({ report })
  await forgetInAnalyses(studyDir, [ANNA], NOW)
  const left = new URLSearchParams((await readAnalysis(studyDir, 'mine'))?.analysis.report)
  expect(Object.fromEntries(left)).toEqual({
    board: `scarf.${item}_heatmap.${item}.${BEN}`,
    group1: "participant_id = 'removed'",
    title: 'All',
  })
  expect(await readAnalysis(studyDir, 'mine', named.stored.version)).toBeNull()
})
