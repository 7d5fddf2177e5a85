import { afterEach, describe, expect, test } from 'vitest'
import { askMapping } from '../../../bin/terminal/ask-mapping.ts'
import {
  type ChosenNames,
  type GuessedMapping,
  guessMapping,
} from '../../../engine/recordings/any-table/guess-mapping.ts'
import { parseMapping } from '../../../engine/recordings/reader/mapping.ts'
import { findSourceFiles } from '../../../engine/recordings/text/source-files.ts'
import { cleanUp, convertAndRead, writeFiles } from './converted.ts'

afterEach(cleanUp)

async function guess(text: string) {
  const [file] = await findSourceFiles([writeFiles({ 'a.csv': text })])
  return guessMapping(file)
}

/** Answers the questions about a mapping; columns chosen instead are guessed by `again`. */
async function ask(
  mapping: GuessedMapping,
  header: string[],
  answers: string[],
  again: (chosen: ChosenNames) => Promise<GuessedMapping> = async () => mapping,
) {
  const questions: string[] = []
  const answer = async (question: string) => {
    questions.push(question)
    return answers[questions.length - 1]
  }
  return { asked: await askMapping(mapping, header, answer, again), questions }
}

describe('a guessed mapping', () => {
  test('finds the columns by their names, in fractions and seconds', async () => {
    const mapping = await guess(
      'Subject ID;Image;Time [s];Gaze X;Gaze Y\n1;a.png;0,000;0,5;0,25\n1;a.png;0,016;0,6;0,35\n',
    )
    expect(mapping).toMatchObject({
      participant: 'Subject ID',
      item: 'Image',
      time: { column: 'Time [s]', unit: 's', origin: 'item' },
      gaze: [{ x: 'Gaze X', y: 'Gaze Y', unit: 'fraction' }],
    })
  })
  test('takes two eyes, an epoch in µs and -1 for lost', async () => {
    const rows = Array.from({ length: 9 }, (_, i) => `${1.6e15 + i * 4000},P1,${i},300,310,400,410`)
    const lost = Array.from({ length: 3 }, (_, i) => `${1.6e15 + 1e6 + i * 4000},P1,${i},-1,-1,-1,-1`)
    const mapping = await guess(
      `timestamp,participant,trial,left_x,left_y,right_x,right_y\n${[...rows, ...lost].join('\n')}\n`,
    )
    expect(mapping).toMatchObject({
      item: 'trial',
      trial: null,
      time: { column: 'timestamp', origin: 'first' },
      gaze: [
        { x: 'left_x', y: 'left_y', unit: 'px' },
        { x: 'right_x', y: 'right_y' },
      ],
      missing: ['-1'],
    })
    expect(mapping.notes.join()).toMatch(/-1 \(3 of 12 rows\) in both x and y is taken to be lost gaze/)
  })
  test.each<[string, string, string, object]>([
    [
      "SMI's, in mm before px",
      'Time,Trial,L Dia X [px],R Dia X [px],L Mapped Diameter [mm],R Mapped Diameter [mm],L POR X [px],L POR Y [px],R POR X [px],R POR Y [px]',
      '1,20.5,21.5,3.41,3.52,100,200,110,210',
      {
        pupils: { left: 'L Mapped Diameter [mm]', right: 'R Mapped Diameter [mm]', unit: 'mm' },
        gaze: [{ eye: 'left' }, { eye: 'right' }],
      },
    ],
    [
      "Data Viewer's, of an unknown unit, beside the average gaze",
      'TIMESTAMP,TRIAL_INDEX,LEFT_GAZE_X,LEFT_GAZE_Y,RIGHT_GAZE_X,RIGHT_GAZE_Y,AVERAGE_GAZE_X,AVERAGE_GAZE_Y,LEFT_PUPIL_SIZE,RIGHT_PUPIL_SIZE,AVERAGE_PUPIL_SIZE',
      '1,100,200,102,202,101,201,912,913,912.5',
      {
        pupils: { left: 'LEFT_PUPIL_SIZE', right: 'RIGHT_PUPIL_SIZE', unit: null },
        gaze: [{ x: 'AVERAGE_GAZE_X' }, { x: 'LEFT_GAZE_X', eye: 'left' }, { x: 'RIGHT_GAZE_X', eye: 'right' }],
      },
    ],
    [
      "Tobii SDK's, in mm by their sizes, with distances",
      'time,trial,left_gaze_x,left_gaze_y,right_gaze_x,right_gaze_y,left_pupil_diameter,left_pupil_validity,DistanceLeft,DistanceRight',
      '1,100,200,102,202,3.27,1,612.5,613',
      {
        pupils: { left: 'left_pupil_diameter', right: null, unit: 'mm' },
        eyeDistanceMm: { left: 'DistanceLeft', right: 'DistanceRight' },
      },
    ],
    ["one eye's", 'time,trial,right_x,right_y,right_pupil_size', '1,100,200,4113', { gaze: [{ eye: 'right' }] }],
  ])('proposes eyes and pupils: %s', async (_what, header, row, expected) => {
    const rows = [0, 16, 32, 48].map((ms) => `${ms},${row}`)
    expect(await guess(`${header}\n${rows.join('\n')}\n`)).toMatchObject(expected)
  })
  test('proposes no pupils where columns only speak of them, and no distances in cm', async () => {
    const header = 'time,trial,x,y,left_pupil_validity,pupil_confidence,LeftDistance,left_pupil_position_z'
    const mapping = await guess(`${header}\n0,1,100,200,1,0.9,61.2,5\n16,1,100,200,1,0.9,61.2,5\n`)
    expect(mapping).not.toHaveProperty('pupils')
    expect(mapping).not.toHaveProperty('eyeDistanceMm')
    expect(mapping).not.toHaveProperty('events')
  })
  test('proposes markers between empty cells as events', async () => {
    const rows = Array.from({ length: 20 }, (_, i) => `${i * 16},1,100,200,${i % 8 === 3 ? 12 : ''},3`)
    const mapping = await guess(`time,trial,x,y,trigger,event_count\n${rows.join('\n')}\n`)
    expect(mapping.events).toBe('trigger')
    expect(mapping.notes.join()).toContain('trigger holds markers between empty cells')
  })
  test('says what it could not find', async () => {
    const mapping = await guess('a,b\n1,2\n')
    expect(mapping).toMatchObject({ participant: null, item: null, time: { column: '?' }, gaze: [{ x: '?', y: '?' }] })
    expect(mapping.notes).toContain('no column looks like a time')
  })
  test('takes a column named by its unit for the time, and who for the participant', async () => {
    const mapping = await guess('who,seconds,x,y\n1,0,3,4\n1,0.016,3,4\n')
    expect(mapping).toMatchObject({ participant: 'who', time: { column: 'seconds', unit: 's' } })
  })
  test('is put right by a person, who may take what is offered', async () => {
    const mapping = await guess('who,t,x,y\n1,0,3,4\n1,16,3,4\n')
    const answers = ['', 'WHO', '-', '', '', 'parsec', 's', '', '', '', '', '', '1024x768']
    const { asked, questions } = await ask(mapping, ['who', 't', 'x', 'y'], answers)
    expect(questions).toHaveLength(answers.length)
    expect(asked).toMatchObject({
      participant: 'who',
      item: null,
      time: { column: 't', unit: 's', origin: 'item' },
      gaze: [{ x: 'x', y: 'y', unit: 'px' }],
      screen: { widthPx: 1024, heightPx: 768 },
    })
  })
})

