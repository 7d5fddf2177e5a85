import { expect, test } from 'vitest'
import type { About, Snapshot } from '../../../../engine/model/study.ts'
import { datasetDescription } from '../../../../engine/products/package/bids/sidecars.ts'
import { citation } from '../../../../engine/products/package/citation.ts'
import { croissant } from '../../../../engine/products/package/croissant.ts'
import { dataPackage } from '../../../../engine/products/package/data-package.ts'
import type { PackageFacts } from '../../../../engine/products/package/package-facts.ts'
import { readme } from '../../../../engine/products/package/readme.ts'
import { roCrate } from '../../../../engine/products/package/ro-crate.ts'

const ABOUT: About = {
  authors: [
    { givenName: 'Ada', familyName: 'Lovelace', orcid: '0000-0002-1825-0097', affiliation: 'Lab "A"' },
    { name: 'The team' },
  ],
  keywords: ['menus', 'fixations'],
  license: 'CC-BY-4.0',
  doi: '10.1000/182',
  funding: ['Grant 1'],
  ethics: ['Board 2'],
  references: ['A paper'],
}
const factsOf = (about: About): PackageFacts => ({
  studyId: '0a000000-0000-4000-8000-000000000001',
  title: 'Menus',
  description: 'Tables.',
  methods: 'Methods.',
  snapshotId: 'f'.repeat(64),
  createdAt: '2024-05-03T00:00:00Z',
  version: '1.2.3',
  recording: null,
  about,
  tables: [],
  texts: [],
})
const ORCID = 'https://orcid.org/0000-0002-1825-0097'
const LICENSE = 'https://spdx.org/licenses/CC-BY-4.0.html'

test('CITATION.cff names persons and groups, the licence and the DOI', () => {
  expect(citation(factsOf(ABOUT))).toContain(`authors:
  - given-names: "Ada"
    family-names: "Lovelace"
    affiliation: "Lab \\"A\\""
    orcid: "${ORCID}"
  - name: "The team"
license: "CC-BY-4.0"
doi: "10.1000/182"
version:`)
  expect(citation(factsOf({}))).toContain('authors:\n  - name: "Authors of Menus"\nversion:')
})

test('croissant.json names creators and the licence, whose place is filled otherwise', () => {
  expect(JSON.parse(croissant(factsOf(ABOUT)))).toMatchObject({
    sameAs: 'https://doi.org/10.1000/182',
    license: LICENSE,
    creator: [
      { '@type': 'sc:Person', name: 'Ada Lovelace', url: ORCID, affiliation: { name: 'Lab "A"' } },
      { '@type': 'sc:Organization', name: 'The team' },
    ],
    citeAs: expect.stringMatching(
      /^Ada Lovelace and The team \(2024\)\. Menus \[Data set\]\. https:\/\/doi\.org\/10\.1000\/182\. /,
    ),
  })
  expect(JSON.parse(croissant(factsOf({})))).toMatchObject({
    license: { name: expect.stringContaining('Not stated') },
    creator: { name: 'Authors of Menus' },
  })
})

test('ro-crate-metadata.json has an entity for each author, funder, approval and reference, and for the licence', () => {
  const graph: { '@id': string }[] = JSON.parse(roCrate(factsOf(ABOUT)))['@graph']
  const entities = new Map(graph.map((entity) => [entity['@id'], entity]))
  expect(entities.get('./')).toMatchObject({
    sameAs: 'https://doi.org/10.1000/182',
    license: { '@id': LICENSE },
    author: [{ '@id': ORCID }, { '@id': '#author-2' }],
    funder: [{ '@id': '#funder-1' }],
    citation: [{ '@id': '#reference-1' }],
  })
  expect(entities.get(ORCID)).toMatchObject({ '@type': 'Person', familyName: 'Lovelace', affiliation: 'Lab "A"' })
  expect(entities.get('#author-2')).toEqual({ '@id': '#author-2', '@type': 'Organization', name: 'The team' })
  expect(entities.get('#funder-1')).toMatchObject({ name: 'Grant 1' })
})

test('datapackage.json has contributors and a licence, only where they are known', () => {
  expect(JSON.parse(dataPackage(factsOf(ABOUT)))).toMatchObject({
    contributors: [
      { title: 'Ada Lovelace', givenName: 'Ada', familyName: 'Lovelace', path: ORCID, roles: ['creator'] },
      { title: 'The team' },
    ],
    licenses: [{ name: 'CC-BY-4.0', path: LICENSE }],
  })
  expect(Object.keys(JSON.parse(dataPackage(factsOf({}))))).not.toContain('contributors')
})

test('README.md says how to cite, and what is still missing', () => {
  expect(readme(factsOf(ABOUT))).toContain('Cite as: Ada Lovelace and The team (2024). Menus [Data set].')
  expect(readme(factsOf(ABOUT))).not.toContain('Before you publish')
  expect(readme(factsOf({ license: 'CC0-1.0' }))).toContain('add who the authors are, which is marked as missing in\n')
  expect(readme(factsOf({}))).toContain('add who the authors are and under which licence')
})

test('a BIDS dataset is described in its own words', () => {
  const describe = (about?: About) =>
    datasetDescription({
      study: { id: 's', name: 'Menus', about },
      manifest: { snapshotId: 'f00' },
    } as unknown as Snapshot)
  expect(describe(ABOUT)).toMatchObject({
    Keywords: ['menus', 'fixations'],
    License: 'CC-BY-4.0',
    Authors: ['Ada Lovelace', 'The team'],
    Funding: ['Grant 1'],
    EthicsApprovals: ['Board 2'],
    ReferencesAndLinks: ['A paper'],
    DatasetDOI: 'https://doi.org/10.1000/182',
  })
  expect(Object.keys(describe())).toEqual(['Name', 'BIDSVersion', 'DatasetType', 'GeneratedBy'])
})

test('keywords of the study follow those of every package, each once', () => {
  const words = ['eye tracking', 'fixations', 'areas of interest', 'menus']
  for (const write of [dataPackage, croissant]) expect(JSON.parse(write(factsOf(ABOUT))).keywords).toEqual(words)
  const root = JSON.parse(roCrate(factsOf(ABOUT)))['@graph'].find((entity: { '@id': string }) => entity['@id'] === './')
  expect(root.keywords).toEqual(words)
  expect(citation(factsOf(ABOUT))).toContain(`keywords:\n${words.map((word) => `  - "${word}"\n`).join('')}`)
  expect(JSON.parse(dataPackage(factsOf({}))).keywords).toEqual(words.slice(0, 3))
})
