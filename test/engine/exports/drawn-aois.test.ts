import { expect, test } from 'vitest'
import { describeAois } from '../../../engine/exports/columns/aoi-identity.ts'
import { drawnAois, withDrawnAois } from '../../../engine/exports/columns/drawn-aois.ts'
import { aoiTexts } from '../../../engine/exports/columns/test-context.ts'
import type { Aoi, Item, Study } from '../../../engine/model/study.ts'

const item = (id: string): Item => ({
  id,
  filename: `${id}.png`,
  cdnUrl: '',
  type: 'image',
  stimuliDurationMs: null,
  widthPx: 100,
  heightPx: 50,
})
const aoi = (id: string, itemId: string, right: number): Aoi => ({
  id,
  itemId,
  name: `AOI ${id}`,
  parts: [{ areaPoints: { topLeft: { xPx: 0, yPx: 0 }, bottomRight: { xPx: right, yPx: 10 } } }],
})
const [one, two] = [item('one'), item('two')]
const study: Study = {
  id: 'study',
  name: 'A study',
  isServiceBasicSurveyEnabled: false,
  steps: [],
  items: [one, two],
  aois: [aoi('a', 'one', 1), aoi('b', 'two', 2), aoi('c', 'one', 3)],
}

test('a study with drawn AOIs, which came as text, is to exports as one in which they are saved', () => {
  const own = [aoi('d', 'one', 4), aoi('e', 'one', 5)]
  const saved: Study = { ...study, aois: [...own, study.aois[1]] }
  const drawn = withDrawnAois(study, one, structuredClone(drawnAois(saved, one)))
  expect(drawn.aois.map(({ id }) => id)).toEqual(saved.aois.map(({ id }) => id))
  expect(aoiTexts(drawn.aois, drawn.items)).toEqual(aoiTexts(saved.aois, saved.items))
  for (const each of study.items) expect(describeAois(drawn.aois, each)).toEqual(describeAois(saved.aois, each))
  expect(describeAois(drawn.aois, one)).toBe(describeAois(drawn.aois, one))
  expect(study.aois).toHaveLength(3)
})
