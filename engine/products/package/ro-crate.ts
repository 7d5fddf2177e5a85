import { authorName, doiUrl, licenseUrl, orcidUrl } from '../../model/about.ts'
import {
  authorsOf,
  citationOf,
  DESCRIPTIONS,
  dayOf,
  keywordsOf,
  NO_LICENSE,
  type PackagedFile,
  type PackagedTable,
  type PackageFacts,
  toJson,
} from './package-facts.ts'

const SPECIFICATION = 'https://w3id.org/ro/crate/1.3'
const at = (id: string) => ({ '@id': id })

/** Describes a package as an RO-Crate 1.3: each table with the action that computed it, and its columns. */
export function roCrate(facts: PackageFacts): string {
  const { studyId, title, description, methods, snapshotId, version, tables, texts } = facts
  const { license, authors, funders, references } = described(facts)
  const root = {
    '@id': './',
    '@type': 'Dataset',
    name: title,
    description,
    abstract: methods,
    datePublished: dayOf(facts),
    version: snapshotId,
    identifier: `urn:uuid:${studyId}`,
    ...(facts.about.doi === undefined ? {} : { sameAs: doiUrl(facts.about.doi) }),
    keywords: keywordsOf(facts),
    license: at(license['@id']),
    author: authors.length === 1 ? at(authors[0]['@id']) : authors.map((author) => at(author['@id'])),
    ...(funders.length === 0 ? {} : { funder: funders.map((funder) => at(funder['@id'])) }),
    ...(references.length === 0 ? {} : { citation: references.map((reference) => at(reference['@id'])) }),
    creditText: citationOf(facts),
    hasPart: [...tables, ...texts, ...DESCRIPTIONS].map(({ path }) => at(path)),
    variableMeasured: tables.flatMap((table) => table.fields.map(({ name }) => at(columnId(table, name)))),
    mentions: tables.map(({ name }) => at(`#computed-${name}`)),
  }
  const about = [
    license,
    ...authors,
    ...funders,
    ...references,
    {
      '@id': '#snapshot',
      '@type': 'CreativeWork',
      name: `Snapshot of ${title}`,
      identifier: snapshotId,
      version: snapshotId,
      dateCreated: dayOf(facts),
    },
    { '@id': '#gazette', '@type': 'SoftwareApplication', name: 'Gazette', softwareVersion: version },
  ]
  return toJson({
    '@context': `${SPECIFICATION}/context`,
    '@graph': [
      { '@id': 'ro-crate-metadata.json', '@type': 'CreativeWork', about: at('./'), conformsTo: at(SPECIFICATION) },
      root,
      ...tables.map(file),
      ...texts.map(file),
      ...DESCRIPTIONS.map(({ path, title, mediaType }) => ({
        '@id': path,
        '@type': 'File',
        name: title,
        encodingFormat: mediaType,
      })),
      ...tables.map(action),
      ...tables.flatMap(columns),
      ...about,
    ],
  })
}

type Entity = { '@id': string; '@type': string; name: string; [key: string]: unknown }

/** Returns entities for authors, licence and funding of the study, with a placeholder for missing ones. */
function described(facts: PackageFacts): Record<'authors' | 'funders' | 'references', Entity[]> & {
  license: Entity
} {
  const { authors, license, funding = [], references = [] } = facts.about
  const works = (kind: string, type: string, texts: string[]): Entity[] =>
    texts.map((name, i) => ({ '@id': `#${kind}-${i + 1}`, '@type': type, name }))
  return {
    license:
      license === undefined
        ? { '@id': '#license', '@type': 'CreativeWork', name: NO_LICENSE, description: NO_LICENSE }
        : {
            '@id': licenseUrl(license),
            '@type': 'CreativeWork',
            name: license,
            description: `SPDX licence ${license}`,
          },
    authors: authors?.map((author, i) => ({
      '@id': author.orcid === undefined ? `#author-${i + 1}` : orcidUrl(author.orcid),
      '@type': author.familyName === undefined ? 'Organization' : 'Person',
      name: authorName(author),
      ...(author.familyName === undefined ? {} : { familyName: author.familyName }),
      ...(author.givenName === undefined ? {} : { givenName: author.givenName }),
      ...(author.affiliation === undefined ? {} : { affiliation: author.affiliation }),
    })) ?? [{ '@id': '#authors', '@type': 'Organization', name: authorsOf(facts) }],
    funders: works('funder', 'Organization', funding),
    references: works('reference', 'CreativeWork', references),
  }
}

function file({ path, title, description, mediaType, bytes, sha256 }: PackagedFile): object {
  return {
    '@id': path,
    '@type': 'File',
    name: title,
    description,
    encodingFormat: mediaType,
    contentSize: String(bytes),
    sha256,
  }
}

function action({ name, path, title, settings }: PackagedTable): object {
  return {
    '@id': `#computed-${name}`,
    '@type': 'CreateAction',
    name: `Computing of ${title}`,
    description: settings,
    instrument: at('#gazette'),
    object: at('#snapshot'),
    result: at(path),
  }
}

function columns(table: PackagedTable): object[] {
  return table.fields.map(({ name, description, unit }) => ({
    '@id': columnId(table, name),
    '@type': 'PropertyValue',
    name,
    description,
    ...(unit === null ? {} : { unitText: unit }),
  }))
}

/** Returns a safe identifier for a name, which may contain any character. */
function columnId({ path }: PackagedTable, name: string): string {
  return `${path}#${encodeURIComponent(name)}`
}
