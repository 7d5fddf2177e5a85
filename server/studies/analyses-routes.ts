import { dirname } from 'node:path'
import type { Request } from 'express'
import type { z } from 'zod'
import { ANALYSIS_NAME, ANALYSIS_REFERENCE } from '../../engine/model/study-analysis.ts'
import { checkAnalysis } from '../../engine/snapshot/analyses/find-analysis.ts'
import {
  type AnalysisVersion,
  deleteAnalysis,
  listAnalyses,
  putAnalysis,
  readAnalysis,
} from '../../engine/snapshot/analyses/stored-analyses.ts'
import { withinBounds } from '../access/bounds.ts'
import { invalidParameters, ProblemError } from '../http/problems.ts'
import type { ANALYSES_ROUTES } from '../routes/analyses.ts'
import type { Answers, RouteRequest } from '../routes/route.ts'
import type { Analysis, StoredAnalysis as View } from '../schemas/study-analysis.ts'
import { logWrite, type WriteParts } from './write-parts.ts'

type Routes = typeof ANALYSES_ROUTES

/** Returns the handlers of the named analyses of a study (docs/analysis.md). */
export function analysesRoutes(parts: WriteParts): Answers<Routes> {
  return {
    listAnalyses: async ({ snapshot }) => ({
      analyses: (await listAnalyses(dirname(snapshot.directory))).map(view),
    }),
    getAnalysis: async ({ req, res, snapshot }) => {
      const [, name, version = null] = ANALYSIS_REFERENCE.exec(String(req.params.name)) ?? []
      const stored = name ? await readAnalysis(dirname(snapshot.directory), name, version) : null
      if (stored === null) throw new ProblemError('not_found')
      res.setHeader('ETag', tagOf(stored))
      return view(stored)
    },
    putAnalysis: (asked) => putAnalysisNamed(parts, asked),
    deleteAnalysis: async ({ req, res, snapshot: { study } }) => {
      const name = String(req.params.name)
      const ifMatch = matched(req, name)
      if (!ANALYSIS_NAME.test(name)) throw new ProblemError('not_found')
      const remove = (studyDir: string) => deleteAnalysis({ studyDir, name, ifMatch })
      if (!(await parts.place.decide(study.id, remove))) throw new ProblemError('not_found')
      logWrite(parts, res, { event: 'removal', did: `analysis ${name} deleted`, studyId: study.id, snapshotId: null })
    },
  }
}

function view({ name, version, changedAt, analysis }: AnalysisVersion): z.infer<typeof View> {
  return { name, version, reference: `${name}@${version}`, changedAt, analysis: analysis as z.infer<typeof Analysis> }
}

async function putAnalysisNamed(
  parts: WriteParts,
  { req, res, token, snapshot: { study }, body: given }: RouteRequest<Routes['putAnalysis']>,
) {
  const name = nameOf(req)
  const bytes = Number(req.get('content-length') ?? 0)
  const ifMatch = matched(req, name)
  const check = async (isThere: boolean) => {
    if (isThere && req.get('if-match') === undefined)
      throw new ProblemError('precondition_needed', {
        detail: `There is an analysis ${name}: send its ETag in If-Match to replace it.`,
      })
    const snapshot = await parts.studies.current(study.id)
    if (snapshot === null) throw new ProblemError('not_found')
    await checkAnalysis(given, snapshot)
  }
  const { stored, isNew } = await withinBounds(parts.usages, token, parts.config, { bytes }, () =>
    parts.place.decide(study.id, (studyDir) => putAnalysis({ studyDir, name, ifMatch }, given, new Date(), check)),
  )
  logWrite(parts, res, { event: 'change', did: `analysis ${name} stored`, studyId: study.id, snapshotId: null })
  if (isNew) res.status(201).setHeader('Location', `/api2/studies/${study.id}/analyses/${name}`)
  res.setHeader('ETag', tagOf(stored))
  return view(stored)
}

/** Parses the name of an analysis. @throws ProblemError invalid_param */
function nameOf(req: Request): string {
  const name = String(req.params.name)
  if (ANALYSIS_NAME.test(name)) return name
  const rule = 'must be 1 to 64 characters of a to z, 0 to 9 and -'
  throw invalidParameters([{ parameter: 'name', rule, value: name }])
}

function tagOf({ name, version }: AnalysisVersion): string {
  return `"${name}@${version}"`
}

/** Returns the version that If-Match names; null without If-Match, and for `*`. @throws ProblemError moved_on */
function matched(req: Request, name: string): string | null {
  const given = req.get('if-match')?.trim()
  if (given === undefined || given === '*') return null
  const [, of, version] = /^"([a-z0-9-]+)@([0-9a-f]{12})"$/.exec(given) ?? []
  if (of !== name) throw new ProblemError('moved_on', { detail: `If-Match is not a tag of the analysis ${name}.` })
  return version
}
