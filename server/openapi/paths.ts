import type { z } from 'zod'
import { PROBLEMS, type ProblemCode } from '../http/problems.ts'
import type { Json, Parameter } from '../routes/parameter.ts'
import { PARAMETERS, PATH_PARAMETERS } from '../routes/parameters.ts'
import type { Route, RouteAnswer, RouteBody } from '../routes/route.ts'
import { ROUTES } from '../routes/table.ts'
import { JSON_TYPE } from '../schemas/media-types.ts'
import { headers, type ProblemAnswers } from './answers.ts'
import { schemaJson } from './schemas.ts'

/** Problems that any request can get, and further ones that any request with a token can get. */
const ANYBODY: ProblemCode[] = [
  'invalid_param',
  'too_many_requests',
  'bad_request',
  'https_required',
  'method_not_allowed',
  'request_timeout',
  'body_too_large',
  'query_too_long',
  'headers_too_large',
  'internal',
]
const WITH_ANY_TOKEN: ProblemCode[] = ['unauthorized', 'corrupt', 'other_format', 'store_away']
const ORDER = Object.keys(PROBLEMS)

/** Ways to send a token; our pages and clients use the first. */
export const WITH_TOKEN: Json[] = [{ 'X-AUTH-TOKEN': [] }, { Bearer: [] }]
/** Security of reads: Basic is for programs that support nothing else. */
const FOR_PROGRAMS = [...WITH_TOKEN, { Basic: [] }]

/** Describes every path below /api2, except those of the dashboard (docs/http.md). */
export function describePaths(problems: ProblemAnswers): Record<string, Json> {
  const paths: Record<string, Json> = {}
  for (const [name, route] of Object.entries(ROUTES)) {
    if (route.summary === undefined) continue
    const path = route.path.replace(/:(\w+)/g, (_all, key: string) => `{${PATH_PARAMETERS[key].name}}`)
    paths[path] = { ...paths[path], [route.method]: describe(name, route, problems) }
  }
  return paths
}

/** Describes the parameters that several operations share. */
export function describeShared(): Json {
  return Object.fromEntries(Object.entries(PARAMETERS).map(([key, parameter]) => [key, describeParameter(parameter)]))
}

function describe(operationId: string, route: Route, problems: ProblemAnswers): Json {
  const { tag, summary, description, method, role, body, answers } = route
  const parameters = parametersOf(route)
  return {
    operationId,
    tags: [tag],
    summary,
    description,
    parameters: parameters.length === 0 ? undefined : parameters.map(refer),
    requestBody: body && describeBody(body),
    security: role === 'anyone' || role === 'self' ? [] : isRead(method) ? FOR_PROGRAMS : undefined,
    responses: {
      ...Object.fromEntries(Object.entries(answers).map(([status, answer]) => [status, describeAnswer(answer)])),
      ...problems.responses(problemsOf(route)),
    },
  }
}

function parametersOf({ path, at = [], query = [], planned = [], headers = [] }: Route): Parameter[] {
  const inPath = [...path.matchAll(/:(\w+)/g)].map(
    ([, name]) => at.find((each) => each.name === name) ?? PATH_PARAMETERS[name],
  )
  // Query parameters without a description are accepted only for old clients.
  const described = query.filter(({ description }) => description !== undefined)
  return [...inPath, ...described, ...planned, ...headers]
}

const refer = (parameter: Parameter): Json => {
  const isSame = (other: Parameter) => other.name === parameter.name && other.description === parameter.description
  const key = Object.entries(PARAMETERS).find(([, shared]) => isSame(shared))?.[0]
  return key === undefined ? describeParameter(parameter) : { $ref: `#/components/parameters/${key}` }
}

function describeParameter({ name, in: place, required, description, schema, explode }: Parameter): Json {
  return { name, in: place, required, description, schema: schemaJson(schema), explode }
}

function describeBody({ schema, types = [], isOptional = false }: RouteBody): Json {
  const all = schema === undefined ? types : [...new Set([JSON_TYPE, ...types])]
  const content = all.map((type) => {
    if (type === JSON_TYPE && schema) return [type, { schema: schemaJson(schema) }]
    return [type, type.endsWith('octet-stream') ? {} : { schema: { type: 'string' } }]
  })
  return { required: isOptional ? undefined : true, content: Object.fromEntries(content) }
}

function describeAnswer({ description, headers: names, content }: RouteAnswer): Json {
  const mediaOf = (schema: object) => ('safeParse' in schema ? { schema: schemaJson(schema as z.ZodType) } : schema)
  const media = content && Object.entries(content).map(([type, schema]) => [type, mediaOf(schema)])
  return {
    description,
    headers: headers('RateLimit', 'RateLimit-Policy', ...names),
    content: media && Object.fromEntries(media),
  }
}

function isRead(method: Route['method']): boolean {
  return method === 'get' || method === 'head'
}

/** Lists the problems that a request for a route can get, derived from its entry in the table. */
function problemsOf(route: Route): ProblemCode[] {
  const { method, path, role, headers = [], needsAllStudies, problems = [] } = route
  const isChange = !isRead(method) && method !== 'options'
  const match = headers.find(({ name }) => name === 'If-Match')
  const all: ProblemCode[] = [
    ...ANYBODY,
    ...(role === 'anyone' || role === 'self' ? [] : WITH_ANY_TOKEN),
    ...(path.includes(':') || role === 'ops' ? (['not_found'] as const) : []),
    // Its snapshot may be removed again and again while it is answered.
    ...(isRead(method) && path.includes(':studyId') ? (['busy'] as const) : []),
    ...(needsAllStudies || role === 'write' || role === 'collect' ? (['forbidden'] as const) : []),
    ...(isChange && role !== 'anyone' && role !== 'self' ? (['change_token_needed'] as const) : []),
    ...(match ? (['moved_on'] as const) : []),
    ...(match?.required ? (['precondition_needed'] as const) : []),
    ...problems,
  ]
  return [...new Set(all)].sort((a, b) => ORDER.indexOf(a) - ORDER.indexOf(b))
}
