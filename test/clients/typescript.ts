import type { Json } from '../../server/routes/parameter.ts'

const OF_OPENAPI = '// Made of the schemas of the OpenAPI document by: npx vitest run test/clients/types.test.ts -u\n'

/** Longest object that stands in one line, if nothing in it has a comment. */
const ROOM = 90

/**
 * Returns JSON Schemas as TypeScript, as far as the interface uses them: an exported type for each name, with what it
 * means.
 */
export function typesOf(schemas: Record<string, Json>, head = OF_OPENAPI): string {
  const types = Object.entries(schemas).map(
    ([name, schema]) => `${comment(schema, '')}export type ${name} = ${namedType(schema, schemas)}\n`,
  )
  return [head, ...types].join('\n')
}

/** Smallest number of properties of a type that another one extends. */
const EXTENDED_MIN = 8

/** Returns the type of a schema: by that of another schema, if it has all of its properties, or all but one. */
function namedType(schema: Json, schemas: Record<string, Json>): string {
  const own = propertiesOf(schema)
  for (const [name, other] of Object.entries(schemas)) {
    const theirs = propertiesOf(other)
    if (theirs.size < EXTENDED_MIN || theirs.size >= own.size) continue
    const missing = [...theirs].filter(([property, text]) => own.get(property) !== text).map(([property]) => property)
    if (missing.length > 1) continue
    const base = missing.length === 0 ? name : `Omit<${name}, '${missing[0]}'>`
    const rest = Object.entries(schema.properties as Record<string, Json>).filter(
      ([property]) => !theirs.has(property) || missing.includes(property),
    )
    return `${base} & ${objectOf({ ...schema, properties: Object.fromEntries(rest) }, '')}`
  }
  return typeOf(schema, '')
}

/** Returns the properties of an object, each as text. */
function propertiesOf({ properties = {}, required = [] }: Json): Map<string, string> {
  const isRequired = (name: string) => (required as string[]).includes(name)
  return new Map(Object.entries(properties as object).map(([p, of]) => [p, JSON.stringify([of, isRequired(p)])]))
}

function typeOf(schema: Json, indent: string): string {
  const { $ref, anyOf, const: value, enum: values, type } = schema as { [key: string]: unknown }
  if (typeof $ref === 'string') return $ref.split('/').at(-1)!
  if (Array.isArray(anyOf)) return anyOf.map((each: Json) => typeOf(each, indent)).join(' | ')
  if (value !== undefined) return literal(value)
  if (Array.isArray(values)) return values.map(literal).join(' | ')
  if (Array.isArray(type)) return type.map((each: string) => typeOf({ type: each }, indent)).join(' | ')
  if (type === 'object') return objectOf(schema, indent)
  if (type === 'array' && Array.isArray(schema.prefixItems)) {
    const items = schema.prefixItems.map((each: Json) => typeOf(each, indent))
    return `[${[...items, ...(schema.items && schema.maxItems === undefined ? [`...${arrayOf(schema.items as Json, indent)}`] : [])].join(', ')}]`
  }
  if (type === 'array') return arrayOf(schema.items as Json, indent)
  if (type === 'integer') return 'number'
  if (type === 'string' || type === 'number' || type === 'boolean' || type === 'null') return type
  if (Object.keys(schema).every((key) => key === 'description')) return 'unknown'
  throw new Error(`no type for ${JSON.stringify(schema)}`)
}

function arrayOf(items: Json, indent: string): string {
  const item = typeOf(items, indent)
  return /[ |{]/.test(item) ? `(${item})[]` : `${item}[]`
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : JSON.stringify(value)
}

function objectOf({ properties = {}, required = [], additionalProperties }: Json, indent: string): string {
  const inner = `${indent}  `
  const lines = Object.entries(properties as Record<string, Json>).map(([name, schema]) => {
    const mark = (required as string[]).includes(name) ? '' : '?'
    return `${comment(schema, inner)}${inner}${name}${mark}: ${typeOf(schema, inner)}\n`
  })
  if (additionalProperties !== undefined && additionalProperties !== false)
    lines.push(
      `${inner}[key: string]: ${lines.length === 0 ? typeOf(additionalProperties as Json, inner) : 'unknown'}\n`,
    )
  const short = `{ ${lines.map((line) => line.trim()).join('; ')} }`
  if (lines.length > 0 && indent.length + short.length <= ROOM && !/\n|\/\*/.test(short)) return short
  return `{\n${lines.join('')}${indent}}`
}

function comment({ description }: Json, indent: string): string {
  return typeof description === 'string' ? `${indent}/** ${description.replaceAll('*/', '*\\/')} */\n` : ''
}
