import { expect, test } from 'vitest'
import { makePlan } from '../../../engine/exports/make-plan.ts'
import { FORMATS } from '../../../engine/formats/formats.ts'
import { defaultParameters } from '../../../engine/model/parameters.ts'
import { runExport } from '../../../engine/run/run-export.ts'
import { keptDirectory, keptPool } from '../kept.ts'
import { importDemo } from '../studies.ts'

const dataDir = await keptDirectory()
const pool = keptPool(3)
const snapshot = await importDemo(dataDir, { participants: 40, items: 6, seconds: 67, hz: 60, seed: 8 })

test.each(FORMATS.map(({ name }) => name))(
  'a million rows of %s are made in bounded memory, block by block',
  async (format) => {
    const parameters = defaultParameters()
    const plan = makePlan({ snapshot, exportName: 'gazes-split', parameters, formulaGuard: false, format })
    const run = runExport({ plan, snapshot, pool, signal: new AbortController().signal, gzip: false })
    let longest = 0
    let step = await run.next()
    const before = process.memoryUsage().rss
    let most = before
    for (let i = 0; !step.done; step = await run.next(), i++) {
      longest = Math.max(longest, step.value.bytes.length)
      if (i % 8 === 0) most = Math.max(most, process.memoryUsage().rss)
    }
    expect(step.value.rows).toBeGreaterThan(1_000_000)
    expect(longest).toBeLessThan(64 << 20)
    // The whole of it takes up to 700 MB.
    expect(most - before).toBeLessThan(600 << 20)
  },
)
