import { afterEach, expect, test } from 'vitest'
import { cleanUp, convertAndRead, writeFiles } from './converted.ts'

afterEach(cleanUp)

const trial = (index: number, more: object = {}) => ({
  ...{ trial_type: 'image', trial_index: index, stimulus: `${index}.png`, innerWidth: 1000, innerHeight: 800 },
  ...{ webgazer_data: [{ x: 100 * index, y: 300, t: 0 }] },
  ...more,
})

async function people(trials: object[]) {
  const { looks, conversion } = await convertAndRead([writeFiles({ 'x.json': JSON.stringify(trials) })])
  return { names: looks.map(({ participant }) => participant), assumed: conversion.assumed.join('\n') }
}

test('a participant whom only the first trial names has the trials after it', async () => {
  const survey = { trial_type: 'survey', trial_index: 0, subject_id: 's9' }
  const { names, assumed } = await people([survey, trial(1), trial(2)])
  expect(names).toEqual(['s9', 's9'])
  expect(assumed).not.toMatch(/names no participant/)
  expect((await people([survey, trial(1), trial(0), trial(1)])).names).toEqual(['s9', 'x (2)', 'x (2)'])
})

test('spaces around the name of a participant do not count', async () => {
  expect((await people([trial(1, { subject: 's1' }), trial(2, { subject: ' s1 ' })])).names).toEqual(['s1', 's1'])
})
