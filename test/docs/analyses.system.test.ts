import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { importBundle } from '../../engine/import/import-bundle.ts'
import { BIN } from '../bin/gazette.ts'
import {
  participant,
  type Row,
  samplesOf,
  smallBundle,
  test as testRow,
  uuid,
  writeBundle,
} from '../engine/import/bundles.ts'
import { kept, keptDirectory } from '../engine/kept.ts'
import { openTestServer } from '../server/test-server.ts'

/** Commands and requests of the pages about analyses and their exports, on a study that has what they name. */
const PAGES = ['analysis', 'filter', 'looks', 'microsaccades', 'pupils', 'reading', 'scanpaths']
const LINES = PAGES.flatMap((page) => {
  const text = readFileSync(new URL(`../../docs/${page}.md`, import.meta.url), 'utf8')
  const blocks = [...text.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, block]) => block.replaceAll('\\\n', ' '))
  const lines = blocks.flatMap((block) => block.trim().split('\n'))
  return lines.filter((line) => /^npx gazette (analyse|export) |^curl -f -G /.test(line)).map((line) => [page, line])
})

const FILES = ['a.png', 'b.png', 'poster.png']
const aoi = (n: number, itemN: number, name: string, left: number) => ({
  id: uuid('a', n),
  itemId: uuid('1', itemN),
  name,
  parts: [{ areaPoints: { topLeft: { xPx: left, yPx: 0 }, bottomRight: { xPx: left + 300, yPx: 500 } } }],
})
const AOIS = [
  ...[aoi(1, 1, 'Target', 0), aoi(2, 1, 'Distractor', 400), aoi(3, 2, 'Target', 0), aoi(4, 2, 'Distractor', 400)],
  ...[aoi(5, 3, 'Logo', 0), aoi(6, 3, 'Headline', 300), aoi(7, 3, 'Price', 600)],
]
const PEOPLE = 8

/** Gaze of both eyes at 500 Hz that rests in one place after another, with pupil sizes. */
function gazeAt(who: number, i: number): Row {
  const x = String(50 + ((Math.floor(i / 60) + who) % 3) * 300 + (i % 3))
  const eyes = ['left', 'right'].flatMap((eye) => [
    [`${eye}_gaze_x_px`, x],
    [`${eye}_gaze_y_px`, '300'],
    [`${eye}_pupil`, String(3 + ((i + who) % 10) / 100)],
  ])
  return { t_ms: String(2 * i), gaze_x_px: x, gaze_y_px: '300', ...Object.fromEntries(eyes) }
}
const service = kept(await openTestServer())
const directory = await keptDirectory()
const { study } = smallBundle()
const [item] = study.items
const people = Array.from({ length: PEOPLE }, (_, p) => p + 1)
const tests = people.flatMap((p) => FILES.map((_, f) => testRow(3 * p + f, p, f + 1, { duration_ms: '600' })))
const bundle = await writeBundle(join(directory, 'bundle'), {
  study: {
    ...study,
    items: FILES.map((filename, f) => ({ ...item, id: uuid('1', f + 1), filename })),
    aois: AOIS,
    recording: { pupilUnit: 'mm' },
  },
  participants: people.map((p) => participant(p, { age: String(32 + 2 * p) })),
  tests,
  samples: tests.flatMap(({ test_id }, t) => samplesOf(test_id, 300, (i) => gazeAt(Math.floor(t / 3), i))),
  events: tests.flatMap(({ test_id }) =>
    ['word onset', 'stimulus on'].map((name) => ({ test_id, t_ms: '200', name, value: '' })),
  ),
})
const options = { append: false, dryRun: false, now: new Date('2024-06-01T00:00:00Z'), threads: 1, memoryMib: 256 }
const { studyId } = await importBundle({ dataDir: service.dataDir, directory: bundle, ...options })
const env = {
  ...{ PATH: process.env.PATH, HOME: process.env.HOME, DATA_DIR: service.dataDir },
  ...{ BASE: service.url, TOKEN: service.ops, STUDY: studyId, ITEM: uuid('1', 3) },
  ...{ LOGO: uuid('a', 5), HEADLINE: uuid('a', 6) },
}

test('every page has a command and a request', () => {
  for (const page of PAGES.filter((name) => name !== 'analysis')) {
    const own = LINES.filter(([of]) => of === page).map(([, line]) => line.split(' ')[0])
    expect([page, ...new Set(own)].sort()).toEqual([page, 'curl', 'npx'].sort())
  }
})

test.each(LINES)('%s: %s', async (_, line) => {
  // The table or JSON itself, also of lines that write a file.
  const script = `npx() { shift; "${process.execPath}" "${BIN}" "$@"; }\n${line.replace(/ > \S+$/, '')}`
  const { stdout } = await promisify(execFile)('bash', ['--norc', '-c', script], {
    env,
    cwd: directory,
    maxBuffer: 2 ** 28,
  })
  expect(stdout.length).toBeGreaterThan(100)
  expect(stdout).not.toMatch(/\bNaN\b|Infinity/)
})
