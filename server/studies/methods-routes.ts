import type { Request } from 'express'
import type { z } from 'zod'
import { findAnalysis } from '../../engine/analyses/find-analysis.ts'
import { describeMethods, type Methods as MethodsInWords } from '../../engine/methods/describe-methods.ts'
import { collectFacts, methodsPlan } from '../../engine/methods/methods-facts.ts'
import {
  METHODS_FORMAT_NAMES,
  METHODS_FORMATS,
  type MethodsFormat,
  printMethods,
} from '../../engine/methods/print-methods.ts'
import type { Fault } from '../../engine/model/errors.ts'
import { nearest } from '../../engine/model/parameters.ts'
import { planId } from '../../engine/model/plan.ts'
import type { Config } from '../../engine/model/settings.ts'
import { planRequest } from '../exports/read-request.ts'
import { queryOf } from '../http/query.ts'
import type { Answer, Answers } from '../routes/route.ts'
import type { METHODS_ROUTES } from '../routes/studies.ts'
import type { Methods } from '../schemas/methods.ts'
import type { SendComputed } from './send-computed.ts'

type Parts = { config: Config; send: SendComputed }

/** How many times the samples of a small export are measured while a client waits: some seconds. */
const TIMES_SMALL = 16

/** Returns what answers a study's methods in words. */
export function methodsRoutes({ config, send }: Parts): Answers<typeof METHODS_ROUTES> {
  const samplesMax = TIMES_SMALL * config.syncMaxSamples
  const getMethods: Answer<typeof METHODS_ROUTES.getMethods> = async ({ req, res, snapshot }) => {
    const query = queryOf(req.url)
    const faults: Fault[] = []
    const name = chooseFormat(query, req, faults)
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

/** Chooses the format: `?format=`, otherwise the best of `Accept`; JSON if neither names one. */
function chooseFormat(query: Map<string, string[]>, req: Request, faults: Fault[]): MethodsFormat {
  const value = query.get('format')?.[0]
  if (value === undefined) {
    const type = req.accepts(Object.values(METHODS_FORMATS))
    return METHODS_FORMAT_NAMES.find((name) => METHODS_FORMATS[name] === type) ?? 'json'
  }
  const name = METHODS_FORMAT_NAMES.find((known) => known === value)
  if (name === undefined) {
    const rule = `must be one of ${METHODS_FORMAT_NAMES.join(', ')}`
    faults.push({ parameter: 'format', rule, value, ...nearest(value, METHODS_FORMAT_NAMES) })
  }
  return name ?? 'json'
}
