import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { SAMPLE_LIMITS } from '../../../engine/import/bundle/bundle-limits.ts'
import { openStudies } from '../../../engine/snapshot/snapshots.ts'
import { importFiles } from '../../../engine/uploads/import-files.ts'
import type { ImportChoices } from '../../../engine/uploads/import-job.ts'
import { readChoices } from '../../../engine/uploads/read-choices.ts'
import { cleanUp, scratch, writeFiles } from '../recordings/converted.ts'

afterEach(cleanUp)

const NEVER = () => {
  throw new Error('no study is there')
}

/** Imports jsPsych trials, each of the samples given. */
async function bringIn(trials: object[][], choices: ImportChoices = {}, dryRun = false) {
  const dataDir = scratch()
  const size = { innerWidth: 1000, innerHeight: 800 }
  const rows = trials.map((webgazer_data, i) => ({ ...size, trial_type: 'image', stimulus: `${i}.png`, webgazer_data }))
  const { studyIds } = openStudies(dataDir)
  const result = importFiles({
    ...{ paths: [writeFiles({ 'kim.json': JSON.stringify(rows) })], foreign: readChoices(choices).choices, dryRun },
    ...{ dataDir, scratch: join(scratch(), 'work'), append: false, now: new Date(0), threads: 1, memoryMib: 128 },
    limits: SAMPLE_LIMITS,
    onExisting: NEVER,
  })
  return { result, studies: studyIds }
}

const LOST = { t: 0, x: null, y: null }
const SEEN = { t: 10, x: 5, y: 5 }

describe('recordings of which no test has a sample with gaze', () => {
  test.each([
    ['without any sample', [[]], /no test has a sample with gaze, of 1 test and 0 samples/],
    ['with lost samples alone', [[LOST], [LOST]], /no test has a sample with gaze, of 2 tests and 2 samples/],
  ])('%s are not published, and a dry run says so', async (_, trials, said) => {
    for (const dryRun of [false, true]) {
      const { result, studies } = await bringIn(trials, {}, dryRun)
      await expect(result).rejects.toThrow(said)
      await expect(result).rejects.toThrow('With force (--force) they are published all the same')
      expect(await studies()).toEqual([])
    }
  })
  test('are published where that is asked for', async () => {
    const { result } = await bringIn([[LOST]], { force: true })
    expect(await result).toMatchObject({ published: true, counts: { tests: 1, samples: 1 } })
  })
  test('are others than those of which one has', async () => {
    const { result } = await bringIn([[], [LOST, SEEN]])
    expect(await result).toMatchObject({ published: true, counts: { tests: 2, samples: 2 } })
  })
})
