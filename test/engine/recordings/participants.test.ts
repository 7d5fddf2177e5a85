import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { cleanUp, convertAndRead, writeFiles } from './converted.ts'
import { mappingOf } from './mapping.ts'

afterEach(cleanUp)

const GAZEPOINT = 'MEDIA_ID,MEDIA_NAME,CNT,TIME(2026/01/01 10:00:00.000),FPOGX,FPOGY,FPOGID,FPOGV,BPOGX,BPOGY,BPOGV,'
/** Ten samples of one medium, from a time on. */
const allGaze = (fromS: number) =>
  `${[GAZEPOINT, ...Array.from({ length: 10 }, (_, i) => `0,a.jpg,${i},${(fromS + i / 60).toFixed(5)},0.5,0.5,1,1,0.5,0.5,1,`)].join('\n')}\n`

const trial = (stimulus: string) =>
  JSON.stringify([
    {
      trial_type: 'image',
      trial_index: 1,
      stimulus,
      innerWidth: 800,
      innerHeight: 600,
      webgazer_data: [{ x: 1, y: 2, t: 3 }],
    },
  ])

describe('files of one name in different folders', () => {
  test('are of different participants, called by the folders that differ', async () => {
    const directory = writeFiles({
      'north/result/User 0_all_gaze.csv': allGaze(300),
      'south/result/User 0_all_gaze.csv': allGaze(0),
    })
    const { looks, conversion } = await convertAndRead([directory])
    expect(looks.map(({ participant, samples }) => [participant, samples[0][0], samples.length])).toEqual([
      ['north/User 0', 0, 10],
      ['south/User 0', 0, 10],
    ])
    expect(conversion.participants.map(({ name, files }) => [name, files.length])).toEqual([
      ['north/User 0', 1],
      ['south/User 0', 1],
    ])
    expect(conversion.doubts.join()).toMatch(/files of the same name belong to different participants.*north\/User 0/)
  })

  test('that were given one by one are so, too', async () => {
    const directory = writeFiles({
      'P1/gaze_positions.csv': 'gaze_timestamp,norm_pos_x,norm_pos_y\n100.0,0.5,0.5\n100.1,0.5,0.5\n',
      'P2/gaze_positions.csv': 'gaze_timestamp,norm_pos_x,norm_pos_y\n7.0,0.25,0.5\n7.1,0.25,0.5\n',
    })
    const mapping = {
      gazetteMapping: 1,
      participant: null,
      item: null,
      trial: null,
      time: { column: 'gaze_timestamp', unit: 's', origin: 'first' },
      gaze: [{ x: 'norm_pos_x', y: 'norm_pos_y', unit: 'fraction' }],
      origin: 'bottom-left',
      screen: { widthPx: 1000, heightPx: 500 },
    }
    const paths = ['P1', 'P2'].map((name) => join(directory, name, 'gaze_positions.csv'))
    const { looks } = await convertAndRead(paths, { mapping })
    expect(looks).toEqual([
      {
        participant: 'P1/gaze_positions',
        item: 'item',
        samples: [
          [0, 500, 250],
          [100, 500, 250],
        ],
      },
      {
        participant: 'P2/gaze_positions',
        item: 'item',
        samples: [
          [0, 250, 250],
          [100, 250, 250],
        ],
      },
    ])
  })

  test('are one person of JATOS where they lie in one study_result, and several where not', async () => {
    const directory = writeFiles({
      'study_result_1/comp-result_1/data.txt': trial('a.png'),
      'study_result_1/comp-result_2/data.txt': trial('b.png'),
      'study_result_2/comp-result_3/data.txt': trial('a.png'),
    })
    const { looks } = await convertAndRead([directory])
    expect(looks.map(({ participant, item }) => [participant, item])).toEqual([
      ['study_result_1', 'a.png'],
      ['study_result_1', 'b.png'],
      ['study_result_2', 'a.png'],
    ])
  })

  test('are sessions of one person where they name that person, and no session runs into the other', async () => {
    const table = (x: number) => `who,what,t,x,y\nAda,cat,0,${x},5\nAda,cat,10,${x},5\n`
    const directory = writeFiles({ 'day-1/gaze.csv': table(1), 'day-2/gaze.csv': table(2) })
    const mapping = mappingOf({
      time: { column: 't', unit: 'ms', origin: 'item' },
      screen: { widthPx: 100, heightPx: 100 },
    })
    const { looks, conversion } = await convertAndRead([directory], { mapping })
    expect(looks).toEqual([
      {
        participant: 'Ada',
        item: 'cat',
        samples: [
          [0, 1, 5],
          [10, 1, 5],
        ],
      },
      {
        participant: 'Ada',
        item: 'cat',
        samples: [
          [0, 2, 5],
          [10, 2, 5],
        ],
      },
    ])
    expect(conversion.doubts.join()).toMatch(/sessions of one person: Ada \(.*day-1\/gaze.csv, .*day-2\/gaze.csv\)/)
  })

  test('of EyeLink are called by the EDF files that they were made of, unless those have one name, too', async () => {
    const asc = (edf: string) =>
      `** CONVERTED FROM D:\\data\\${edf}.edf using edfapi 4.2.1\nMSG\t1 DISPLAY_COORDS 0 0 1023 767\nSTART\t2 \tLEFT\tSAMPLES\tEVENTS\nSAMPLES\tGAZE\tLEFT\tRATE\t500.00\n2\t5\t6\t900\t...\nEND\t3 \tSAMPLES\tEVENTS\tRES\t1\t1\n`
    const directory = writeFiles({ 'ann.asc': asc('test'), 'bob.asc': asc('test'), 'x.asc': asc('cleo') })
    const { looks } = await convertAndRead([directory])
    expect(looks.map(({ participant }) => participant)).toEqual(['ann', 'bob', 'cleo'])
  })

  test('of two BIDS datasets are of different subjects', async () => {
    const files = (dataset: string) => ({
      [`${dataset}/sub-01/beh/sub-01_task-look_recording-eye1_physio.tsv`]: '0\t1\t2\n1\t1\t2\n',
      [`${dataset}/sub-01/beh/sub-01_task-look_recording-eye1_physio.json`]: JSON.stringify({
        PhysioType: 'eyetrack',
        Columns: ['timestamp', 'x_coordinate', 'y_coordinate'],
        timestamp: { Units: 'ms' },
        x_coordinate: { Units: 'pixel' },
      }),
    })
    const directory = writeFiles({ ...files('a'), ...files('b') })
    const { participants } = await convertAndRead([join(directory, 'a'), join(directory, 'b')], {
      screen: { widthPx: 100, heightPx: 100 },
    })
    expect(participants.map(({ external_id }) => external_id)).toEqual(['a/sub-01', 'b/sub-01'])
  })
})

