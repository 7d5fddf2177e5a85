import { expect, test } from 'vitest'
import type { FixationRow, FixationsData } from '../../../dashboard/core/api.ts'
import { gazePlotsOf, plotsWords, plottedOf } from '../../../dashboard/figures/gaze-plots.ts'

const row = (startMs: number): FixationRow => [50, 50, startMs, startMs + 100, null, null, null]
const of = (participantId: string, ...starts: number[]) => ({
  testId: `${participantId}-${starts[0]}`,
  participantId,
  fixations: starts.map(row),
})
const people = Array.from({ length: 10 }, (_, i) => `id${i + 1}`)
const names = new Map(people.map((id, i) => [id, `P${i + 1}`]))
const tests = people.toReversed().map((id, i) => of(id, i * 10))

test('gaze plots of all are those of the first eight in the natural order of names, and name the others', () => {
  const plots = gazePlotsOf(tests, names, 'all')
  expect(plots.drawn.map(({ name, letter }) => `${letter} ${name}`)).toEqual([
    ...['A P1', 'B P2', 'C P3', 'D P4', 'E P5', 'F P6', 'G P7', 'H P8'],
  ])
  expect(new Set(plots.drawn.map(({ color }) => color)).size).toBe(8)
  expect(plots.others).toEqual(['P9', 'P10'])
  expect(plotsWords(plots)).toMatch(/^ Drawn: A P1, .*H P8\. Not drawn: P9, P10\.$/)
})

test('chosen participants are drawn with all of their tests, and one without a test is told', () => {
  const twice = [...tests, of('id2', 5000, 6000)]
  const plots = gazePlotsOf(twice, names, ['id2', 'id10', 'gone'])
  expect(plots.drawn.map(({ participantId, scanpaths }) => [participantId, scanpaths.length])).toEqual([
    ['id2', 2],
    ['id10', 1],
  ])
  expect(plots.drawn[0].scanpaths[1]).toEqual([row(5000), row(6000)])
  expect(plots.others).toHaveLength(8)
  expect(plotsWords(plots)).toContain(' 1 chosen participant without a test here, with these settings.')
  const shown = plottedOf({ tests: twice } as FixationsData, plots)
  expect(shown.tests.map(({ participantId }) => participantId)).toEqual(['id10', 'id2', 'id2'])
})
