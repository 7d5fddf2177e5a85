import { expect, test } from 'vitest'
import { EXPORTS } from '../../../engine/exports/registry.ts'
import { EXPORT_NAMES } from '../../../engine/model/export-names.ts'

test('every export has its name, in the same order', () => {
  expect(EXPORTS.map(({ name }) => name)).toEqual([...EXPORT_NAMES])
})