test('the same recordings are the same study in whatever order they are given, and others of their names are another', async () => {
  const first = writeFiles({ 'P1.csv': allGaze(0), 'P2.csv': allGaze(5) })
  const paths = ['P1.csv', 'P2.csv'].map((name) => join(first, name))
  const { study } = await convertAndRead(paths)
  expect((await convertAndRead([...paths].reverse())).study.id).toBe(study.id)
  const other = writeFiles({ 'P1.csv': allGaze(0), 'P2.csv': allGaze(6) })
  expect((await convertAndRead(['P1.csv', 'P2.csv'].map((name) => join(other, name)))).study.id).not.toBe(study.id)
})

test('two looks that a mapping merges are detected by their times', async () => {
  const directory = writeFiles({ 'a.csv': 'what,t,x,y\ncat,0,1,1\ncat,500,1,1\ncat,480,1,1\ncat,0,2,2\ncat,500,2,2\n' })
  const mapping = mappingOf({
    participant: null,
    time: { column: 't', unit: 'ms', origin: 'item' },
    screen: { widthPx: 100, heightPx: 100 },
  })
  const { tests } = await convertAndRead([directory], { mapping })
  expect(tests).toHaveLength(2)
  const asOne = await convertAndRead([directory], { mapping: { ...mapping, comesAgain: 'same-test' } })
  expect(asOne.tests).toHaveLength(1)
  expect(asOne.conversion.doubts.join()).toMatch(/times run backwards within a test, that of a at cat/)
})

describe('ages and genders in columns of a table', () => {
  const mapping = mappingOf({
    item: null,
    time: { column: 't', unit: 'ms', origin: 'item' },
    origin: 'top-left',
    age: 'years',
    gender: 'Sex',
    screen: { widthPx: 1000, heightPx: 500 },
  })
  const read = async (rows: string[], more = {}) => {
    const text = ['who,t,x,y,years,sex', ...rows].join('\n')
    const { participants, conversion } = await convertAndRead([writeFiles({ 'gaze.csv': `${text}\n` })], {
      mapping: { ...mapping, ...more },
    })
    const facts = participants.map(({ external_id, age, gender }) => [external_id, age, gender].join(' '))
    return { facts, participants, left: conversion.left.join('\n') }
  }

  test('are those of the participants, if a mapping names them', async () => {
    const rows = ['Ada,0,1,2,31,Female', 'Ada,9,1,2,,', 'Bo,0,1,2,150,m', 'Cy,0,1,2,1,other', 'Di,0,1,2,NA,n/a']
    const { facts, left } = await read(rows)
    expect(facts).toEqual(['Ada 31 0', 'Bo 150 1', 'Cy 1 2', 'Di  '])
    expect(left).toBe('')
  })

  test('are left out and told where they are none, or differ between the rows of a participant', async () => {
    const rows = [
      'Ada,0,1,2,31.5,1',
      'Bo,0,1,2,0,male',
      'Di,0,1,2,,constructor',
      'Cy,0,1,2,20,male',
      'Cy,9,1,2,21,female',
    ]
    const { facts, left } = await read(rows)
    expect(facts).toEqual(['Ada  ', 'Bo  1', 'Di  ', 'Cy  '])
    expect(left).toMatch(/2 values of years that are not a whole number of years, 1 to 150.*"31.5"/)
    expect(left).toMatch(/2 values of Sex that are not female, male or other.*"1"/)
    expect(left).toMatch(/years is not always the same.*Cy: "20" and "21"/)
    expect(left).toMatch(/Sex is not always the same.*Cy: "male" and "female"/)
  })

  test('can be external data as well, and are left out if the mapping names no column', async () => {
    const { participants } = await read(['Ada,0,1,2,31,female'], { externalData: ['years'] })
    expect(participants[0]).toMatchObject({ age: '31', gender: '0', external_data_years: '31' })
    const { facts, left } = await read(['Ada,0,1,2,31,female'], { age: undefined, gender: null })
    expect(facts).toEqual(['Ada  '])
    expect(left).toMatch(/columns that the mapping does not name: years, sex/)
  })
})
