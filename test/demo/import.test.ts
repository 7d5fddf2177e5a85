import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { writeDemoBundle } from '../../demo/write-demo.ts'
import { importBundle } from '../../engine/import/import-bundle.ts'
import { openStudies } from '../../engine/snapshot/snapshots.ts'
import { rowsOf } from '../engine/studies.ts'

const root = mkdtempSync(join(tmpdir(), 'gazette-demo-import-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

const limits = { threads: 1, memoryMib: 256 }

/** Makes a demo study, imports it, and reads the snapshot. */
async function publish(name: string, size: { participants: number; items: number; seconds: number; hz: number }) {
  const [directory, dataDir] = [join(root, `${name}-bundle`), join(root, `${name}-data`)]
  const made = await writeDemoBundle({ directory, ...size, seed: 1, memoryMib: limits.memoryMib })
  const now = new Date(0)
  const { published, studyId } = await importBundle({
    dataDir,
    directory,
    append: false,
    dryRun: false,
    now,
    ...limits,
  })
  const snapshot = (await openStudies(dataDir).current(studyId))!
  return { made, published, studyId, snapshot }
}

test('The default study imports without a problem, with all six grades', async () => {
  const { made, published, studyId, snapshot } = await publish('default', {
    participants: 24,
    items: 6,
    seconds: 8,
    hz: 30,
  })
  expect(published).toBe(true)
  expect(studyId).toBe(made.studyId)
  expect(snapshot.manifest.counts).toMatchObject({ participants: 24, items: 6, samples: made.samples })
  const grades = (list: number[]) => [...new Set(list)].sort()
  const { participants, tests } = await rowsOf(snapshot)
  expect(grades(participants.map(({ qualityGrade }) => qualityGrade))).toEqual([1, 2, 3, 4, 5, 6])
  expect(grades(tests.map(({ qualityGradeItem }) => qualityGradeItem))).toEqual([1, 2, 3, 4, 5, 6])
  expect(tests.some(({ clickCount }) => clickCount > 0)).toBe(true)
  expect(tests.some(({ sampleCount }) => sampleCount === 0)).toBe(true)
})

test('Every stimulus, odd sizes and other rates import without a problem', async () => {
  const wide = await publish('wide', { participants: 3, items: 17, seconds: 2.5, hz: 120 })
  expect(wide.snapshot.manifest.counts).toMatchObject({ items: 17, samples: wide.made.samples })
  const tiny = await publish('tiny', { participants: 1, items: 1, seconds: 0.1, hz: 1 })
  expect(tiny.snapshot.manifest.counts.participants).toBe(1)
})
