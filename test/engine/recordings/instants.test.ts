import { afterEach, expect, test } from 'vitest'
import { cleanUp, convertAndRead, writeFiles } from './converted.ts'
import { mappingOf } from './mapping.ts'

afterEach(cleanUp)

const mapping = mappingOf({
  time: { column: 't', unit: 'iso', origin: 'first' },
  screen: { widthPx: 1000, heightPx: 800 },
})

test('times of day run on past midnight, also where rows of two people alternate', async () => {
  const times = ['23:59:59.980', '23:59:59.990', '00:00:00.000', '23:59:59.995', '00:00:00.010']
  const rows = times.map((t, i) => `${i === 3 ? 'lee' : 'kim'},dog,${t},500,400`)
  const { looks } = await convertAndRead([writeFiles({ 'a.csv': `who,what,t,x,y\n${rows.join('\n')}\n` })], { mapping })
  expect(looks.map(({ participant, samples }) => [participant, samples.map(([t]) => t)])).toEqual([
    ['kim', [0, 10, 20, 30]],
    ['lee', [0]],
  ])
})

test('a later time of day that begins anew is no midnight', async () => {
  const rows = ['10:00:00.000', '10:00:00.010', '09:00:00.000'].map((t, i) => `kim,${i < 2 ? 'dog' : 'cat'},${t},1,2`)
  const { conversion } = await convertAndRead([writeFiles({ 'a.csv': `who,what,t,x,y\n${rows.join('\n')}\n` })], {
    mapping,
  })
  expect(conversion.doubts.join('\n')).toMatch(/tests are in the order of their times/)
})
