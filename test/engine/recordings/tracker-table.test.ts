import { afterEach, expect, test } from 'vitest'
import { makeDraft } from '../../../engine/recordings/draft/draft.ts'
import { NO_OPTIONS } from '../../../engine/recordings/reader/reader.ts'
import { trackerReader } from '../../../engine/recordings/reader/tracker-table.ts'
import { findSourceFiles } from '../../../engine/recordings/text/source-files.ts'
import { gazepoint } from '../../../engine/recordings/trackers/gazepoint.ts'
import { cleanUp, writeFiles } from './converted.ts'

afterEach(cleanUp)

/** A tracker that nobody makes: all that is known of it is this table. */
const invented = trackerReader({
  name: 'invented',
  title: 'Invented CSV',
  facts: { manufacturer: 'Nobody' },
  time: { name: /^ticks$/, unitMs: 10 },
  values: [
    { into: 'gazeXPx', name: 'gx', unit: 'screen', valid: ['okL', 'okR'] },
    { into: 'gazeYPx', name: 'gy', unit: 'screen', valid: ['okL', 'okR'] },
    { into: 'leftGazeXPx', name: 'lx', unit: 'px', valid: ['okL'] },
    { into: 'leftPupil', name: 'pupil_m', unit: 'm', valid: ['okL'] },
    { into: 'leftPupil', name: 'pupil_mm', unit: 'mm', valid: ['okL'] },
  ],
  lost: { cell: /^no$/, rule: 'is no' },
  medium: { name: 'picture', number: 'picture_number' },
  message: 'said',
  click: { name: 'button', down: /^1$/ },
  suffix: /_gaze$/,
})

test('a tracker is a table: its values go where it says, in its units, unless its validities say lost', async () => {
  const rows = [
    'ticks,picture,gx,gy,okL,okR,lx,pupil_mm,button',
    '100,a.png,0.5,0.25,yes,yes,480,3.5,0',
    '101,a.png,0.5,0.25,no,yes,480,3.5,1',
    '102,a.png,0.5,0.25,no,no,480,3.5,1',
    '103,b.png,0.1,0.2,yes,no,96,3,0',
  ]
  const files = await findSourceFiles([writeFiles({ 'kim_gaze.csv': `${rows.join('\n')}\n` })])
  expect(invented.recognises(files[0], NO_OPTIONS)).toBe(true)
  const draft = makeDraft('study')
  const read: number[][] = []
  const options = { ...NO_OPTIONS, screen: { widthPx: 1000, heightPx: 800 } }
  for await (const { n, test, tMs, gazeXPx, gazeYPx, isClick, eyes } of invented.read(files, files, draft, options))
    for (let i = 0; i < n; i++)
      read.push([test[i], tMs[i], gazeXPx[i], gazeYPx[i], eyes.leftGazeXPx![i], eyes.leftPupil![i], isClick[i]])
  expect(read).toEqual([
    [0, 1000, 500, 200, 480, 3.5, 0],
    [0, 1010, 500, 200, Number.NaN, Number.NaN, 1],
    [0, 1020, Number.NaN, Number.NaN, Number.NaN, Number.NaN, 0],
    [1, 1030, 100, 160, 96, 3, 0],
  ])
  expect(draft.participants.map(({ key }) => key)).toEqual(['kim'])
  expect(draft.items.map(({ key }) => key)).toEqual(['a.png', 'b.png'])
  expect([...draft.recording]).toEqual([
    ['manufacturer', 'Nobody'],
    ['pupilUnit', 'mm'],
  ])
  expect([...draft.notes.left]).toMatchObject([['gaze points that are not valid, as okL and okR is no', { count: 1 }]])
})

test('a table without a time, or without gaze, is of another tracker', async () => {
  const recognises = async (header: string) => {
    const [file] = await findSourceFiles([writeFiles({ 'kim.csv': `${header}\n1,2\n3,4\n` })])
    return invented.recognises(file, NO_OPTIONS)
  }
  expect(await recognises('gx,gy')).toBe(false)
  expect(await recognises('ticks,gx')).toBe(false)
})

test('a validity of Gazepoint that is 0 says lost, however it is written', async () => {
  const written = ['0', '0,0', '0.00000', ' 0', '00', '1', '1,00000', '']
  const rows = written.map((valid, i) => `0,${i};0,5;0,5;${valid}`)
  const files = await findSourceFiles([
    writeFiles({ 'kim.csv': `${['TIME;BPOGX;BPOGY;BPOGV', ...rows].join('\n')}\n` }),
  ])
  const read: number[] = []
  const options = { ...NO_OPTIONS, screen: { widthPx: 1000, heightPx: 800 } }
  for await (const { n, gazeXPx } of gazepoint.read(files, files, makeDraft('study'), options))
    read.push(...gazeXPx.subarray(0, n))
  const lost = Number.NaN
  expect(read).toEqual([lost, lost, lost, lost, lost, 500, 500, 500])
})
