import type { AoiOrder } from '../../engine/analysis/aoi-ranks.ts'
import type { ANALYSES, TestKind } from '../../engine/analysis/compare.ts'
import { MEASURES } from '../../engine/analysis/measures.ts'
import type { ChartRun, ChartSubject } from '../../engine/charts/answer-chart.ts'
import { comparisonsAnswer } from '../../engine/charts/comparisons-answer.ts'
import { courseAnswer } from '../../engine/charts/course-answer.ts'
import { ServiceError } from '../../engine/model/errors.ts'
import type { Config } from '../../engine/model/settings.ts'
import type { Snapshot } from '../../engine/model/study.ts'
import { createPool } from '../../engine/run/pool/pool.ts'
import type { Store } from '../../engine/snapshot/snapshots.ts'
import { readParameters } from '../shared/export-options.ts'
import { findStudy } from '../shared/find-study.ts'
import { withStudies } from '../shared/open-studies.ts'
import { stoppable } from '../terminal/stoppable.ts'

/** Runs `gazette analyse`: prints an analysis of an item as JSON, as the server answers it. */
export function analyse(options: Options): Promise<void> {
  return stoppable((signal) => withStudies(options.config, (studies) => analyseItem(studies, options, signal), signal))
}

type Options = {
  what: (typeof ANALYSES)[number]
  study: string
  group?: string[]
  measure: string
  test: TestKind
  nested: AoiOrder
  config: Config
} & Record<string, unknown>

async function analyseItem(studies: Store, options: Options, signal: AbortSignal): Promise<void> {
  const { what, study, group = [], measure, test, nested, config, ...others } = options
  const groupCount = group.length
  if (what === 'comparisons' && (groupCount < 2 || groupCount > 4))
    throw new ServiceError('usage', `comparisons need --group two to four times, got ${groupCount}`)
  const subject = await subjectOf(await findStudy(studies, study), others, config)
  const pool = createPool({ threads: config.engineThreads })
  const run: ChartRun = { pool, signal }
  try {
    const found = MEASURES.find(({ column }) => column === measure)!
    const asked = { measure: found, kind: test, groups: group, samplesMax: Number.POSITIVE_INFINITY }
    const answer =
      what === 'comparisons'
        ? await comparisonsAnswer(subject, asked, run)
        : await courseAnswer(subject, run, { nested })
    process.stdout.write(`${JSON.stringify(answer)}\n`)
  } finally {
    await pool.close()
  }
}

async function subjectOf(
  snapshot: Snapshot,
  options: Record<string, unknown>,
  { formulaGuard }: Config,
): Promise<ChartSubject> {
  const parameters = await readParameters(options, snapshot)
  const item = snapshot.study.items.find(({ id }) => id === parameters.itemId)
  if (item === undefined) throw new ServiceError('usage', 'an analysis is of one item: give --item')
  return { snapshot, item, participantIndex: null, parameters, formulaGuard }
}
