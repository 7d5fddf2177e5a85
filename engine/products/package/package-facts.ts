import type { SchemaField } from '../../exports/table-schema.ts'
import { authorNames, doiUrl } from '../../model/about.ts'
import type { ExportName } from '../../model/export-names.ts'
import type { About, Recording } from '../../model/study.ts'
import type { PackageFormat } from './make-package-plan.ts'

/** A file of a package, as all descriptions have it. `sha256` in hex. */
export type PackagedFile = {
  path: string
  title: string
  description: string
  mediaType: string
  bytes: number
  sha256: string
}

export type PackagedTable = PackagedFile & {
  name: ExportName
  format: PackageFormat
  rows: number
  /** Version and settings that computed the table: the notes of its first row. */
  settings: string
  fields: SchemaField[]
}

/** Facts for all descriptions of a package, so that they agree. */
export type PackageFacts = {
  studyId: string
  title: string
  description: string
  /** Methods section. */
  methods: string
  snapshotId: string
  /** Time at which the snapshot was created; RFC 3339. */
  createdAt: string
  version: string
  recording: Recording | null
  /** Empty if the study has none. */
  about: About
  tables: PackagedTable[]
  /** Files about the tables. */
  texts: PackagedFile[]
}

/** Files that describe the others, without digests, since the authors may edit them. */
export const DESCRIPTIONS = [
  { path: 'datapackage.json', title: 'Data Package 2.0', mediaType: 'application/json' },
  { path: 'croissant.json', title: 'Croissant 1.1', mediaType: 'application/ld+json' },
  { path: 'CITATION.cff', title: 'Citation File Format 1.2.0', mediaType: 'text/yaml' },
  { path: 'README.md', title: 'What lies here', mediaType: 'text/markdown' },
]

/** Returns the authors as one text; without authors, a placeholder, since every format requires one. */
export function authorsOf({ title, about }: PackageFacts): string {
  return authorNames(about) ?? `Authors of ${title}`
}

const KEYWORDS = ['eye tracking', 'fixations', 'areas of interest']

/** Returns the keywords of all packages, then those of the study. */
export function keywordsOf({ about: { keywords = [] } }: PackageFacts): string[] {
  return [...new Set([...KEYWORDS, ...keywords])]
}

export const NO_LICENSE = 'Not stated: to be added by those who publish the data'

/** Returns the day of the snapshot, YYYY-MM-DD. */
export function dayOf({ createdAt }: PackageFacts): string {
  return new Date(createdAt).toISOString().slice(0, 10)
}

/** Returns a citation of the package, as one line of text. */
export function citationOf(facts: PackageFacts): string {
  const { title, snapshotId, version, about } = facts
  const address = about.doi === undefined ? '' : ` ${doiUrl(about.doi)}.`
  return `${authorsOf(facts)} (${dayOf(facts).slice(0, 4)}). ${title} [Data set].${address} Snapshot ${snapshotId}, computed with Gazette ${version}.`
}

export function toJson(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`
}

/** Quotes text for YAML: in double quotes as in JSON, with nonprintable characters escaped. */
export function yamlText(text: string): string {
  const escaped = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g
  return JSON.stringify(text).replace(escaped, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
