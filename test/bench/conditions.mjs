// The parameter `filter`: what it costs to choose tests by it, and 100,000 cases of its fuzz.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { selectTests } from '../../dist/engine/snapshot/selection.js'
import { bundleOf, snapshotOf } from './data.mjs'
import { inTurn, median, row } from './measure.mjs'

const CASES = 100_000
const FUZZ = 'test/engine/filter/fuzz.system.test.ts'

/** A selection that is cached is no measure: each condition is another one. */
let unlike = 0
const CONDITIONS = {
  'by columns of tests': () => `test_duration_ms > ${unlike++ / 1000}`,
  'by columns of participants': () => `participant_age BETWEEN 20 AND ${30 + unlike++ / 1000}`,
  'by tags, external data and text': () =>
    `(list_contains(participant_tags, 'pilot') OR external_data_condition = 'search') AND participant_external_id LIKE 'P%${unlike++}%'`,
}

export async function benchConditions({ quick, runs, wanted }) {
  const rows = []
  if (wanted('condition')) {
    await bundleOf('46000')
    const { snapshot } = await snapshotOf('46000')
    const { tests } = snapshot.manifest.counts
    for (const [what, condition] of Object.entries(CONDITIONS)) {
      const seconds = await inTurn(
        {
          ours: () => selectTests(snapshot, { itemId: null, gradeMin: 1, filter: condition() }),
          // A grade that is asked for once, so that this is not cached either.
          theirs: () => selectTests(snapshot, { itemId: null, gradeMin: 1 - unlike++ }),
        },
        quick ? 3 * runs : 6 * runs,
        { warmUps: 3 },
      )
      const more = (of) => (1000 * (of(seconds.ours) - of(seconds.theirs))).toFixed(1)
      const detail = `${more(median)} ms more for ${tests} tests, best of each ${more((all) => Math.min(...all))} ms`
      rows.push(row(`filter ${what}`, 'no filter', '≤ 5 ms more', { ...seconds, detail }))
    }
  }
  if (wanted('fuzz') && !quick) {
    const started = performance.now()
    const { status, stdout } = spawnSync('npx', ['vitest', 'run', FUZZ], {
      cwd: fileURLToPath(new URL('../..', import.meta.url)),
      env: { ...process.env, FUZZ_CASES: String(CASES) },
      encoding: 'utf8',
    })
    if (status !== 0) throw new Error(`the fuzz of the filter has failed:\n${stdout}`)
    const detail = `as DuckDB has them; ${Math.round((performance.now() - started) / 1000)} s`
    rows.push(row(`${CASES} filters, by the grammar and by noise`, '', 'all', { detail }))
  }
  return rows
}
