import { rm } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makePlan } from '../../../engine/exports/make-plan.ts'
import { EXPORTS } from '../../../engine/exports/registry.ts'
import { defaultParameters } from '../../../engine/model/parameters.ts'
import type { Snapshot } from '../../../engine/model/study.ts'
import { inlinePool } from '../../../engine/run/inline-pool.ts'
import { createPool, type EnginePool } from '../../../engine/run/pool/pool.ts'
import { importDemo, newDataDir, ran } from '../studies.ts'

let dataDir: string
let snapshot: Snapshot
let pool: EnginePool

beforeAll(async () => {
  dataDir = await newDataDir()
  snapshot = await importDemo(dataDir, { participants: 10, items: 8, seconds: 40, hz: 60, seed: 7 })
  pool = createPool({ threads: 2 })
})
afterAll(async () => {
  await pool.close()
  await rm(dataDir, { recursive: true, force: true })
})

function optionsOf(exportName: (typeof EXPORTS)[number]['name'], signal = new AbortController().signal) {
  const plan = makePlan({ snapshot, exportName, parameters: defaultParameters(), formulaGuard: true })
  return { plan, snapshot, signal, gzip: true }
}

test.each(EXPORTS.map(({ name }) => name))('%s is the same on the main thread as from threads', async (name) => {
  const aside = await ran({ ...optionsOf(name), pool })
  const here = await ran({ ...optionsOf(name), pool: inlinePool() })
  expect(here.csv.equals(aside.csv)).toBe(true)
  expect(here.gzip.equals(aside.gzip)).toBe(true)
  expect(here.progress).toEqual(aside.progress)
})

test('what comes in between, such as Ctrl-C, stops an export on the main thread', async () => {
  const stop = new AbortController()
  const running = ran({ ...optionsOf('fixations', stop.signal), pool: inlinePool() })
  setImmediate(() => stop.abort())
  await expect(running).rejects.toMatchObject({ code: 'canceled' })
})

test('a sample file that is gone fails an export on the main thread as it does in threads', async () => {
  const gone = { ...snapshot, directory: `${snapshot.directory}-gone` }
  const failures = [pool, inlinePool()].map((each) =>
    ran({ ...optionsOf('fixations'), snapshot: gone, pool: each }).catch(({ code, message }) => ({ code, message })),
  )
  const [aside, here] = await Promise.all(failures)
  expect(here).toEqual(aside)
  expect(here).toMatchObject({ code: 'corrupt' })
})
