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
