import type { z } from 'zod'
import type { Fault } from '../../engine/model/errors.ts'
import { planId } from '../../engine/model/plan.ts'
import type { Config } from '../../engine/model/settings.ts'
import { describeMethods, type MethodsTexts as MethodsInWords } from '../../engine/products/methods/describe-methods.ts'
import { collectFacts, methodsPlan } from '../../engine/products/methods/methods-facts.ts'
import {
  METHODS_FORMAT_NAMES,
  METHODS_FORMATS,
  type MethodsFormat,
  printMethods,
} from '../../engine/products/methods/print-methods.ts'
import { findAnalysis } from '../../engine/snapshot/analyses/find-analysis.ts'
import { chooseName } from '../exports/choose-format.ts'
import { planRequest } from '../exports/read-request.ts'
import { queryOf } from '../http/query.ts'
import type { Answers, RouteHandler } from '../routes/route.ts'
import type { METHODS_ROUTES } from '../routes/studies.ts'
import type { Methods } from '../schemas/methods.ts'
import type { SendComputed } from './send-computed.ts'

type Parts = { config: Config; send: SendComputed }

/** Largest multiple of `SYNC_MAX_SAMPLES` that is measured while a client waits, which takes some seconds. */
const TIMES_SMALL = 16

/** Returns the handler of the methods section. */
export function methodsRoutes({ config, send }: Parts): Answers<typeof METHODS_ROUTES> {
  const samplesMax = TIMES_SMALL * config.syncMaxSamples
  const getMethods: RouteHandler<typeof METHODS_ROUTES.getMethods> = async ({ req, res, snapshot }) => {
    const query = queryOf(req.url)
    const faults: Fault[] = []
    const name = chooseName(query, req, faults, TYPES)
    const named = await findAnalysis(snapshot, query.get('analysis'))
    const plan = planRequest({ query, named, snapshot, own: ['studyId', 'format'], faults }, (parameters) =>
      methodsPlan(snapshot, parameters),
    ).plan
    res.setHeader('Vary', 'Accept')
    const compute = async (run: Parameters<typeof collectFacts>[3]): Promise<z.infer<typeof Methods>> =>
      describeMethods(await collectFacts(plan, snapshot, samplesMax, run))
    await send(req, res, `methods ${planId(plan)}`, compute, {
      name,
      contentType: `${METHODS_FORMATS[name]}; charset=utf-8`,
      print: (json) => (name === 'json' ? json : printMethods(JSON.parse(json) as MethodsInWords, name)),
    })
  }
  return { getMethods }
}

const TYPES = Object.fromEntries(METHODS_FORMAT_NAMES.map((name) => [name, [METHODS_FORMATS[name]]])) as Record<
  MethodsFormat,
  string[]
>
