import {
  ANALYSIS_KINDS,
  ANALYSIS_NAMES,
  type AnalysisName,
  type Bounds,
  ownParameters,
} from '../../engine/analysis/analysis-kinds.ts'
import { analysisNamed } from '../../engine/analysis/entries/analyses.ts'
import type { AskedAnalysis, OwnValues } from '../../engine/analysis/entries/analysis-entry.ts'
import { encodeTable } from '../../engine/formats/encode-table.ts'
import { ServiceError } from '../../engine/model/errors.ts'
import { type FormatName, hasFormulas } from '../../engine/model/format-names.ts'
import type { Config } from '../../engine/model/settings.ts'
import type { Snapshot } from '../../engine/model/study.ts'
import { VERSION } from '../../engine/model/version.ts'
import { createPool } from '../../engine/run/pool/pool.ts'
import type { Studies } from '../../engine/snapshot/snapshots.ts'
import { closing } from '../../engine/storage/concurrency/closing.ts'
import { MEASURES } from '../../isomorphic/measures.ts'
import { type ParameterOptions, readParameters } from '../given/export-options.ts'
import { aoiOf, findStudy } from '../given/find-study.ts'
import { flagOf } from '../given/flag-of.ts'
import { withStudies } from '../runtime/open-studies.ts'
import { stoppable } from '../terminal/stoppable.ts'

/** Runs `gazette analyse`: prints statistics of a study, in the same form as the server. */
export function analyse(options: Options): Promise<void> {
  return stoppable((signal) => withStudies(options.config, (studies) => analyseStudy(studies, options, signal), signal))
}

type Options = Pick<OwnValues, 'test' | 'nested' | 'signal' | 'design'> & {
  what: AnalysisName
  study: string
  group?: string[]
  aoi?: string[]
  event?: string
  measure: string
  format: FormatName | 'json'
  config: Config
} & ParameterOptions

/** Refuses an option that the analysis would ignore. @throws ServiceError usage */
export function refuseUnheeded(what: AnalysisName, given: string[]): void {
  for (const option of given) {
    const heeding = ANALYSIS_NAMES.filter((name) => ownParameters(name).includes(option))
    if (heeding.length > 0 && !heeding.includes(what))
      throw new ServiceError(
        'usage',
        `${flagOf(option)} applies only to gazette analyse ${heeding.join(', ')}, not to ${what}`,
      )
  }
}

async function analyseStudy(studies: Studies, options: Options, signal: AbortSignal): Promise<void> {
  const { what, study, group = [], aoi = [], format, config } = options
  const { groups, aois } = ANALYSIS_KINDS[what]
  refuseCount(what, '--group', group, groups)
  refuseCount(what, '--aoi', aoi, aois)
  const snapshot = await findStudy(studies, study)
  const asked = await askedOf(snapshot, options)
  const { plan, compute, print } = analysisNamed(what)
  const planned = { ...asked, plan: plan(asked), samplesMax: SAMPLES_MAX }
  return closing(createPool({ threads: config.engineThreads }), async (pool) => {
    const answer = await compute(planned, { pool, signal })
    if (format === 'json') return void process.stdout.write(`${JSON.stringify(answer)}\n`)
    const about = { analysis: what, study: snapshot.study.id, snapshot: snapshot.id, gazette: VERSION }
    const guard = config.formulaGuard && hasFormulas(format)
    process.stdout.write(await encodeTable(print(answer, asked), format, about, guard))
  })
}

const WORDS = ['no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight']

/** @throws ServiceError usage if an option is given too often or too seldom */
function refuseCount(what: string, flag: string, given: string[], bounds: Bounds | undefined): void {
  if (bounds === undefined || (given.length >= bounds.min && given.length <= bounds.max)) return
  const times = bounds.min === 0 ? `accepts ${flag} up to` : `needs ${flag} ${WORDS[bounds.min]} to`
  throw new ServiceError('usage', `${what} ${times} ${WORDS[bounds.max]} times, got ${given.length}`)
}

/** On the command line, nobody else waits. */
const SAMPLES_MAX = Number.POSITIVE_INFINITY

/** @throws ServiceError usage, invalid_param */
async function askedOf(snapshot: Snapshot, options: Options): Promise<AskedAnalysis> {
  const {
    what,
    study: _,
    group,
    aoi = [],
    event = null,
    measure,
    test,
    nested,
    signal,
    design,
    format: _format,
    config,
    ...others
  } = options
  const parameters = await readParameters(others, snapshot)
  const item = snapshot.study.items.find(({ id }) => id === parameters.itemId) ?? null
  if (ANALYSIS_KINDS[what].items === 'one' && item === null)
    throw new ServiceError('usage', 'this analysis needs one item: give --item')
  return {
    ...{ snapshot, item, participantIndex: null, parameters, formulaGuard: config.formulaGuard },
    ...{ test, nested, signal, design, event, groups: group ?? [], aois: aoi.map((wanted) => aoiOf(snapshot, wanted)) },
    measure: MEASURES.find(({ column }) => column === measure)!,
  }
}
