import { expect, test } from 'vitest'
import { checkParameters } from '../../../engine/model/check-parameters.ts'

const itemIdOf = (value: string) => checkParameters(new Map([['itemId', [value]]]))

test.each(['', 'NULL', 'null'])('itemId %j means all items', (value) => {
  expect(itemIdOf(value).parameters?.itemId).toBeNull()
})

test.each(['Null', 'nULL', 'none', ' null', 'undefined'])('itemId %j is refused', (value) => {
  expect(itemIdOf(value)).toMatchObject({
    parameters: null,
    faults: [{ parameter: 'itemId', rule: 'must be a UUID, or empty, NULL or null for all items', value }],
  })
})
