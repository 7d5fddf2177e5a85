import type { SchemaField } from '../../exports/table-schema.ts'
import { authorName, doiUrl, licenseUrl, orcidUrl } from '../../model/about.ts'
import type { Author } from '../../model/study.ts'
import {
  authorsOf,
  citationOf,
  dayOf,
  keywordsOf,
  NO_LICENSE,
  type PackagedFile,
  type PackagedTable,
  type PackageFacts,
  toJson,
} from './package-facts.ts'

/** JSON-LD context that Croissant 1.1 recommends (Appendix 1); its readers refuse another address of schema.org. */
const CONTEXT = {
  '@language': 'en',
  '@vocab': 'https://schema.org/',
  sc: 'https://schema.org/',
  cr: 'http://mlcommons.org/croissant/',
  rai: 'http://mlcommons.org/croissant/RAI/',
  dct: 'http://purl.org/dc/terms/',
  data: { '@id': 'cr:data', '@type': '@json' },
  dataType: { '@id': 'cr:dataType', '@type': '@vocab' },
  examples: { '@id': 'cr:examples', '@type': '@json' },
  conformsTo: 'dct:conformsTo',
  ...Object.fromEntries(
    [
      'annotation arrayShape citeAs column containedIn equivalentProperty excludes extract field fileProperty fileObject',
      'fileSet format includes isArray isLiveDataset jsonPath key md5 parentField path recordSet references regex readLines',
      'repeated replace samplingRate sdVersion separator source subField transform unArchive value',
    ]
      .flatMap((line) => line.split(' '))
      .map((term) => [term, `cr:${term}`]),
  ),
}

/** Describes a package as a Croissant 1.1 dataset: a record set for each table. */
export function croissant(facts: PackageFacts): string {
  const { studyId, title, description, tables, texts, about } = facts
  const { authors, license, doi } = about
  return toJson({
    '@context': CONTEXT,
    '@type': 'sc:Dataset',
    conformsTo: 'http://mlcommons.org/croissant/1.1',
    name: title,
    description,
    url: `urn:uuid:${studyId}`,
    ...(doi === undefined ? {} : { sameAs: doiUrl(doi) }),
    license: license === undefined ? { '@type': 'sc:CreativeWork', name: NO_LICENSE } : licenseUrl(license),
    creator: authors?.map(creator) ?? { '@type': 'sc:Organization', name: authorsOf(facts) },
    datePublished: dayOf(facts),
    version: versionOf(facts),
    keywords: keywordsOf(facts),
    citeAs: citationOf(facts),
    isLiveDataset: false,
    distribution: [
      ...tables.map((table) => fileObject(table, `${table.description}. ${table.settings}`)),
      ...texts.map((text) => fileObject(text, text.description)),
    ],
    recordSet: tables.map(recordSet),
  })
}

function creator(author: Author): object {
  const { familyName, orcid, affiliation } = author
  return {
    '@type': familyName === undefined ? 'sc:Organization' : 'sc:Person',
    name: authorName(author),
    ...(orcid === undefined ? {} : { url: orcidUrl(orcid) }),
    ...(affiliation === undefined ? {} : { affiliation: { '@type': 'sc:Organization', name: affiliation } }),
  }
}

/** Returns the version as MAJOR.MINOR.PATCH: year, month and day of the snapshot, with its id as build. */
function versionOf({ createdAt, snapshotId }: PackageFacts): string {
  const made = new Date(createdAt)
  return `${made.getUTCFullYear()}.${made.getUTCMonth() + 1}.${made.getUTCDate()}+${snapshotId}`
}

function fileObject({ path, mediaType, bytes, sha256 }: PackagedFile, description: string): object {
  return {
    '@type': 'cr:FileObject',
    '@id': path,
    name: path,
    description,
    contentUrl: path,
    contentSize: `${bytes} B`,
    encodingFormat: mediaType,
    sha256,
  }
}

function recordSet({ name, title, description, path, fields }: PackagedTable): object {
  return {
    '@type': 'cr:RecordSet',
    '@id': name,
    name: title,
    description,
    field: fields.map((field) => ({
      '@type': 'cr:Field',
      '@id': `${name}/${encodeURIComponent(field.name)}`,
      name: field.name,
      description: field.description,
      dataType: DATA_TYPES[field.type],
      ...(field.unit === null ? {} : { unitText: field.unit }),
      source: { fileObject: { '@id': path }, extract: { column: field.name } },
    })),
  }
}

/** Returns the data type; lists and tuples are text for readers that know no others, such as JSON in CSV. */
const DATA_TYPES: Record<SchemaField['type'], string> = {
  string: 'sc:Text',
  integer: 'sc:Integer',
  number: 'sc:Float',
  boolean: 'sc:Boolean',
  datetime: 'sc:DateTime',
  array: 'sc:Text',
}
