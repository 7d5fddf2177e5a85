import { createHash } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { parquetMetadata, parquetSchema } from 'hyparquet'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { fromBuffer } from 'yauzl'
import { EXPORT_NAMES, type ExportName } from '../../../../engine/model/export-names.ts'
import { defaultParameters, type Parameters } from '../../../../engine/model/parameters.ts'
import type { Snapshot } from '../../../../engine/model/study.ts'
import { citation } from '../../../../engine/products/package/citation.ts'
import { croissant } from '../../../../engine/products/package/croissant.ts'
import { dataPackage } from '../../../../engine/products/package/data-package.ts'
import { makePackagePlan, type PackageFormat } from '../../../../engine/products/package/make-package-plan.ts'
import type { PackagedFile, PackageFacts } from '../../../../engine/products/package/package-facts.ts'
import { roCrate } from '../../../../engine/products/package/ro-crate.ts'
import { writePackage } from '../../../../engine/products/package/write-package.ts'
import { zipPackage } from '../../../../engine/products/package/zip-package.ts'
import { createPool } from '../../../../engine/run/pool/pool.ts'
import { keptDirectory, keptPool } from '../../kept.ts'
import { exported, importDemo, importGolden, newDataDir } from '../../studies.ts'
import {
  brokenInCitation,
  brokenInCroissant,
  brokenInDataPackage,
  brokenInPymovements,
  brokenInRoCrate,
  type Json,
} from './rules.ts'

const root = await keptDirectory()
const pool = keptPool()
const golden = await importGolden(root)
const demo = await importDemo(root, { participants: 3, items: 2, seconds: 2, hz: 60, seed: 4 })

type RouteRequest = { exports?: ExportName[]; format?: PackageFormat; parameters?: Partial<Parameters> }

function options(snapshot: Snapshot, { exports, format = 'csv', parameters = {} }: RouteRequest = {}) {
  const settings = { ...defaultParameters(), ...parameters }
  const asked = { snapshot, exports: exports ?? null, parameters: settings, formulaGuard: true, format }
  return { plan: makePackagePlan(asked), snapshot, pool, signal: new AbortController().signal }
}

/** The files of a package, by their paths. */
type Files = Record<string, Buffer>

async function folder(snapshot: Snapshot, asked?: RouteRequest): Promise<Files> {
  const directory = await mkdtemp(join(root, 'package-'))
  await writePackage(directory, options(snapshot, asked))
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const read = async (path: string) => [path.slice(directory.length + 1), await readFile(path)] as const
  return Object.fromEntries(await Promise.all(paths.map(read)))
}

async function zipped(snapshot: Snapshot, asked?: RouteRequest, by = pool): Promise<Buffer> {
  const blocks: Uint8Array[] = []
  for await (const { bytes } of zipPackage({ ...options(snapshot, asked), pool: by })) blocks.push(bytes.slice())
  return Buffer.concat(blocks)
}

async function unzipped(zip: Buffer): Promise<{ files: Files; times: Set<string> }> {
  const files: Files = {}
  const times = new Set<string>()
  const open = await new Promise<import('yauzl').ZipFile>((resolve, reject) =>
    fromBuffer(zip, { lazyEntries: false, autoClose: false }, (error, file) => (error ? reject(error) : resolve(file))),
  )
  const reading: Promise<void>[] = []
  open.on('entry', (entry) => {
    times.add(entry.getLastModDate({ timezone: 'UTC' }).toISOString())
    reading.push(
      new Promise((resolve, reject) =>
        open.openReadStream(entry, (error, stream) => {
          if (error) return reject(error)
          const chunks: Buffer[] = []
          stream.on('data', (chunk: Buffer) => chunks.push(chunk))
          stream.on('error', reject)
          stream.on('end', () => {
            files[entry.fileName] = Buffer.concat(chunks)
            resolve()
          })
        }),
      ),
    )
  })
  await new Promise((resolve, reject) => open.on('end', resolve).on('error', reject))
  await Promise.all(reading)
  open.close()
  return { files, times }
}

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const customTags = ['Utf8', 'Int64', 'Float64', 'Boolean'].map((name) => ({
  tag: `!polars.${name}`,
  resolve: () => name,
}))
const yaml = (text: string): Json => parse(text, { customTags })

/** Facts in a description about the package and its tables, as far as it has them. */
type Told = {
  title: string
  snapshot: string
  study: string
  day: string
  version: string
  tables: Record<string, { bytes: number; sha256: string; settings: string }>
  columns?: Record<string, { name: string; unit: string | null; description: string }[]>
}

