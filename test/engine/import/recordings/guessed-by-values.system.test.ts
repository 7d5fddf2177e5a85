import { afterAll, describe, expect, test } from 'vitest'
import { guessMapping } from '../../../../engine/import/recordings/any-table/guess-mapping.ts'
import { findSourceFiles } from '../../../../engine/import/recordings/text/source-files.ts'
import { cleanUp, convertAndRead, writeFiles } from './converted.ts'
import { randomOf } from './made/gaze-maker.ts'
import { HARD_PLANS, PLANS } from './made/plans.ts'
import { type MadeTest, makeRecording, type Plan, shuffled, tableOf } from './made/recording-maker.ts'
import type { Look } from './shapes.ts'

afterAll(cleanUp)

/** Largest differences of times in ms, and of positions in px, that rounding of the tables explains. */
const [TIME_MS, PLACE_PX] = [0.02, 0.11]

/** Reads a made recording under names that say nothing, in random order. @returns '' if right, '?', or what is wrong */
async function readNameless(plan: Plan, seed: number): Promise<string> {
  const { columns, tests } = makeRecording(plan, seed)
  const text = tableOf(shuffled(columns, randomOf(seed + 7)), (_, i) => `c${i + 1}`)
  const directory = writeFiles({ 'kim.csv': text })
  const [file] = await findSourceFiles([directory])
  const mapping = await guessMapping(file)
  if (JSON.stringify(mapping).includes('"?"')) return '?'
  const { looks } = await convertAndRead([directory], { mapping, screen: plan.screen, isImported: false })
  return differenceOf(looks, tests, plan)
}

function differenceOf(looks: Look[], tests: MadeTest[], { people }: Plan): string {
  if (looks.length !== tests.length) return `${looks.length} tests rather than ${tests.length}`
  const sorted = <T extends { participant: string; item: string }>(all: T[]) =>
    [...all].sort((a, b) => (`${a.participant} ${a.item}` < `${b.participant} ${b.item}` ? -1 : 1))
  const wanted = sorted(tests)
  for (const [i, look] of sorted(looks).entries()) {
    const { participant, item, samples } = wanted[i]
    if (people.length > 1 && look.participant !== participant) return `participant ${look.participant}`
    if (look.item !== item) return `item ${look.item}`
    if (look.samples.length !== samples.length) return `${look.samples.length} samples of ${item}`
    const k = samples.findIndex((sample, at) => !isNear(look.samples[at], sample))
    if (k >= 0) return `${item}: ${look.samples[k]} rather than ${samples[k]}`
  }
  return ''
}

function isNear([t, x, y]: Look['samples'][number], [tMs, xPx, yPx]: MadeTest['samples'][number]): boolean {
  if (Math.abs(t - tMs) > TIME_MS || (x === null) !== (xPx === null)) return false
  return x === null || (Math.abs(x - xPx!) <= PLACE_PX && Math.abs(y! - yPx!) <= PLACE_PX)
}

describe('columns called c1 to cn, in random order, are told by their values', () => {
  test('in nine of ten recordings, and never wrongly', async () => {
    const found: string[] = []
    for (const [i, plan] of PLANS.entries()) found.push(`${plan.name}: ${await readNameless(plan, i + 1)}`)
    const open = found.filter((one) => one.endsWith(': ?'))
    expect(found.filter((one) => !one.endsWith(': ') && !one.endsWith(': ?'))).toEqual([])
    expect(open.length).toBeLessThanOrEqual(PLANS.length / 10)
  }, 120_000)

  test.each(HARD_PLANS)(
    'or left open: $name',
    async (plan) => {
      expect(['', '?']).toContain(await readNameless(plan, 5))
    },
    60_000,
  )
})