test('a column that a person chose is looked at: its unit, its origin and its codes', async () => {
  const text = `Nr;Dauer;BlickX;BlickY;a;b\n${Array.from({ length: 90 }, (_, i) =>
    [i, `${(i / 60).toFixed(4)}`, 900 + (i % 3), 500, i % 9 ? 0.4 + i / 1e4 : -1, i % 9 ? 0.6 : -1].join(';'),
  ).join('\n')}\n`
  const [file] = await findSourceFiles([writeFiles({ 'a.csv': text })])
  const mapping = await guessMapping(file)
  const header = ['Nr', 'Dauer', 'BlickX', 'BlickY', 'a', 'b']
  const answers = ['', '', '', '', 'dauer', '', '', 'a', 'b', '', '', '-']
  const { asked } = await ask(
    { ...mapping, time: { column: 'Nr', unit: 'ms', origin: 'item' } },
    header,
    answers,
    (chosen) => guessMapping(file, [], chosen),
  )
  expect(asked).toMatchObject({
    time: { column: 'Dauer', unit: 's' },
    gaze: [{ x: 'a', y: 'b', unit: 'fraction' }],
    missing: ['-1'],
  })
})

/** Rows of a table, made one after the other. */
const rowsOf = (n: number, row: (i: number) => (string | number)[]) =>
  `${Array.from({ length: n }, (_, i) => row(i).join(',')).join('\n')}\n`

