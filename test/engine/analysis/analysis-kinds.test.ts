import { expect, test } from 'vitest'
import { ANALYSIS_KINDS, ownParameters } from '../../../engine/analysis/analysis-kinds.ts'

test('comparing needs two groups, averaging pupils none', () => {
  const groupsOf = (name: 'comparisons' | 'pupils' | 'quality') => ANALYSIS_KINDS[name].groups
  expect([groupsOf('comparisons'), groupsOf('pupils'), groupsOf('quality')]).toEqual([
    { min: 2, max: 4 },
    { min: 0, max: 4 },
    undefined,
  ])
  expect(ownParameters('pupils')).toEqual(['group', 'event'])
})
