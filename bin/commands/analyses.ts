import { dirname } from 'node:path'
import { ServiceError } from '../../engine/model/errors.ts'
import { jsonFaults } from '../../engine/model/json-faults.ts'
import { plainTextFaults } from '../../engine/model/plain-text.ts'
import type { Config } from '../../engine/model/settings.ts'
import type { Snapshot } from '../../engine/model/study.ts'
import { ANALYSIS_NAME, ANALYSIS_REFERENCE, type StudyAnalysis } from '../../engine/model/study-analysis.ts'
import { Analysis } from '../../engine/snapshot/analyses/analysis-schema.ts'
import { checkAnalysis } from '../../engine/snapshot/analyses/find-analysis.ts'
import {
  type AnalysisVersion,
  deleteAnalysis,
  listAnalyses,
  putAnalysis,
  readAnalysis,
} from '../../engine/snapshot/analyses/stored-analyses.ts'
import type { Home } from '../../engine/study/home.ts'
import { countOffsets } from '../../isomorphic/gaze-offsets.ts'
import { findStudy } from '../given/find-study.ts'
import { readGivenText } from '../given/given-text.ts'
import { withHome } from '../runtime/open-studies.ts'
import { countText } from '../terminal/count.ts'
import { printable } from '../terminal/printable.ts'

type OfStudy = { study: string; config: Config }
type Named = OfStudy & { name: string }

/** Runs `work` with the current snapshot of a study. */
const withStudy = <T>({ study, config }: OfStudy, work: (snapshot: Snapshot, home: Home) => Promise<T>): Promise<T> =>
  withHome(config, async (home) => work(await findStudy(home.studies, study), home))

/** Runs `gazette analyses list`: prints one line for each analysis of a study. */
export async function listCommand(options: OfStudy): Promise<void> {
  const { study, all } = await withStudy(options, async ({ directory, study }) => ({
    study,
    all: await listAnalyses(dirname(directory)),
  }))
  if (all.length === 0) console.error(printable(`${study.name} has no analysis yet.`))
  for (const { name, version, changedAt, analysis } of all)
    console.log(printable([`${name}@${version}`, `stored ${changedAt}`, ...about(analysis)].join('  ')))
}

function about(analysis: StudyAnalysis) {
  const { title, settings, filter, participantQualityGradeItemMin: grade, ignored = [], offsets = [] } = analysis
  const changed = Object.entries(settings ?? {}).map(([name, value]) => `${name} ${value}`)
  return [
    ...(ignored.length > 0 ? [`${countText(ignored.length, 'participant')} ignored`] : []),
    ...(offsets.length > 0 ? [`gaze of ${countOffsets(offsets)} moved`] : []),
    ...changed,
    ...(grade === undefined ? [] : [`grade at least ${grade}`]),
    ...(filter === undefined ? [] : [`filter ${filter}`]),
    ...(title === undefined ? [] : [title]),
  ]
}

/** Runs `gazette analyses show`. */
export async function showCommand({ name: reference, ...options }: Named): Promise<void> {
  const [, name, version = null] = ANALYSIS_REFERENCE.exec(reference) ?? []
  const stored = await withStudy(options, async ({ directory }) =>
    name ? readAnalysis(dirname(directory), name, version) : null,
  )
  if (stored === null) throw unknown(reference)
  console.log(JSON.stringify(stored.analysis, null, 2))
}

/** Runs `gazette analyses put`. @throws ServiceError usage, invalid_param */
export async function putCommand({ name, file, ...options }: Named & { file: string }): Promise<void> {
  if (!ANALYSIS_NAME.test(name))
    throw new ServiceError('usage', `an analysis must have a name of 1 to 64 of a to z, 0 to 9 and -, got ${name}`)
  const analysis = parse(await readGivenText(file))
  const { stored, isNew } = await withStudy(options, ({ study: { id } }, { studies, place }) => {
    const check = async () => checkAnalysis(analysis, await findStudy(studies, id))
    return place.decide(id, (studyDir) => putAnalysis({ studyDir, name, ifMatch: null }, analysis, new Date(), check))
  })
  console.error(`${isNew ? 'Stored' : 'Replaced'} ${referenceOf(stored)}.`)
}

/** Runs `gazette analyses delete`. */
export async function removeCommand({ name, ...options }: Named): Promise<void> {
  const isGone = await withStudy(
    options,
    async ({ study: { id } }, { place }) =>
      ANALYSIS_NAME.test(name) && place.decide(id, (studyDir) => deleteAnalysis({ studyDir, name, ifMatch: null })),
  )
  if (!isGone) throw unknown(name)
  console.error(`Deleted ${name}.`)
}

function referenceOf({ name, version }: AnalysisVersion): string {
  return `${name}@${version}`
}

function unknown(name: string): ServiceError {
  return new ServiceError('not_found', `there is no analysis ${name}; gazette analyses list shows them`)
}

function parse(text: string): StudyAnalysis {
  const json = jsonIn(text)
  const parsed = Analysis.safeParse(json)
  const faults = [
    ...plainTextFaults(json, 'the analysis'),
    ...jsonFaults(parsed.error?.issues ?? [], json, 'the analysis'),
  ]
  if (parsed.success && faults.length === 0) return parsed.data as StudyAnalysis
  const sentences = faults.map(({ parameter, rule, value }) => `${parameter} ${rule}, got ${JSON.stringify(value)}`)
  throw new ServiceError('invalid_param', sentences.join('; '), { faults })
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new ServiceError('usage', 'an analysis must be valid JSON', { cause })
  }
}