describe('a guess looks at the whole table', () => {
  test('for times that run on from trial to trial, however late the second begins', async () => {
    const n = 20_000
    const text = `subject,trial,t_ms,x,y\n${rowsOf(n, (i) => ['s1', i < n - 500 ? 1 : 2, i, 100 + (i % 50), 300])}`
    expect(text.indexOf('s1,2,')).toBeGreaterThan(2 ** 17)
    const mapping = await guess(text)
    expect(mapping.time).toEqual({ column: 't_ms', unit: 'ms', origin: 'first' })
    expect(mapping.notes.join()).toMatch(/times run on from one test to the next/)
  })

  test("for times that begin anew with each, which are from the item's onset", async () => {
    const text = `subject,trial,t_ms,x,y\n${rowsOf(20_000, (i) => ['s1', Math.floor(i / 5000), (i % 5000) - 200, 100, 300])}`
    expect((await guess(text)).time.origin).toBe('item')
  })

  test('for times that go back, as where no column tells tests apart', async () => {
    const text = `whose,t_ms,x,y\n${rowsOf(40, (i) => [i < 20 ? 'a' : 'b', (i % 10) * 16, 500, 300])}`
    expect((await guess(text)).notes.join()).toMatch(/times go back 3 times within a test/)
  })

  test('for a lost gaze of (0, 0), which its border is not', async () => {
    const text = `t_ms,x,y\n${rowsOf(9000, (i) => (i < 8000 ? [i, i % 3 === 0 ? 0 : 700, 300] : [i, 0, 0]))}`
    const mapping = await guess(text)
    expect(mapping.missing).toEqual(['0'])
    expect(mapping.notes.join()).toMatch(/0 \(1000 of 9000 rows\) in both x and y is taken to be lost gaze/)
    const directory = writeFiles({ 'b.csv': 't_ms,x,y\n0,0,300\n1,0,0\n' })
    const { looks } = await convertAndRead([directory], { mapping, screen: { widthPx: 1000, heightPx: 1000 } })
    expect(looks[0].samples).toEqual([
      [0, 0, 300],
      [1, null, null],
    ])
  })
})

describe('x and y of gaze', () => {
  const columnsOf = async (header: string) => {
    const cells = header.split(',').map((_, k) => k + 1)
    const mapping = await guess(`${header}\n${rowsOf(5, (i) => cells.map((k) => 100 * k + i))}`)
    return mapping.gaze.map(({ x, y }) => [x, y])
  }
  test.each([
    ["are not R's row number", 'X,subject,time,x_pred,y_pred', [['x_pred', 'y_pred']]],
    ["nor is it taken where it has the gaze's name", 'X,time,x,y', [['x', 'y']]],
    ['are of one pattern', 'time,x,gaze_x,gaze_y', [['gaze_x', 'gaze_y']]],
    ['are not those of the mouse or of a target', 'time,mouse_x,mouse_y,xT,yT,x,y', [['x', 'y']]],
    [
      'are of both eyes together, if there are such, and of each',
      'time,left_x,left_y,right_x,right_y,avgx,avgy',
      [
        ['avgx', 'avgy'],
        ['left_x', 'left_y'],
        ['right_x', 'right_y'],
      ],
    ],
    ['are in px, if there are such', 'time,gaze_x_deg,gaze_y_deg,gaze_x_px,gaze_y_px', [['gaze_x_px', 'gaze_y_px']]],
    [
      'are of two eyes',
      'time,RightGazeX,RightGazeY,LeftGazeX,LeftGazeY',
      [
        ['LeftGazeX', 'LeftGazeY'],
        ['RightGazeX', 'RightGazeY'],
      ],
    ],
    [
      "are Pupil's",
      'gaze_timestamp,world_index,confidence,norm_pos_x,norm_pos_y,gaze_point_3d_x,gaze_point_3d_y',
      [['norm_pos_x', 'norm_pos_y']],
    ],
  ])('%s', async (_what, header, columns) => {
    expect(await columnsOf(header)).toEqual(columns)
  })
})

