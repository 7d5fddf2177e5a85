import { expect, test } from 'vitest'
import { EXPORT_NAMES } from '../../engine/export-names.ts'
import { EXPORTS } from '../../engine/registry.ts'

test('every export has its name, in the same order', () => {
  expect(EXPORTS.map(({ name }) => name)).toEqual([...EXPORT_NAMES])
})
