import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { importBundle } from '../../engine/import/import-bundle.ts'
import { EXPORT_NAMES } from '../../engine/model/export-names.ts'
import { csvCells } from '../engine/csv.ts'
import { kept } from '../engine/kept.ts'
import { openTestServer, STUDY } from './test-server.ts'

/** The study with every special case in it: test/golden/bundle. */
const GOLDEN = '90000000-0000-4000-8000-000000000001'

type Field = {
  name: string
  type: string
  format?: string
  unit: string | null
  description: string
  missingValues: string[]
  constraints?: { required: true }
  optional?: true
}
type TableSchema = { $schema: string; title: string; description: string; fields: Field[]; missingValues: string[] }
type Listed = { name: string; path: string; variant: string | null; schema: string; rowPer: string }
const service = kept(await openTestServer())
const options = { append: false, dryRun: false, now: new Date(), threads: 1, memoryMib: 128 }
const directory = fileURLToPath(new URL('../golden/bundle', import.meta.url))
await importBundle({ dataDir: service.dataDir, directory, ...options })
const exports = ((await (await service.get('/api2/exports')).json()) as { exports: Listed[] }).exports

const schemaOf = async ({ schema }: Listed) => (await (await service.get(schema)).json()) as TableSchema

/** Rows of cells as text, by a reader that is not ours. */
async function tableOf({ path, variant }: Listed, studyId: string): Promise<string[][]> {
  const query = variant === null ? '' : `?variant=${variant}`
  const response = await service.get(path.replace('{studyId}', studyId) + query)
  expect(response.status).toBe(200)
  return csvCells(await response.text())
}

/** Frictionless Table Schema: its types that occur here, the formats that each may have, and how each is read. */
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const TYPES: Record<string, { formats: (string | undefined)[]; reads: (cell: string, format?: string) => boolean }> = {
  string: {
    formats: [undefined, 'uuid', 'uri'],
    reads: (cell, format) => (format === 'uuid' ? UUID.test(cell) : format === 'uri' ? URL.canParse(cell) : true),
  },
  integer: { formats: [undefined], reads: (cell) => /^-?\d+$/.test(cell) },
  number: { formats: [undefined], reads: (cell) => /^-?\d+(\.\d+)?$/.test(cell) },
  boolean: { formats: [undefined], reads: (cell) => cell === 'true' || cell === 'false' },
  datetime: { formats: ['any'], reads: (cell) => !Number.isNaN(Date.parse(cell)) },
  array: { formats: [undefined], reads: (cell) => Array.isArray(JSON.parse(cell)) },
}

test('all exports have a schema that keeps the rules of Table Schema', async () => {
  expect(exports).toHaveLength(EXPORT_NAMES.length)
  for (const listed of exports) {
    const { $schema, title, description, fields, missingValues } = await schemaOf(listed)
    expect($schema).toBe('https://datapackage.org/profiles/2.0/tableschema.json')
    expect(title).not.toBe('')
    expect(description).toBe(`One row per ${listed.rowPer}`)
    expect(missingValues).toEqual([''])
    expect(new Set(fields.map(({ name }) => name)).size).toBe(fields.length)
    for (const field of fields) {
      expect(field.name).toMatch(field.optional ? /^[a-z][a-z0-9_]*\*?$/ : /^[a-z][a-z0-9_]*$/)
      expect(TYPES[field.type]?.formats, `${field.name}: ${field.type}`).toContain(field.format)
      expect(field.description).toMatch(/^\S.*\S$/)
      expect(field.missingValues.length === 0).toBe(field.constraints?.required === true)
      if (/_(ms|px|percents?)$/.test(field.name)) expect(field.unit, field.name).toMatch(/^(ms|px|% of .+)$/)
    }
  }
})

test('columns that only some studies have stand before the notes, and are marked as optional', async () => {
  for (const listed of exports) {
    const names = (await schemaOf(listed)).fields.map(({ name, optional }) => (optional ? `${name}?` : name))
    const known: Record<string, string[]> = {
      'aoi-overall-stats': [],
      'participants-wide': ['first_ms__*?', 'revisits__*?'],
    }
    const expected = known[listed.name] ?? ['participant_tags?', 'external_data_*?']
    const at = names.indexOf('notes')
    expect(names.slice(at - 2, at).filter((name) => name.endsWith('?'))).toEqual(expected)
  }
})

/** The field that stands for columns of any name that begins so. */
function fieldFor(name: string, fields: Field[]): Field {
  const found = fields.find(
    (field) =>
      field.optional && (field.name === name || (field.name.endsWith('*') && name.startsWith(field.name.slice(0, -1)))),
  )
  if (found === undefined) throw new Error(`no field stands for ${name}`)
  return found
}

/** Exports of what need not happen. */
const MAY_HAVE_NO_ROWS = new Set([
  'aoi-tags-stats',
  'saccades',
  'aoi-transitions',
  'aoi-visits',
  'pupils',
  'pupil-stats',
  'blinks',
  'microsaccades',
  'reading',
  'reading-lines',
  'events',
])

describe('answers of the server match its schema', () => {
  for (const [studyName, studyId] of [
    ['plain', STUDY],
    ['golden', GOLDEN],
  ])
    test(`of the ${studyName} study`, async () => {
      for (const listed of exports) {
        const all = (await schemaOf(listed)).fields
        const [header, ...rows] = await tableOf(listed, studyId)
        // A field that is optional stands for the columns that a study has, one for each name, or for none.
        const fields = header.map(
          (name) => all.find((field) => !field.optional && field.name === name) ?? fieldFor(name, all),
        )
        expect(fields.filter(({ optional }) => !optional)).toEqual(all.filter(({ optional }) => !optional))
        if (!MAY_HAVE_NO_ROWS.has(listed.name)) expect(rows.length).toBeGreaterThan(0)
        for (const row of rows) {
          expect(row).toHaveLength(fields.length)
          for (const [i, { name, type, format, missingValues, constraints }] of fields.entries()) {
            const isMissing = missingValues.includes(row[i])
            if (isMissing) expect(constraints, `${listed.name}: ${name}`).toBeUndefined()
            else expect([name, row[i], TYPES[type].reads(row[i], format)]).toEqual([name, row[i], true])
          }
        }
      }
    })

  test('and in the golden study some cells are missing, so that this says something', async () => {
    const listed = exports.find(({ name }) => name === 'keyboard-mouse-overall')!
    const fields = (await schemaOf(listed)).fields.filter(({ optional }) => !optional)
    const [, ...rows] = await tableOf(listed, GOLDEN)
    const missing = fields.filter(({ missingValues }, i) => rows.some((row) => missingValues.includes(row[i])))
    expect(missing.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['participant_age', 'participant_display_gender', 'test_finished_on_key', 'notes']),
    )
  })
})

test("the schema of a study has the header's columns, and is SPSS syntax if asked for", async () => {
  for (const listed of exports) {
    const [header] = await tableOf(listed, GOLDEN)
    const path = `/api2/studies/${GOLDEN}/exports/${listed.name}/schema`
    const { fields } = (await (await service.get(path)).json()) as TableSchema
    expect(fields.map(({ name }) => name)).toEqual(header)
    const syntax = await service.get(`${path}?format=sps`)
    expect(syntax.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    const text = await syntax.text()
    const variables = text.split('/VARIABLES=\n')[1].split('VARIABLE LABELS')[0].trim().split('\n')
    expect(variables).toHaveLength(header.length)
    expect(text).toContain(`-${listed.name}.csv'`)
  }
  expect((await service.get(`/api2/studies/${GOLDEN}/exports/nothing/schema`)).status).toBe(404)
})
