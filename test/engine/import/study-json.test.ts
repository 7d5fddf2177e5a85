import { expect, test } from 'vitest'
import { readStudy, studyJsonSchema } from '../../../engine/import/bundle/study-json.ts'
import { noProblems } from '../../../engine/model/bundle-problems.ts'
import { smallBundle, uuid } from './bundles.ts'

test('docs/study.schema.json is the schema that import uses', async () => {
  await expect(`${JSON.stringify(studyJsonSchema(), null, 2)}\n`).toMatchFileSnapshot('../../../docs/study.schema.json')
})

test('steps are kept as they are, unknown types and fields too', () => {
  const { study } = smallBundle()
  study.steps.push({ type: 'dance', tempo: { bpm: 120, of: [1, null] } }, { zeta: 1, type: 'x', alpha: 'É' })
  const read = readStudy(Buffer.from(`\uFEFF${JSON.stringify(study)}`), noProblems())
  expect(JSON.stringify(read.study?.steps)).toBe(JSON.stringify(study.steps))
})

test('what may be missing is filled with null, or nothing', () => {
  const { study } = smallBundle()
  study.items = [
    { id: uuid('1', 1).toUpperCase(), filename: 'a', type: 'images' },
    { ...study.items[1], cdnUrl: '' },
  ]
  study.aois = [{ ...study.aois[1], parts: [{ ...study.aois[1].parts[0], timeRange: null, colour: 'red' }] }]
  const problems = noProblems()
  const read = readStudy(Buffer.from(JSON.stringify(study)), problems)
  expect(problems.listed).toEqual([])
  expect(read.study?.items[0]).toEqual({
    id: uuid('1', 1),
    filename: 'a',
    cdnUrl: '',
    type: 'images',
    stimuliDurationMs: null,
    widthPx: null,
    heightPx: null,
  })
  expect(read.study?.aois[0].parts).toEqual([{ areaPoints: study.aois[0].parts[0].areaPoints }])
})

test('tags of AOIs are kept in their order, and an empty list is none', () => {
  const { study } = smallBundle()
  const [first, ...others] = study.aois
  const tagsRead = (tags: unknown) => {
    const problems = noProblems()
    const read = readStudy(Buffer.from(JSON.stringify({ ...study, aois: [{ ...first, tags }, ...others] })), problems)
    return problems.count > 0 ? problems.listed.map(({ column, rule }) => `${column} ${rule}`) : read.study?.aois[0]
  }
  expect(tagsRead(['logo', 'Logo', 'à b'])).toMatchObject({ tags: ['logo', 'Logo', 'à b'] })
  for (const none of [undefined, null, []]) expect(Object.keys(tagsRead(none)!)).not.toContain('tags')
  const rule = 'must be text of 1 to 100 characters, without space around it'
  for (const wrong of ['', ' logo', 'logo ', 'x'.repeat(101), 7])
    expect(tagsRead(['fine', wrong])).toEqual([`aois[0].tags[1] ${rule}`])
  expect(tagsRead(['a', 'a'])).toEqual(['aois[0].tags must name each tag once'])
  expect(tagsRead(Array.from({ length: 21 }, (_, i) => String(i)))).toEqual(['aois[0].tags must have at most 20 tags'])
  expect(tagsRead('logo')).toEqual(['aois[0].tags must be a list of tags'])
})
