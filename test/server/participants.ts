import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'

/** Participants as requests send them, made of a number alone. */

const hex = (text: string) => createHash('sha256').update(text).digest('hex')

export function idOf(text: string): string {
  const h = hex(text)
  return `${h.slice(0, 8)}-${h.slice(8, 12)}-4${h.slice(13, 16)}-8${h.slice(17, 20)}-${h.slice(20, 32)}`
}

export type Sent = {
  participant: Record<string, unknown>
  tests: (Record<string, unknown> & { samples: Record<string, (number | boolean | null)[]> })[]
}

/** Returns a participant who saw some items, with some samples at 30 Hz; each call returns another one. */
export function participantOf(n: number, itemIds: string[], samplesEach = 40): Sent {
  const noise = (k: number) => ((Math.imul(k + 1, 2654435761) ^ Math.imul(n + 7, 40503)) >>> 0) / 2 ** 32
  return {
    participant: {
      participant_id: idOf(`participant ${n}`),
      external_id: `live-${n}`,
      // Not in the order of numbers.
      created_at: `2024-06-0${1 + (n % 9)}T10:${String(n % 60).padStart(2, '0')}:00+02:00`,
      age: 20 + (n % 50),
      gender: n % 3,
      is_completed: n % 4 > 0,
    },
    tests: itemIds.map((itemId, i) => ({
      test_id: idOf(`test ${n} ${i}`),
      item_id: itemId,
      created_at: `2024-06-01T10:00:0${i}Z`,
      display_order: i + 1,
      duration_ms: Math.round((samplesEach * 1000) / 30),
      browser_width_px: 1000,
      browser_height_px: 800,
      samples: {
        t_ms: Array.from({ length: samplesEach }, (_, k) => Math.round((k * 1000) / 30)),
        gaze_x_px: Array.from({ length: samplesEach }, (_, k) =>
          k % 17 === 3 ? null : Math.round(1e4 * (400 + 30 * noise(k + 100 * i))) / 1e4,
        ),
        gaze_y_px: Array.from({ length: samplesEach }, (_, k) =>
          k % 17 === 3 ? null : Math.round(1e4 * (300 + 30 * noise(k + 100 * i + 50))) / 1e4,
        ),
        is_click: Array.from({ length: samplesEach }, (_, k) => k === 30 && n % 2 === 0),
      },
    })),
  }
}

/** The same participants as the tables of a bundle. */
export function bundleTables(sent: Sent[]) {
  const text = (row: Record<string, unknown>) =>
    Object.fromEntries(Object.entries(row).map(([name, value]) => [name, value === null ? '' : String(value)]))
  return {
    participants: sent.map(({ participant }) => text(participant)),
    tests: sent.flatMap(({ participant, tests }) =>
      tests.map(({ samples: _, ...test }) => text({ ...test, participant_id: participant.participant_id })),
    ),
    samples: sent.flatMap(({ tests }) =>
      tests.flatMap(({ test_id, samples }) =>
        samples.t_ms.map((_, k) =>
          text({ test_id, ...Object.fromEntries(Object.entries(samples).map(([name, values]) => [name, values[k]])) }),
        ),
      ),
    ),
  }
}

/** A participant as NDJSON, a line for each sample. */
export function asLines({ participant, tests }: Sent): string {
  const lines: unknown[] = [{ participant }]
  for (const { samples, ...test } of tests) {
    lines.push({ test })
    for (const k of samples.t_ms.keys())
      lines.push({ sample: Object.fromEntries(Object.entries(samples).map(([name, values]) => [name, values[k]])) })
  }
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('')
}

export const zipped = (text: string | Buffer) => gzipSync(text)