function fromDataPackage(text: string): Told {
  const about = JSON.parse(text)
  return {
    title: about.title,
    snapshot: about.version,
    study: about.id.replace('urn:uuid:', ''),
    day: about.created.slice(0, 10),
    version: about.gazette.version,
    tables: by(about.resources, ({ path, bytes, hash, gazette }) => [
      path,
      { bytes, sha256: hash.replace('sha256:', ''), settings: gazette.settings },
    ]),
    columns: by(about.resources, ({ path, schema }) => [
      path,
      schema.fields.map(({ name, unit, description }: Json) => ({ name, unit, description })),
    ]),
  }
}

function fromRoCrate(text: string): Told {
  const graph: Any[] = JSON.parse(text)['@graph']
  const at = new Map(graph.map((entity) => [entity['@id'], entity]))
  const rootEntity = at.get('./')
  const actions = graph.filter((entity) => entity['@type'] === 'CreateAction')
  const versions = new Set(actions.map(({ instrument }) => at.get(instrument['@id']).softwareVersion))
  const values = rootEntity.variableMeasured.map((id: Any) => at.get(id['@id']))
  return {
    title: rootEntity.name,
    snapshot: rootEntity.version,
    study: rootEntity.identifier.replace('urn:uuid:', ''),
    day: rootEntity.datePublished,
    version: [...versions].join(),
    tables: by(actions, ({ result, description }) => {
      const { contentSize, sha256: digest } = at.get(result['@id'])
      return [result['@id'], { bytes: Number(contentSize), sha256: digest, settings: description }]
    }),
    columns: by(actions, ({ result: { '@id': path } }) => [
      path,
      values
        .filter((value: Any) => value['@id'].startsWith(`${path}#`))
        .map(({ name, unitText = null, description }: Any) => ({ name, unit: unitText, description })),
    ]),
  }
}

function fromCroissant(text: string): Told {
  const about = JSON.parse(text)
  const files: Record<string, Any> = by(about.distribution, (file) => [file['@id'], file])
  const pathOf = (set: Any): string => set.field[0].source.fileObject['@id']
  const settingsOf = (set: Any): string => files[pathOf(set)].description.slice(`${set.description}. `.length)
  return {
    title: about.name,
    snapshot: about.version.split('+')[1],
    study: about.url.replace('urn:uuid:', ''),
    day: about.datePublished,
    version: / Gazette (\S+)\.$/.exec(about.citeAs)![1],
    tables: by(about.recordSet, (set) => {
      const { contentSize, sha256: digest } = files[pathOf(set)]
      return [pathOf(set), { bytes: Number.parseInt(contentSize, 10), sha256: digest, settings: settingsOf(set) }]
    }),
    columns: by(about.recordSet, (set) => [
      pathOf(set),
      set.field.map(({ name, unitText = null, description, source }: Any) => {
        expect(source.extract.column).toBe(name)
        return { name, unit: unitText, description }
      }),
    ]),
  }
}

function fromCitation(text: string): Told {
  const about = yaml(text) as Any
  const [study, ...files] = about.identifiers
  return {
    title: about.title,
    snapshot: about.version,
    study: study.value.replace('urn:uuid:', ''),
    day: about['date-released'],
    version: about.references[0].version,
    tables: by(files, ({ value, description }) => {
      const [, path, bytes, settings] = /^(\S+): (\d+) bytes, \d+ rows; (.*)$/s.exec(description)!
      return [path, { bytes: Number(bytes), sha256: value.replace('sha256:', ''), settings }]
    }),
  }
}

// biome-ignore lint/suspicious/noExplicitAny: parsed JSON of four shapes, each looked at once
type Any = any
function by<T>(list: Any[], pair: (value: Any) => [string, T]): Record<string, T> {
  return Object.fromEntries(list.map(pair))
}

/** Expects that all descriptions tell the same, and returns it. */
function agreed(files: Record<string, { toString: () => string }>): Told {
  const told = fromDataPackage(String(files['datapackage.json']))
  expect(fromRoCrate(String(files['ro-crate-metadata.json']))).toEqual(told)
  expect(fromCroissant(String(files['croissant.json']))).toEqual(told)
  const { columns: _, ...without } = told
  expect(fromCitation(String(files['CITATION.cff']))).toEqual(without)
  return told
}

