import { expect, test } from 'vitest'
import { makeDraft } from '../../../engine/recordings/draft/draft.ts'
import { findValues } from '../../../engine/recordings/reader/value-columns.ts'
import type { TableRows } from '../../../engine/recordings/text/table-rows.ts'

test('a validity says lost by its whole text, of one letter or more', () => {
  const columns = [{ into: 'gazeXPx', name: 'x', unit: 'px', valid: ['validity'] }] as const
  const find = ({ name }: { name: string }) => ['validity', 'x'].indexOf(name)
  const [{ isLost }] = findValues(columns as never, { draft: makeDraft('Study') }, /^(n|off|10)$/, find)
  const lost = (text: string) =>
    isLost!({ bytes: Buffer.from(text), starts: Int32Array.of(0), ends: Int32Array.of(text.length) } as TableRows &
      object)
  expect(['n', 'no', '10', '1', 'off', 'y', ''].map(lost)).toEqual([true, false, true, false, true, false, false])
})
