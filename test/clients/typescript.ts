import type { Json } from '../../server/routes/parameter.ts'

const OF_OPENAPI = '// Made of the schemas of the OpenAPI document by: npx vitest run test/clients/types.test.ts -u\n'

/**
 * Returns JSON Schemas as TypeScript, as far as the interface uses them: an exported type for each name, with what it
 * means.
 */
export function typesOf(schemas: Record<string, Json>, head = OF_OPENAPI): string {
  const types = Object.entries(schemas).map(
    ([name, schema]) => `${comment(schema, '')}export type ${name} = ${typeOf(schema, '')}\n`,
  )
  return [head, ...types].join('\n')
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
  return `{\n${lines.join('')}${indent}}`
}

function comment({ description }: Json, indent: string): string {
  return typeof description === 'string' ? `${indent}/** ${description.replaceAll('*/', '*\\/')} */\n` : ''
}
