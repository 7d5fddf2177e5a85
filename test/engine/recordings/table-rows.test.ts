import { afterEach, expect, test } from 'vitest'
import { makeDraft } from '../../../engine/recordings/draft/draft.ts'
import { findSourceFiles } from '../../../engine/recordings/text/source-files.ts'
import { cellText, openRows } from '../../../engine/recordings/text/table-rows.ts'
import { cleanUp, writeFiles } from './converted.ts'

afterEach(cleanUp)

test('text after a closing quote belongs to no cell, and the next row begins behind it', async () => {
  const [file] = await findSourceFiles([writeFiles({ 'a.csv': '"name","x"\n"ann"?,"1"\n"kim","2"\n' })])
  const rows = openRows(file, ',', makeDraft('Study'))
  await rows.more()
  const found = Array.from({ length: 3 }, () =>
    rows.next() ? [rows.line, cellText(rows, 0), cellText(rows, 1)] : null,
  )
  expect(found).toEqual([
    [1, 'name', 'x'],
    [2, 'ann', '1'],
    [3, 'kim', '2'],
  ])
})
