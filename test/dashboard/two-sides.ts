import { mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type Bundle,
  participant,
  type Row,
  samplesOf,
  smallBundle,
  test as testRow,
  uuid,
  writeBundle,
} from '../engine/import/bundles.ts'

/** The item is 1000 × 500 px, and stood at the upper left of the window in that size. */
const DISPLAY: Row = {
  duration_ms: '1000',
  item_display_left_px: '0',
  item_display_top_px: '0',
  item_display_width_px: '1000',
  item_display_height_px: '500',
}
const SAMPLES = 60
export const ITEM_ID = uuid('1', 1)
export const LEFT = 'participant_age < 40'
export const RIGHT = 'participant_age >= 40'

/**
 * Participants: age, and how many of 60 samples in a second are at 25 % of the width before the others at 75 %; or that
 * their test has no sample, or none with gaze from onset on. `samples` is less than 60 if the test ends early.
 */
export type Looker = { age: number; left: number | 'none' | 'lost'; samples?: number }

/** Three who look left most of the time, and one who looks right. */
export const LOOKERS: Looker[] = [
  { age: 20, left: 45 },
  { age: 21, left: 45 },
  { age: 22, left: 45 },
  { age: 60, left: 15 },
]

/** Returns a bundle of one item with an AOI for each half, seen by some. */
export function twoSides(lookers: Looker[]): Bundle {
  const { study } = smallBundle()
  const half = (n: number, name: string, xPx: number) => ({
    id: uuid('a', n),
    itemId: ITEM_ID,
    name,
    parts: [{ areaPoints: { topLeft: { xPx, yPx: 0 }, bottomRight: { xPx: xPx + 500, yPx: 500 } } }],
  })
  const people = lookers.map(({ age }, i) => participant(i + 1, { age: String(age), external_id: `P${i + 1}` }))
  return {
    study: {
      ...study,
      name: 'Two sides',
      items: study.items.slice(0, 1),
      aois: [half(1, 'Left half', 0), half(2, 'Right half', 500)],
    },
    participants: people,
    tests: lookers.map(({ samples = SAMPLES }, i) =>
      testRow(i + 1, i + 1, 1, { ...DISPLAY, duration_ms: ((samples * 1000) / SAMPLES).toFixed(0) }),
    ),
    samples: lookers.flatMap(({ left, samples = SAMPLES }, i) =>
      left === 'none' ? [] : samplesOf(uuid('c', i + 1), samples, left === 'lost' ? lostAt : (at) => gazeAt(at < left)),
    ),
  }
}

function gazeAt(isLeft: boolean): Row {
  return { gaze_x_px: isLeft ? '250' : '750', gaze_y_px: '250' }
}

/** The first sample has gaze, before onset. */
function lostAt(at: number): Row {
  return at === 0 ? { ...gazeAt(true), t_ms: '-10' } : { gaze_x_px: '', gaze_y_px: '' }
}

/** Writes such a bundle into a temporary directory. */
export async function twoSidesBundle(lookers = LOOKERS): Promise<string> {
  return writeBundle(await mkdtemp(join(tmpdir(), 'gazette-sides-')), twoSides(lookers))
}

/**
 * Writes a bundle with a third AOI inside the left half, around all that is looked at there, and with tests that end
 * early.
 */
export async function nestedBundle(): Promise<string> {
  const bundle = twoSides(LOOKERS.map((looker, i) => ({ ...looker, samples: i === 0 ? 60 : 40 })))
  bundle.study.aois.push({
    id: uuid('a', 3),
    itemId: ITEM_ID,
    name: 'Spot',
    parts: [{ areaPoints: { topLeft: { xPx: 200, yPx: 200 }, bottomRight: { xPx: 300, yPx: 300 } } }],
  })
  return writeBundle(await mkdtemp(join(tmpdir(), 'gazette-nested-')), bundle)
}

/** Returns a picture of a size, red on the left and blue on the right. */
export function pictureSvg(widthPx: number, heightPx: number): string {
  const half = widthPx / 2
  const side = (x: number, fill: string) => `<rect x="${x}" width="${half}" height="${heightPx}" fill="${fill}"/>`
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${widthPx}" height="${heightPx}">${side(0, '#f00')}${side(half, '#00f')}</svg>`
}

/**
 * Writes a bundle whose item has no size, seen in a window of 1000 × 1000 px, without AOIs; with a picture, if one is
 * given.
 */
export async function unsizedBundle(picture: string | null = null): Promise<string> {
  const bundle = twoSides(LOOKERS)
  const [item] = bundle.study.items
  bundle.study.items = [{ ...item, filename: 'item-1.svg', widthPx: null, heightPx: null }]
  bundle.study.aois = []
  bundle.tests = LOOKERS.map((_, i) => testRow(i + 1, i + 1, 1, { duration_ms: '1000' }))
  const directory = await writeBundle(await mkdtemp(join(tmpdir(), 'gazette-unsized-')), bundle)
  if (picture === null) return directory
  await mkdir(join(directory, 'images'))
  await writeFile(join(directory, 'images', 'item-1.svg'), picture)
  return directory
}