test("Pupil's gaze is valid from the confidence on that Pupil Player takes by default", async () => {
  const header = 'gaze_timestamp,world_index,confidence,norm_pos_x,norm_pos_y,gaze_point_3d_x,gaze_point_3d_y'
  const mapping = await guess(`${header}\n${rowsOf(20, (i) => [5 + i / 100, 0, 0.9, 0.25, 0.75, 1, 2])}`)
  expect(mapping.gaze[0].valid).toEqual({ column: 'confidence', least: 0.6 })
})

describe('what positions mean', () => {
  const spread = (i: number, size: number) => (((i * 7919) % 1000) / 1000 - 0.5) * 2 * size
  const table = (size: number, digits: number) =>
    `time,x,y\n${rowsOf(500, (i) => [i * 10, spread(i, size).toFixed(digits), spread(i * 31 + 7, size).toFixed(digits)])}`

  test("px around 0 are from the middle of the screen, upwards as PsychoPy's, which is to be checked", async () => {
    const mapping = await guess(table(500, 1))
    expect(mapping).toMatchObject({ origin: 'center-y-up', gaze: [{ unit: 'px' }], missing: [] })
    expect(mapping.notes.join()).toMatch(/y is taken to grow upwards, as in PsychoPy/)
  })

  test.each([
    ['degrees', 20, /look like degrees/],
    ["PsychoPy's norm", 0.9, /PsychoPy's units norm or height/],
  ])('%s cannot be read, and the mapping is refused until its unit is filled in', async (_what, size, doubt) => {
    const mapping = await guess(table(size, 4))
    expect(mapping.notes.join()).toMatch(doubt)
    expect(mapping.gaze[0].unit).toBe('?')
    expect(() => parseMapping(JSON.stringify(mapping), 'mapping.json')).toThrow(
      'mapping.json is not a mapping: gaze.0.unit',
    )
  })

  test('degrees on one side of the middle are reported, too', async () => {
    const text = `time,x,y,val\n${rowsOf(50, (i) => [i, (-16 + i / 50).toFixed(4), (5 + i / 50).toFixed(4), 0])}`
    expect((await guess(text)).gaze[0].unit).toBe('?')
  })

  test("Pupil's norm_pos are fractions from the lower left", async () => {
    const text = `gaze_timestamp,norm_pos_x,norm_pos_y\n${rowsOf(50, (i) => [i / 100, (i / 50).toFixed(3), 0.25])}`
    expect(await guess(text)).toMatchObject({ origin: 'bottom-left', gaze: [{ unit: 'fraction' }] })
  })
})

describe('a column of validity is proposed', () => {
  test('with the texts that come with gaze', async () => {
    const text = `t_ms,x,y,val\n${rowsOf(300, (i) => (i % 10 === 0 ? [i, '', '', 4] : [i, 500, 300, 0]))}`
    const mapping = await guess(text)
    expect(mapping.gaze[0].valid).toEqual({ column: 'val', values: ['0'] })
    expect(mapping.notes.join()).toMatch(/val holds "4", "0": gaze is taken to be valid where it is 0/)
  })
  test('for each eye its own', async () => {
    const header = 't_ms,left_x,left_y,left_validity,right_x,right_y,right_validity'
    const text = `${header}\n${rowsOf(50, (i) => [i, 500, 300, i % 5 ? 'Valid' : 'Invalid', 510, 300, 'Valid'])}`
    expect((await guess(text)).gaze.map(({ valid }) => valid)).toEqual([
      { column: 'left_validity', values: ['Valid'] },
      { column: 'right_validity', values: ['Valid'] },
    ])
  })
  test('or left to the person, where no gaze is missing', async () => {
    const text = `t_ms,x,y,status,confidence\n${rowsOf(100, (i) => [i, 500, 300, i % 2, (i / 100).toFixed(2)])}`
    const mapping = await guess(text)
    expect(mapping.gaze[0].valid).toBe(null)
    expect(mapping.notes.join()).toMatch(/status holds "0", "1", and may say whether a gaze is valid/)
    expect(mapping.notes.join()).toMatch(/confidence holds many values/)
  })
})

test('a list of fixations has no mapping', async () => {
  const text = `RECORDING_SESSION_LABEL,CURRENT_FIX_X,CURRENT_FIX_Y,CURRENT_FIX_START\n${rowsOf(5, (i) => ['s', i, i, i])}`
  await expect(guess(text)).rejects.toThrow('a.csv is one of the lists of fixations')
})
