import { describe, expect, test } from 'vitest'
import { readStudy } from '../../../engine/import/bundle/study-json.ts'
import { newReport } from '../../../engine/model/bundle-problems.ts'

const STUDY = {
  id: '0a000000-0000-4000-8000-000000000001',
  name: 'Menus',
  isServiceBasicSurveyEnabled: false,
  steps: [],
  items: [],
  aois: [],
}

function read(about?: unknown) {
  const report = newReport()
  const { study } = readStudy(Buffer.from(JSON.stringify({ ...STUDY, about })), report.study)
  return { study, problems: report.study.listed.map(({ column, rule }) => `${column} ${rule}`) }
}

describe('about in study.json', () => {
  test('is kept as it is given, without what is empty', () => {
    const about = {
      description: 'How menus are read.\nTwo designs.',
      keywords: ['menus', 'Reading'],
      authors: [
        { givenName: 'Ada', familyName: 'Lovelace', orcid: '0000-0001-5109-3700', affiliation: 'Lab' },
        { name: 'The team' },
      ],
      license: 'CC-BY-4.0',
      doi: '10.1000/182',
      funding: ['Grant 1'],
      ethics: ['Board 2'],
      references: ['https://example.org'],
    }
    expect(read(about).study?.about).toEqual(about)
    const empty = { authors: [{ name: 'A', orcid: null }], license: null, funding: [], ethics: null }
    expect(read(empty).study?.about).toEqual({ authors: [{ name: 'A' }] })
  })

  test('that says nothing is none, and leaves study.json as it was', () => {
    for (const about of [undefined, null, {}, { authors: [], license: null }])
      expect(JSON.stringify(read(about).study)).toBe(JSON.stringify(STUDY))
  })

  test.for([
    [{ description: ' ' }, 'about.description must be text of 1 to 5000 characters'],
    [{ keywords: ['a', 'a'] }, 'about.keywords must name each keyword once'],
    [{ keywords: 'a' }, 'about.keywords must be a list of texts'],
    [{ authors: [{}] }, 'about.authors[0] must have a familyName or a name'],
    [{ authors: [{ name: 'A', familyName: 'B' }] }, 'about.authors[0] must have a familyName or a name, not both'],
    [{ authors: [{ name: 'A', givenName: 'B' }] }, 'about.authors[0] must have a familyName beside givenName'],
    [{ authors: [{ name: 'A', email: 'b' }] }, 'about.authors[0].email is no field of it'],
    [{ authors: [{ name: ' ' }] }, 'about.authors[0].name must be text of 1 to 200 characters'],
    [{ authors: 'A' }, 'about.authors must be a list of authors'],
    [
      { authors: [{ name: 'A', orcid: '1' }] },
      'about.authors[0].orcid must be an ORCID iD such as 0000-0002-1825-0097',
    ],
    [
      { authors: [{ name: 'A', orcid: '0000-0002-1825-009X' }] },
      'about.authors[0].orcid is no ORCID iD: its last digit does not fit the others',
    ],
    [
      { license: 'CC-BY-4' },
      'about.license must be an SPDX licence identifier such as CC-BY-4.0; did you mean CC-BY-4.0?',
    ],
    [
      { authors: ['A', 'B'].map((name) => ({ name, orcid: '0000-0002-1825-0097' })) },
      'about.authors must not have two authors with one ORCID iD',
    ],
    [{ license: 3 }, 'about.license must be an SPDX licence identifier such as CC-BY-4.0'],
    [{ doi: 'https://doi.org/10.1000/182' }, 'about.doi must be a DOI such as 10.1000/182, without https://doi.org/'],
    [{ funding: 'Grant' }, 'about.funding must be a list of texts'],
    [{ ethics: [''] }, 'about.ethics[0] must be text of 1 to 2000 characters'],
    [{ licence: 'CC0-1.0' }, 'about.licence is no field of it'],
    ['CC0', 'about must be an object'],
  ] as const)('that breaks a rule is refused: %j', ([about, problem]) => {
    const { study, problems } = read(about)
    expect(study).toBe(null)
    expect(problems).toEqual([problem])
  })
})

test('isArchived is kept only where it is true', () => {
  const archived = (isArchived: unknown) => {
    const report = newReport()
    const { study } = readStudy(Buffer.from(JSON.stringify({ ...STUDY, isArchived })), report.study)
    return report.study.count > 0 ? report.study.listed.map(({ rule }) => rule) : JSON.stringify(study)
  }
  expect(archived(true)).toBe(JSON.stringify({ ...STUDY, isArchived: true }))
  for (const none of [false, null, undefined]) expect(archived(none)).toBe(JSON.stringify(STUDY))
  expect(archived('yes')).toEqual(['must be true or false'])
})
