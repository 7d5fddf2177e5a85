import { afterEach, expect, test } from 'vitest'
import { cleanUp, convertAndRead, writeFiles } from './converted.ts'

afterEach(cleanUp)

test('columns to keep are refused where a format has none, be they tags, external data or both', async () => {
  const asc = writeFiles({ 'a.asc': 'START\t10 \tLEFT\nSAMPLES\tGAZE\tLEFT\n12\t1\t2\t3\nEND\t20\n' })
  for (const [tags, externalData] of [
    [['group'], []],
    [[], ['age']],
    [['group'], ['age']],
  ])
    await expect(convertAndRead([asc], { kept: { tags, externalData } })).rejects.toThrow(
      '--tags and --external-data are for tables with a row per sample and for jsPsych, and these files are of EyeLink',
    )
})
