import { authorName, licenseUrl, orcidUrl } from '../../model/about.ts'
import type { About, Author } from '../../model/study.ts'
import { dayOf, keywordsOf, type PackagedTable, type PackageFacts, toJson } from './package-facts.ts'

const PROFILE = 'https://datapackage.org/profiles/2.0'

/** Describes a package as a Data Package 2.0 (Frictionless), with our own additions under `gazette`. */
export function dataPackage(facts: PackageFacts): string {
  const { studyId, title, description, snapshotId, version, createdAt, tables, about } = facts
  return toJson({
    $schema: `${PROFILE}/datapackage.json`,
    name: `gazette-${studyId}`,
    id: `urn:uuid:${studyId}`,
    title,
    description,
    version: snapshotId,
    created: new Date(createdAt).toISOString(),
    keywords: keywordsOf(facts),
    ...contributed(about),
    gazette: { version, study: studyId, snapshot: snapshotId, date: dayOf(facts) },
    resources: tables.map(resource),
  })
}

function contributed({ authors, license }: About): object {
  return {
    ...(authors === undefined ? {} : { contributors: authors.map(contributor) }),
    ...(license === undefined ? {} : { licenses: [{ name: license, path: licenseUrl(license) }] }),
  }
}

function contributor(author: Author): object {
  const { givenName, familyName, orcid, affiliation } = author
  return {
    title: authorName(author),
    ...(givenName === undefined ? {} : { givenName }),
    ...(familyName === undefined ? {} : { familyName }),
    ...(orcid === undefined ? {} : { path: orcidUrl(orcid) }),
    ...(affiliation === undefined ? {} : { organization: affiliation }),
    roles: ['creator'],
  }
}

function resource(table: PackagedTable): object {
  const { name, path, title, description, format, mediaType, bytes, sha256, rows, settings, fields } = table
  return {
    name,
    path,
    type: 'table',
    title,
    description,
    format,
    mediatype: mediaType,
    ...(format === 'csv' ? { encoding: 'utf-8' } : {}),
    bytes,
    hash: `sha256:${sha256}`,
    gazette: { rows, settings },
    schema: { $schema: `${PROFILE}/tableschema.json`, fields, missingValues: [''] },
  }
}
