import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { participant, smallBundle, test as testRow, uuid, writeBundle } from '../engine/import/bundles.ts'

export const PUPIL_ITEM = uuid('1', 1)
export const PUPIL_PEOPLE = [1, 2, 3, 4]
const HZ = 50

/** Four participants whose pupils grow by their number from onset on, blink once, and see an event at 500 ms. */
export async function pupilBundle(): Promise<string> {
  const { study } = smallBundle()
  const tests = PUPIL_PEOPLE.map((n) => testRow(n, n, 1, { duration_ms: '2000' }))
  const samples = tests.flatMap(({ test_id }, p) =>
    Array.from({ length: 2 * HZ }, (_, i) => {
      const isClosed = i > 40 && i < 50
      const size = (offset: number) => (isClosed ? '' : (3 + offset + ((p + 1) * i) / 500 + (i % 3) / 100).toFixed(3))
      return {
        test_id,
        t_ms: String((i * 1000) / HZ),
        gaze_x_px: String(400 + i),
        gaze_y_px: '300',
        left_gaze_x_px: String(399 + i),
        left_gaze_y_px: '300',
        right_gaze_x_px: String(401 + i),
        right_gaze_y_px: '300',
        left_pupil: size(0),
        right_pupil: size(0.2),
      }
    }),
  )
  return writeBundle(join(await mkdtemp(join(tmpdir(), 'gazette-pupils-')), 'bundle'), {
    study: {
      ...study,
      items: study.items.slice(0, 1).map((item: object) => ({ ...item, stimuliDurationMs: null })),
      aois: [],
      recording: { pupilUnit: 'mm' },
    },
    participants: PUPIL_PEOPLE.map((n) => participant(n, { age: String(20 + 10 * (n % 2)), external_id: `P${n}` })),
    tests,
    samples,
    events: tests.map(({ test_id }) => ({ test_id, t_ms: '500', name: 'cue', value: '' })),
  })
}