function brokenRules(files: Files): string[] {
  const tables = Object.entries(files).filter(([path]) => path.endsWith('.csv'))
  const headers = by(tables, ([path, bytes]) => [path.slice('data/'.length), headerOf(bytes)])
  const definition = files['pymovements.yaml']
  return [
    ...brokenInDataPackage(String(files['datapackage.json'])),
    ...brokenInRoCrate(String(files['ro-crate-metadata.json']), Object.keys(files)),
    ...brokenInCroissant(String(files['croissant.json'])),
    ...brokenInCitation(yaml(String(files['CITATION.cff']))),
    ...(definition ? brokenInPymovements(yaml(String(definition)), headers) : []),
  ]
}

/** The names of the columns of a CSV, whose first line has no line break in quotes. */
function headerOf(csv: Buffer): string[] {
  const line = csv.subarray(0, csv.indexOf('\n')).toString()
  return Array.from(line.matchAll(/"((?:[^"]|"")*)"|[^,]+/g), ([all, quoted]) => quoted?.replaceAll('""', '"') ?? all)
}

describe('a package', () => {
  test.each([
    ['golden', () => golden],
    ['demo', () => demo],
  ])('of the %s study breaks no rule, and its descriptions agree', async (_name, study) => {
    const snapshot = study()
    const files = await folder(snapshot)
    expect(brokenRules(files)).toEqual([])
    expect(files['pymovements.yaml']).toBeDefined()
    const { tables, columns, ...about } = agreed(files)
    expect(about).toMatchObject({ title: snapshot.study.name, study: snapshot.study.id, snapshot: snapshot.id })
    expect(about.day).toBe('2026-01-01')
    for (const [path, { bytes, sha256: digest, settings }] of Object.entries(tables)) {
      const name = path.slice('data/'.length, -'.csv'.length) as ExportName
      const { csv } = await exported(pool, snapshot, name)
      expect(files[path].equals(csv), name).toBe(true)
      expect([bytes, digest]).toEqual([csv.length, sha256(csv)])
      expect(csv.toString(), name).toContain(settings)
      expect(columns![path].map((column) => column.name)).toEqual(headerOf(csv))
    }
    expect(String(files['methods.md'])).toMatch(/^## Methods\n\nThe study has \d+ participant/)
    // Without eyes, gazes-raw has all samples.
    const isLeftOut = (name: ExportName) => name === 'participants-wide' || name === 'samples'
    const left = EXPORT_NAMES.filter((name) => !(`data/${name}.csv` in tables) && !isLeftOut(name))
    for (const name of left) expect((await exported(pool, snapshot, name)).progress.rows, name).toBe(0)
  })

  test('has the tables that were named, also without rows, with the settings that were given', async () => {
    const parameters = { movingMedianRangeMs: 100, filter: 'participant_age < 0', fromMs: 100 }
    const files = await folder(demo, { exports: ['saccades', 'fixations'], parameters })
    const { tables } = agreed(files)
    expect(Object.keys(tables)).toEqual(['data/fixations.csv', 'data/saccades.csv'])
    expect(tables['data/fixations.csv'].settings).toMatch(/movingMedianRangeMs = 100;.*filter = participant_age < 0$/)
    expect(String(files['data/fixations.csv']).split('\n').length).toBe(2)
    expect(String(files['methods.md'])).toContain('No test was left, so that no gaze was analysed.')
    expect(brokenRules(files)).toEqual([])
    expect(Object.keys(await folder(demo, { parameters }))).not.toContain('data/fixations.csv')
  })

  test('holds Parquet with the columns that are told', async () => {
    const files = await folder(demo, { exports: ['fixations', 'gazes-raw'], format: 'parquet' })
    expect(brokenRules(files)).toEqual([])
    expect(files['pymovements.yaml']).toBeUndefined()
    const { columns, tables } = agreed(files)
    for (const path of Object.keys(tables)) {
      const { buffer, byteOffset, length } = files[path]
      const file = buffer.slice(byteOffset, byteOffset + length) as ArrayBuffer
      const names = parquetSchema(parquetMetadata(file)).children.map(({ element }) => element.name)
      expect(columns![path].map(({ name }) => name)).toEqual(names)
    }
  })
})

describe('the ZIP file of a package', () => {
  test('holds the files of the folder, and is the same with any number of threads at any time', async () => {
    const two = createPool({ threads: 2 })
    try {
      const zip = await zipped(demo)
      expect(sha256(await zipped(demo, {}, two))).toBe(sha256(zip))
      const { files, times } = await unzipped(zip)
      const digests = (all: Files) => by(Object.entries(all).sort(), ([path, bytes]) => [path, sha256(bytes)])
      expect(digests(files)).toEqual(digests(await folder(demo)))
      expect([...times]).toEqual(['1980-01-01T00:00:00.000Z'])
    } finally {
      await two.close()
    }
  })

  test('ends no other way than whole: a table that fails, a stop, a reader who leaves', async () => {
    const stop = new AbortController()
    const stopped = zipPackage({ ...options(demo), signal: stop.signal })
    expect((await stopped.next()).done).toBe(false)
    stop.abort()
    const rest = async () => {
      while (!(await stopped.next()).done);
    }
    await expect(rest()).rejects.toThrow()
    const left = zipPackage(options(demo))
    await left.next()
    await left.return({ samplesDone: 0, samplesTotal: 0, rows: 0, bytes: 0 })

    const other = await newDataDir()
    try {
      const broken = await importDemo(other, { participants: 2, items: 1, seconds: 1, hz: 30, seed: 5 })
      const [{ name }] = broken.manifest.sampleFiles
      await writeFile(join(broken.directory, name), 'no Parquet')
      await expect(zipped(broken)).rejects.toMatchObject({ code: 'corrupt' })
      const directory = await mkdtemp(join(root, 'broken-'))
      await expect(writePackage(directory, options(broken))).rejects.toMatchObject({ code: 'corrupt' })
    } finally {
      await rm(other, { recursive: true, force: true })
    }
  })
})

describe('the descriptions', () => {
  const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
  const field = fc.record({
    name: text,
    type: fc.constantFrom('string' as const, 'integer' as const, 'number' as const, 'boolean' as const),
    unit: fc.option(text),
    description: text,
    missingValues: fc.constant<string[]>(['']),
  })
  const table = fc.record({
    name: fc.constantFrom(...EXPORT_NAMES),
    title: text,
    description: text,
    format: fc.constant('csv' as const),
    mediaType: fc.constant('text/csv'),
    rows: fc.nat(),
    bytes: fc.nat(),
    sha256: fc.stringMatching(/^[0-9a-f]{64}$/),
    settings: text.map((given) => `Gazette v1; filter = ${given}`),
    fields: fc.uniqueArray(field, { selector: ({ name }) => name, minLength: 1, maxLength: 4 }),
  })
  const facts: fc.Arbitrary<PackageFacts> = fc.record({
    studyId: fc.uuid(),
    title: text,
    description: text,
    methods: text,
    snapshotId: fc.stringMatching(/^[0-9a-f]{64}$/),
    createdAt: fc
      .date({ min: new Date('1990-01-01'), max: new Date('2090-01-01'), noInvalidDate: true })
      .map((at) => at.toISOString()),
    version: fc.tuple(fc.nat(9), fc.nat(9)).map(([major, minor]) => `${major}.${minor}.0`),
    recording: fc.constant(null),
    about: fc.record(
      {
        authors: fc.array(
          fc.oneof(
            fc.record({ name: text }),
            fc.record(
              { givenName: text, familyName: text, affiliation: text, orcid: fc.constant('0000-0002-1825-0097') },
              { requiredKeys: ['familyName'] },
            ),
          ),
          { minLength: 1, maxLength: 3 },
        ),
        license: fc.constantFrom('CC-BY-4.0', 'CC0-1.0'),
        doi: fc.constant('10.1000/182'),
        funding: fc.array(text, { minLength: 1, maxLength: 2 }),
        ethics: fc.array(text, { minLength: 1, maxLength: 2 }),
        references: fc.array(text, { minLength: 1, maxLength: 2 }),
      },
      { requiredKeys: [] },
    ),
    tables: fc
      .uniqueArray(table, { selector: ({ name }) => name, minLength: 1, maxLength: 3 })
      .map((tables) => tables.map((each) => ({ ...each, path: `data/${each.name}.csv` }))),
    texts: fc.constant<PackagedFile[]>([]),
  })

  test('tell the same of any study, whatever its names are', () => {
    fc.assert(
      fc.property(facts, (known) => {
        const told = agreed({
          'datapackage.json': dataPackage(known),
          'ro-crate-metadata.json': roCrate(known),
          'croissant.json': croissant(known),
          'CITATION.cff': citation(known),
        })
        const { title, snapshotId, studyId, version, tables } = known
        expect(told).toMatchObject({ title, snapshot: snapshotId, study: studyId, version })
        for (const { path, sha256: digest, bytes, settings, fields } of tables) {
          expect(told.tables[path]).toEqual({ sha256: digest, bytes, settings })
          expect(told.columns![path]).toEqual(
            fields.map(({ name, unit, description }) => ({ name, unit, description })),
          )
        }
      }),
      { numRuns: 150 },
    )
  })
})
