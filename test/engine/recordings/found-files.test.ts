import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { lookAtFiles } from '../../../engine/recordings/convert/found-files.ts'
import { parseMapping } from '../../../engine/recordings/reader/mapping.ts'
import { keptDirectory } from '../kept.ts'
import { mappingOf } from './mapping.ts'

const TABLE = 'who,pic,t_ms,x,y\nAda,a.png,0,5,6\nAda,a.png,16,7,8\n'
const EYELINK =
  'MSG\t900 DISPLAY_COORDS 0 0 1599 1199\nSTART\t990 \tLEFT\tSAMPLES\tEVENTS\nSAMPLES\tGAZE\tLEFT\tRATE\t 100.00\n'
const FIXATIONS = 'CURRENT_FIX_X,CURRENT_FIX_Y,CURRENT_FIX_DURATION\n1,2,3\n4,5,6\n'
const directory = await keptDirectory()

async function folder(name: string, files: Record<string, string>): Promise<string[]> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(directory, name, path)), { recursive: true })
    await writeFile(join(directory, name, path), text)
  }
  return [join(directory, name)]
}
const mapping = (column: string) =>
  parseMapping(
    JSON.stringify(mappingOf({ participant: null, item: null, time: { column, unit: 'ms', origin: 'item' } })),
    'it',
  )

describe('looking at files', () => {
  test('names the one format that fits, what was computed, and the rest', async () => {
    const paths = await folder('one', { 'kim.asc': EYELINK, 'report.csv': FIXATIONS, 'read me.txt': 'Hello' })
    expect(await lookAtFiles(paths, {}, null)).toEqual({
      formats: [
        {
          name: 'eyelink',
          title: expect.stringContaining('EyeLink'),
          firstCount: 1,
          files: ['one/kim.asc'],
          fileCount: 1,
        },
      ],
      derived: [{ what: expect.stringContaining('lists of fixations'), files: ['one/report.csv'], fileCount: 1 }],
      others: { files: ['one/read me.txt'], fileCount: 1 },
      table: null,
    })
  })

  test('proposes a mapping where no format fits, with the first rows, each as wide as the header', async () => {
    const paths = await folder('table', { 'gaze.csv': `${TABLE}Ada,a.png,32\n`, 'none.txt': '' })
    const { formats, others, table } = await lookAtFiles(paths, {}, null)
    expect(formats).toEqual([])
    expect(others.fileCount).toBe(2)
    expect(table).toMatchObject({
      file: 'table/gaze.csv',
      header: ['who', 'pic', 't_ms', 'x', 'y'],
      rows: [
        ['Ada', 'a.png', '0', '5', '6'],
        ['Ada', 'a.png', '16', '7', '8'],
        ['Ada', 'a.png', '32', '', ''],
      ],
      decimalComma: false,
      fault: null,
      mapping: { time: { column: 't_ms', unit: 'ms' }, gaze: [{ x: 'x', y: 'y' }], screen: null },
    })
  })

  test('shows the table also where its mapping is given, which may be wrong, and proposes none then', async () => {
    const paths = await folder('mapped', { 'gaze.csv': TABLE })
    const right = await lookAtFiles(paths, { mapping: mapping('t_ms') }, null)
    expect(right.formats.map(({ name, firstCount }) => [name, firstCount])).toEqual([['generic', 1]])
    const wrong = await lookAtFiles(paths, { mapping: mapping('clock') }, null)
    expect(wrong.formats).toEqual([])
    for (const { table } of [right, wrong])
      expect(table).toMatchObject({ file: 'mapped/gaze.csv', mapping: null, fault: null })
  })

  test('counts files of several formats apart, and shows no more of a table than a page can bear', async () => {
    const wide = ['what', 'time', 'x', 'y', ...Array.from({ length: 1500 }, (_, i) => `c${i}`)]
    const rows = Array.from({ length: 8 }, () => wide.map((_, i) => (i === 0 ? 'x'.repeat(300) : '1')).join(','))
    const paths = await folder('several', {
      'kim.asc': EYELINK,
      'zoe/all_gaze.csv': 'MEDIA_NAME,TIME(2026),BPOGX,BPOGY,BPOGV\na.png,0,0.5,0.5,1\na.png,0.1,0.5,0.5,1\n',
      'wide.csv': [wide.join(','), ...rows].join('\n'),
    })
    const { formats, table } = await lookAtFiles(paths, {}, 'generic')
    expect(formats.map(({ name, firstCount }) => [name, firstCount])).toEqual([
      ['eyelink', 1],
      ['gazepoint', 1],
    ])
    expect(table!.header).toHaveLength(1000)
    expect(table!.rows.map((row) => [row.length, row[0].length])).toEqual(Array(8).fill([1000, 120]))
  })
})
