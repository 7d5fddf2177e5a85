import { readFileSync } from 'node:fs'
import { afterAll, describe, expect, test } from 'vitest'
import { guessMapping } from '../../../engine/recordings/any-table/guess-mapping.ts'
import { findSourceFiles } from '../../../engine/recordings/text/source-files.ts'
import { cleanUp, convertAndRead, writeFiles } from './converted.ts'
import { randomOf } from './made/gaze-maker.ts'
import { HARD_PLANS, PLANS } from './made/plans.ts'
import { type MadeTest, makeRecording, type Plan, shuffled, tableOf } from './made/recording-maker.ts'
import type { Look } from './shapes.ts'

afterAll(cleanUp)

/** Largest differences of times in ms, and of positions in px, that rounding of the tables explains. */
const [TIME_MS, PLACE_PX] = [0.02, 0.11]

/** Seeds of the recordings, beside their positions in the list. */
const SEEDS = [0, 100, 200]

/** How a recording was read: '' for right, '?', or what is wrong; and the first reason, by what the columns hold. */
type Reading = { outcome: string; reason: string }

/** Reads a made recording under names that say nothing, in random order. */
async function readNameless(plan: Plan, seed: number): Promise<Reading> {
  const { columns, tests } = makeRecording(plan, seed)
  const mixed = shuffled(columns, randomOf(seed + 7))
  const directory = writeFiles({ 'kim.csv': tableOf(mixed, (_, i) => `c${i + 1}`) })
  const [file] = await findSourceFiles([directory])
  const mapping = await guessMapping(file)
  const reason = mapping.notes[0].replace(/\bc(\d+)\b/g, (_, at) => `*${mixed[Number(at) - 1].role}*`)
  if (JSON.stringify(mapping).includes('"?"')) return { outcome: '?', reason }
  const { looks } = await convertAndRead([directory], { mapping, screen: plan.screen, isImported: false })
  return { outcome: differenceOf(looks, tests, plan), reason }
}

const DECOYS = ['target', 'mouse', 'head', 'camera', 'trackbox', 'raw']
const EYES = ['eye', 'left', 'right', 'mean']

/**
 * Guesses a made recording whose first decoy is called gaze, and whose gaze is called by its eye.
 *
 * @returns whether the guess took the gaze nevertheless; null without a decoy
 */
async function takesGazeFromDecoy(plan: Plan, seed: number): Promise<boolean | null> {
  const decoy = DECOYS.find((one) => plan.beside.some((beside) => beside === one))
  if (decoy === undefined) return null
  const { columns } = makeRecording(plan, seed)
  const names: Record<string, string> = {
    [`${decoy} x`]: 'gaze_x',
    [`${decoy} y`]: 'gaze_y',
    clock: 'time',
    onset: 'time',
  }
  const nameOf = ({ role }: { role: string }) => names[role] ?? role.replace(' ', '_')
  const [file] = await findSourceFiles([writeFiles({ 'kim.csv': tableOf(columns, nameOf) })])
  const { gaze } = await guessMapping(file)
  return gaze.every(({ x }) => EYES.includes(x.replace('_x', '')))
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

const PAGE = new URL('../../../docs/guesses.md', import.meta.url).pathname

/**
 * Writes the page of guesses, which `npx vitest run --project system … -u` makes anew, and keeps the part that
 * `npm run validate` makes.
 */
function pageOf(rows: string[], open: number, misnamed: number): string {
  const publicPart = /^## On public recordings\n[\s\S]*/m.exec(readFileSync(PAGE, 'utf8'))![0]
  return `# Guesses

## On made recordings

This part is made by \`test/engine/recordings/guessed-by-values.system.test.ts\` from recordings that the tests make
(\`npx vitest run --project system test/engine/recordings/guessed-by-values.system.test.ts -u\`). The columns of each
recording are called c1 to cn, in random order, so that only their values tell what they hold
([how](formats.md#any-other-table-generic)). *Right* means that each sample of each test has the time, the position and
the loss with which it was made; *?*, that the guess leaves it open. None may be wrong.

${rows.length - open} of ${rows.length} are right, and ${open} left open. In ${misnamed} recordings, something else than gaze was then called
\`gaze_x\`, \`gaze_y\`: values overruled that name in each.

| recording | read | first reason, with what the columns hold |
|---|---|---|
${rows.join('\n')}

${publicPart}`
}

describe('columns called c1 to cn, in random order, are told by their values', () => {
  const readAll = async (seed: number) => {
    const found: (Reading & { name: string })[] = []
    for (const [i, plan] of PLANS.entries())
      found.push({ name: plan.name, ...(await readNameless(plan, seed + i + 1)) })
    expect(found.filter(({ outcome }) => outcome !== '' && outcome !== '?')).toEqual([])
    const open = found.filter(({ outcome }) => outcome === '?').length
    expect(open).toBeLessThanOrEqual(PLANS.length / 10)
    return { found, open }
  }

  test.each(SEEDS.slice(1))(
    'in nine of ten recordings, and never wrongly, from seed %i',
    async (seed) => {
      await readAll(seed)
    },
    300_000,
  )

  test('in nine of ten recordings, and never wrongly', async () => {
    expect(PLANS.length).toBeGreaterThanOrEqual(30)
    const { found, open } = await readAll(SEEDS[0])
    const taken = []
    for (const [i, plan] of PLANS.entries()) taken.push(await takesGazeFromDecoy(plan, i + 1))
    const misnamed = taken.filter((one) => one !== null)
    expect(misnamed).not.toContain(false)
    const rows = found.map(({ name, outcome, reason }) => `| ${name} | ${outcome || 'right'} | ${reason} |`)
    const page = pageOf(rows, open, misnamed.length)
    await expect(page).toMatchFileSnapshot(PAGE)
  }, 300_000)

  test.each(HARD_PLANS)(
    'or left open: $name',
    async (plan) => {
      for (const seed of SEEDS) expect(['', '?']).toContain((await readNameless(plan, seed + 5)).outcome)
    },
    120_000,
  )
})
