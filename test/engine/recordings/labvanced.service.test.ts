import { afterEach, describe, expect, test } from 'vitest'
import { cleanUp, convertAndRead, writeFiles } from './converted.ts'

afterEach(cleanUp)

const HEADER = [
  ...['Block_Name', 'Block_Nr', 'exp_subject_id', 'rec_session_id', 'session_nr', 'Task_Name', 'Task_Nr', 'times'],
  ...['Trial_Id', 'Trial_Nr', 'variable_name', 'values'],
]
const T0 = 1_623_924_194_000
const quoted = (cell: string | number) => (typeof cell === 'string' ? `"${cell}"` : cell)
/** A row as R writes it: texts in quotes, the value as it is. */
const row = (ms: number, trial: number, variable: string, value: string, separator = ',') =>
  [...['b', 1, 77, 900, 1, 'Mask', 8, `${T0 + ms}`, trial, trial, variable].map(quoted), value].join(separator)
const table = (rows: string[], separator = ',') => `${[HEADER.map(quoted).join(separator), ...rows].join('\n')}\n`

const looksOf = async (content: string | Buffer) => {
  const { looks, conversion } = await convertAndRead([writeFiles({ 'series.csv': content })])
  return { looks: looks.map(({ participant, item, samples }) => [participant, item, samples]), conversion }
}

describe("Labvanced's values without quotes", () => {
  test('are x, y and the time of the camera, and another variable names the item, also behind the gaze', async () => {
    const { looks, conversion } = await looksOf(
      table([
        row(800, 1, 'videoended', 'endofvideo'),
        row(300, 1, 'Gaze_XYT', ''),
        row(400, 1, 'Gaze_XYT', `-45.5,232.25,${T0 + 100},1`),
        row(500, 1, 'Gaze_XYT', `390,359.5,${T0 + 250},0.68`),
        row(310, 1, 'Filename', '15_a.mp4'),
        row(900, 2, 'Gaze_XYT', ''),
        row(1000, 2, 'Gaze_XYT', `10,20,${T0 + 700},1`),
        row(910, 2, 'Filename', '3_b.mp4'),
      ]),
    )
    expect(looks).toEqual([
      [
        '77',
        '15_a.mp4',
        [
          [0, -45.5, 232.25],
          [150, 390, 359.5],
        ],
      ],
      ['77', '3_b.mp4', [[0, 10, 20]]],
    ])
    expect(conversion.assumed.join('\n')).toMatch(/items are named by Filename of their trial/)
    expect(conversion.assumed.join('\n')).not.toMatch(/each variable_name/)
    expect(conversion.left.join('\n')).toMatch(/^2 rows before the first value of a variable/m)
  })

  test('are x and y, timed by their rows, with a separator at the end of the header and of an empty value', async () => {
    const rows = [row(0, 3, 'XYGaze', ','), row(47_000, 3, 'XYGaze', '746.5,270.25'), row(47_060, 3, 'XYGaze', '7,8')]
    const { looks } = await looksOf(table(rows).replace('"values"', '"values",').replaceAll('"', ''))
    expect(looks).toEqual([
      [
        '77',
        'Mask 3',
        [
          [0, 746.5, 270.25],
          [60, 7, 8],
        ],
      ],
    ])
  })

  test('stand in one cell where tabs separate, in UTF-16', async () => {
    const rows = [
      row(0, 6, 'Gaze', '', '\t'),
      row(50, 6, 'Gaze', '342,220', '\t'),
      row(90, 6, 'Gaze', '404.5,203.25', '\t'),
    ]
    const { looks } = await looksOf(Buffer.from(`\uFEFF${table(rows, '\t')}`, 'utf16le'))
    expect(looks).toEqual([
      [
        '77',
        'Mask 6',
        [
          [0, 342, 220],
          [40, 404.5, 203.25],
        ],
      ],
    ])
  })

  test('begin empty, also where a trial comes again under the same numbers, which is another look', async () => {
    const again = [row(0, 3, 'XYGaze', ''), row(50, 3, 'XYGaze', '1,2'), row(90, 3, 'XYGaze', '3,4')]
    const { looks } = await looksOf(table([...again, ...again]))
    expect(looks.map(([, item, samples]) => [item, (samples as unknown[]).length])).toEqual([
      ['Mask 3', 2],
      ['Mask 3', 2],
    ])
  })

  test('of two variables of gaze are two recordings, which is said', async () => {
    const { looks, conversion } = await looksOf(table([row(0, 1, 'XYGaze', '3,4'), row(5, 1, 'Gaze', '5,6')]))
    expect(looks).toHaveLength(2)
    expect(conversion.assumed.join('\n')).toMatch(/each variable_name of a trial is a recording of its own/)
  })

  test('of other variables are no gaze, and a file without gaze says so', async () => {
    const other = [row(0, 1, 'Mouse_XY', '1,2'), row(5, 1, 'score', '7'), row(6, 1, 'XYVA', '1,2,225')]
    const { looks, conversion } = await looksOf(table([...other, row(9, 1, 'XYGaze', '3,4')]))
    expect(looks).toEqual([['77', 'Mask 1', [[0, 3, 4]]]])
    expect(conversion.left.join('\n')).toMatch(/^3 rows of variables that are not gaze/m)
    await expect(looksOf(table(other))).rejects.toThrow(
      /no recording .*: they have 3 rows of variables that are not gaze/,
    )
  })
})

describe("Labvanced's wide export", () => {
  const series = `times=${T0};${T0 + 40};${T0 + 90}---values=;746.5,270.25;7,8`
  const wide = [
    'Task_Name,Trial_Nr,Trial_Id,XCorr,XYGaze,exp_subject_id,group_name,selected_age,selected_gender,stimulus',
    `Mask,1,4,472.5,"""${series}""",77,control,31,female,a.png`,
    `Mask,2,5,472.5,"""${series}""",77,control,31,female,`,
    'Mask,3,6,472.5,,77,control,31,female,b.png',
    '',
  ].join('\n')

  test('has a series in a cell of each trial, and says age, gender and, if asked, the group', async () => {
    const kept = { tags: ['group_name'], externalData: [] }
    const { looks, participants } = await convertAndRead([writeFiles({ 'data.csv': wide })], { kept })
    const samples = [
      [0, 746.5, 270.25],
      [50, 7, 8],
    ]
    expect(looks.map(({ participant, item, samples: own }) => [participant, item, own])).toEqual([
      ['77', 'a.png', samples],
      ['77', 'Mask 5', samples],
    ])
    expect(participants).toMatchObject([{ age: '31', gender: '0', tags: 'control' }])
  })

  test('is left where the time series of the same study lie beside it, and said', async () => {
    const long = table([row(400, 1, 'Gaze_XYT', `390,359.5,${T0 + 250},0.68`)])
    const { looks, conversion } = await convertAndRead([writeFiles({ 'data.csv': wide, 'timeseries.csv': long })])
    expect(looks).toHaveLength(1)
    expect(conversion.left.join('\n')).toMatch(/^1 table with a row per trial, whose series the time series have: /m)
  })
})
