import { type IncomingHttpHeaders, request } from 'node:http'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { expect } from 'vitest'
import { openApiDocument } from '../../server/openapi/document.ts'

export type Json = { [key: string]: unknown }
export type ParameterObject = { name: string; in: 'path' | 'query' | 'header'; schema: Json; required?: boolean }
export type Operation = {
  method: string
  /** Below /api2, with its parameters in braces. */
  path: string
  parameters: ParameterObject[]
  /** By status. */
  responses: Record<string, ResponseObject>
  isOpen: boolean
}
export type ResponseObject = {
  headers?: Record<string, { required?: boolean; schema: Json }>
  content?: Record<string, { schema?: Json }>
}
export type Answer = { status: number; headers: IncomingHttpHeaders; body: Buffer }

/** With every $ref to parameters, their schemas, headers and responses followed; other schemas are left to Ajv. */
export function operationsOf(document: Json): Operation[] {
  const resolve = <T>(value: unknown): T => {
    const { $ref } = value as { $ref?: string }
    if ($ref === undefined) return value as T
    return $ref
      .slice(2)
      .split('/')
      .reduce((at: unknown, key) => (at as Json)[key], document) as T
  }
  const resolveParameter = (value: unknown): ParameterObject => {
    const parameter = resolve<ParameterObject>(value)
    return { ...parameter, schema: resolve<Json>(parameter.schema) }
  }
  const resolveResponse = (value: unknown): ResponseObject => {
    const response = resolve<ResponseObject>(value)
    const headers = Object.entries(response.headers ?? {}).map(([name, header]) => [
      name.toLowerCase(),
      resolve<Json>(header),
    ])
    return { ...response, headers: Object.fromEntries(headers) }
  }
  return Object.entries(document.paths as Record<string, Record<string, Json>>).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      parameters: ((operation.parameters as unknown[]) ?? []).map(resolveParameter),
      responses: Object.fromEntries(
        Object.entries(operation.responses as Json).map(([status, value]) => [status, resolveResponse(value)]),
      ),
      isOpen: Array.isArray(operation.security) && operation.security.length === 0,
    })),
  )
}

/** Headers that any answer may have besides: those of HTTP itself, helmet and CORS. */
const EVERYWHERE = new Set(
  `date connection keep-alive transfer-encoding content-type content-security-policy cross-origin-opener-policy
  cross-origin-resource-policy origin-agent-cluster referrer-policy strict-transport-security x-content-type-options
  x-dns-prefetch-control x-download-options x-frame-options x-permitted-cross-domain-policies x-xss-protection
  x-accel-buffering access-control-allow-origin access-control-expose-headers`.split(/\s+/),
)

/** Holds answers against the document: status, content type, headers, body. */
export function openContract(document: Json = openApiDocument()) {
  const ajv = new Ajv2020({ strict: false, allErrors: true, coerceTypes: false })
  // Its types know no default import from an ES module.
  ;(addFormats as unknown as (to: Ajv2020) => void)(ajv)
  ajv.addSchema(forbidMore(structuredClone(document)) as Json, 'document')
  const operations = operationsOf(document)
  const compiled = new Map<Json, ValidateFunction>()

  function validate(schema: Json, value: unknown, what: string): void {
    const check = compiled.get(schema) ?? ajv.compile(withRoot(schema) as Json)
    compiled.set(schema, check)
    expect(check(value) ? [] : [what, value, check.errors]).toEqual([])
  }

  /** @param method as it was sent: one that the path does not take is answered as the document says of GET */
  function check(method: string, path: string, answer: Answer): void {
    const own = operations.find((each) => each.path === path && each.method === method)
    const operation = own ?? operations.find((each) => each.path === path && each.method === 'GET')
    const what = `${method} ${path} ${answer.status}`
    const response = operation?.responses[answer.status]
    expect(response, `${what} is not in the document: ${answer.body}`).toBeDefined()
    checkHeaders(response!.headers ?? {}, answer.headers, what, method === 'HEAD' && own === undefined)
    if (method === 'HEAD' || response?.content === undefined) {
      expect(answer.body.byteLength, what).toBe(0)
      return
    }
    const type = String(answer.headers['content-type']).split(';')[0]
    expect(Object.keys(response.content), what).toContain(type)
    const schema = response.content[type].schema
    const text = answer.body.toString('utf8')
    if (schema && /[/+]json$/.test(type)) validate(schema, JSON.parse(text), what)
    if (type === 'text/event-stream')
      for (const [, data] of text.matchAll(/^data: (.*)$/gm))
        validate({ $ref: '#/components/schemas/Job' }, JSON.parse(data), what)
  }

  function checkHeaders(
    documented: NonNullable<ResponseObject['headers']>,
    sent: IncomingHttpHeaders,
    what: string,
    isBare: boolean,
  ): void {
    const undocumented = Object.keys(sent).filter((name) => !EVERYWHERE.has(name) && !(name in documented))
    expect(undocumented, `${what}: headers that the document has not`).toEqual([])
    for (const [name, { required, schema }] of Object.entries(documented)) {
      const value = sent[name]
      if (value === undefined) {
        if (required && !isBare) expect(name, `${what}: a header that the document promises`).toBe('sent')
      } else {
        const plain = String(value)
        validate(schema, schema.type === 'integer' ? Number(plain) : plain, `${what}: ${name}`)
      }
    }
  }

  return {
    document,
    operations,
    check,
    /** @param name of a schema under components */
    checkValue: (name: string, value: unknown) => validate({ $ref: `#/components/schemas/${name}` }, value, name),
  }
}

/** Bodies must hold nothing that the document does not name, but where it says that they may. */
function forbidMore(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(forbidMore)
  if (value === null || typeof value !== 'object') return value
  const copy = Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, forbidMore(inner)]))
  const isObject = copy.type === 'object' && copy.properties !== undefined && !('additionalProperties' in copy)
  return isObject ? { ...copy, additionalProperties: false } : copy
}

function withRoot(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withRoot)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, key === '$ref' ? `document${inner}` : withRoot(inner)]),
  )
}

/** A request exactly as given: fetch would tidy the path up, and unzip the body. */
export function send(
  url: string,
  { method = 'GET', path, headers = {} }: { method?: string; path: string; headers?: Record<string, string> },
): Promise<Answer> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const req = request({ hostname, port, method, path, headers, agent: false }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }),
      )
    })
    req.on('error', reject)
    req.end()
  })
}
