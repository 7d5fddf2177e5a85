import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, test } from 'vitest'
import { askMapping } from '../../../bin/ask-mapping.ts'
import { guessMapping } from '../../../engine/readers/guess-mapping.ts'
import { findSourceFiles } from '../../../engine/readers/source-files.ts'
import { tableHead } from '../../../engine/readers/table.ts'
import { cleanUp, convertAndRead, writeFiles } from './converted.ts'

afterEach(cleanUp)

async function guess(text: string) {
  const [file] = await findSourceFiles([writeFiles({ 'a.csv': text })])
  return guessMapping(tableHead(file)!)
}

describe('a guessed mapping', () => {
  test('finds the columns by their names, in fractions and seconds', async () => {
    const { mapping } = await guess(
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
    const { mapping, doubts } = await guess(
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
    expect(doubts.join()).toMatch(/-1 in both x and y/)
  })
  test('says what it could not find', async () => {
    const { mapping, doubts } = await guess('a,b\n1,2\n')
    expect(mapping).toMatchObject({ participant: null, item: null, time: { column: '?' }, gaze: [{ x: '?', y: '?' }] })
    expect(doubts).toContain('no column looks like a time')
  })
  test('is put right by a person, who may take what is offered', async () => {
    const { mapping } = await guess('who,t,x,y\n1,0,3,4\n1,16,3,4\n')
    const answers = ['', 'WHO', '-', '', '', 'parsec', 's', '', '', '', '', '', '1024x768']
    const questions: string[] = []
    const asked = await askMapping(mapping, ['who', 't', 'x', 'y'], async (question) => {
      questions.push(question)
      return answers[questions.length - 1]
    })
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

/** Recordings that are not ours to publish; without them these tests are skipped. */
const shared = fileURLToPath(new URL('../../../../shared/data/', import.meta.url))
const hasShared = existsSync(shared)
describe.skipIf(!hasShared)(`real recordings${hasShared ? '' : ' (skipped: there is no ../shared/data)'}`, () => {
  test.each([
    [
      'i2mc-tx300/gaze.csv',
      { widthPx: 1920, heightPx: 1080 },
      { participants: 2, items: 5, tests: 10, samples: 10_750 },
    ],
    [
      'labvanced-webcam/gaze.csv',
      { widthPx: 800, heightPx: 450 },
      { participants: 1, items: 54, tests: 54, samples: 6_687 },
    ],
  ])('%s is read by the mapping that is guessed for it', async (name, screen, counts) => {
    const [file] = await findSourceFiles([shared + name])
    const { mapping } = guessMapping(tableHead(file)!)
    const { conversion, looks } = await convertAndRead([shared + name], { mapping, screen })
    expect(conversion.counts).toMatchObject(counts)
    expect(looks[0].samples[0][0]).toBe(0)
  })
})
