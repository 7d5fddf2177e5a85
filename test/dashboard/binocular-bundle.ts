import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { participant, smallBundle, test as testRow, uuid, writeBundle } from '../engine/import/bundles.ts'

export const BINOCULAR_ITEM = uuid('1', 1)
const PEOPLE = [1, 2, 3, 4]
const SAMPLES = 500

/** Noise of period 8 samples, and a jump of 10 px to the right within 5 samples, from each start on. */
const wave = (i: number) => 1 - Math.abs((i % 8) - 4) / 4
const jumps = (i: number, starts: number[]) =>
  starts.reduce((sum, start) => sum + 2 * Math.min(5, Math.max(0, i - start)), 0)

/** Four participants with both eyes at 500 Hz for a second; the nth makes n microsaccades of 0.6°. */
export async function binocularBundle(): Promise<string> {
  const { study } = smallBundle()
  const tests = PEOPLE.map((n) => testRow(n, n, 1, { duration_ms: '1000' }))
  const samples = tests.flatMap(({ test_id }, p) => {
    const starts = Array.from({ length: p + 1 }, (_, k) => 60 + 100 * k)
    return Array.from({ length: SAMPLES }, (_, i) => {
      const [x, y] = [String(400 + wave(i) + jumps(i, starts)), String(300 + wave(i))]
      return {
        ...{ test_id, t_ms: String(2 * i), gaze_x_px: x, gaze_y_px: y },
        ...{ left_gaze_x_px: x, left_gaze_y_px: y, right_gaze_x_px: x, right_gaze_y_px: y },
      }
    })
  })
  return writeBundle(join(await mkdtemp(join(tmpdir(), 'gazette-binocular-')), 'bundle'), {
    study: {
      ...study,
      id: uuid('e', 2),
      items: study.items.slice(0, 1).map((item: object) => ({ ...item, stimuliDurationMs: null })),
      aois: [],
      // 1 px is 1 mm, 1 m away: 0.0573°.
      recording: {
        ...{ screenWidthPx: 1000, screenHeightPx: 1000, screenWidthCm: 100, screenHeightCm: 100 },
        viewingDistanceCm: 100,
      },
    },
    participants: PEOPLE.map((n) => participant(n, { age: String(20 + 10 * (n % 2)), external_id: `P${n}` })),
    tests,
    samples,
  })
}
