import { expect, test } from 'vitest'
import { choicesToKeep, withStudysChoices } from '../../../engine/recordings/convert/recalled-choices.ts'
import { parsePathPattern } from '../../../engine/recordings/reader/path-names.ts'
import { NO_OPTIONS } from '../../../engine/recordings/reader/reader.ts'

const path = parsePathPattern('{participant}/{item}.csv')
/** Options for more recordings of a study whose first ones were read with `kept`. */
const recalled = (kept: object, given: object = {}) => {
  const options = { ...NO_OPTIONS, ...given }
  const study = { choices: choicesToKeep({ ...NO_OPTIONS, ...kept }), format: 'table' }
  const found = withStudysChoices(options, options, study, 'table')
  return [found.options.path?.text, found.taken]
}

test('the pattern of paths is that of earlier imports, unless one is given or there was none', () => {
  expect(recalled({ path })).toEqual([
    '{participant}/{item}.csv',
    'options that were not given are those of earlier imports of the study: --path {participant}/{item}.csv',
  ])
  expect(recalled({ path }, { path: parsePathPattern('{item}.csv') })).toEqual(['{item}.csv', null])
  expect(recalled({})).toEqual([undefined, null])
})
