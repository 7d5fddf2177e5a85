import { expect, test } from 'vitest'
import { makePlan } from '../../../engine/exports/make-plan.ts'
import { EXPORTS } from '../../../engine/exports/registry.ts'
import { defaultParameters } from '../../../engine/model/parameters.ts'
import { inlinePool } from '../../../engine/run/inline-pool.ts'
import { keptDirectory, keptPool } from '../kept.ts'
import { importDemo, ran } from '../studies.ts'

const dataDir = await keptDirectory()
const snapshot = await importDemo(dataDir, { participants: 10, items: 8, seconds: 40, hz: 60, seed: 7 })
const pool = keptPool(2)

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
