import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { importBundle } from '../../../engine/import/import-bundle.ts'
import type { ImportOptions, ImportResult } from '../../../engine/import/import-options.ts'
import { EYE_NAMES } from '../../../engine/model/eye-columns.ts'

/** Real study bundles in temporary directories. */
export type Row = Record<string, string>
export type Bundle = {
  // biome-ignore lint/suspicious/noExplicitAny: tests put wrong things into it on purpose
  study: any
  participants: Row[]
  tests: Row[]
  samples: Row[]
  events?: Row[]
}

export const PARTICIPANT_COLUMNS =
  'participant_id,external_id,created_at,display_name,age,gender,display_gender,quality_grade,is_completed,notes'.split(
    ',',
  )
export const TEST_COLUMNS =
  'test_id,participant_id,item_id,created_at,display_order,duration_ms,finished_on_key,has_finished_on_click,click_count,quality_grade_item,browser_width_px,browser_height_px,item_display_left_px,item_display_top_px,item_display_width_px,item_display_height_px,notes'.split(
    ',',
  )
export const SAMPLE_COLUMNS = 'test_id,t_ms,gaze_x_px,gaze_y_px,scroll_y_px,mouse_x_px,mouse_y_px,is_click'.split(',')

/** `uuid('a', 1)` is an id that is easy to tell from others. */
export function uuid(kind: string, n: number): string {
  return `${kind.repeat(8)}-0000-4000-8000-${String(n).padStart(12, '0')}`
}

export const STUDY_ID = uuid('5', 1)

/**
 * Two items (the second not in the flow), an AOI of each form, two participants, three tests, ten samples a test at 60
 * Hz.
 */
export function smallBundle(): Bundle {
  const tests = [test(1, 1, 1), test(2, 1, 2), test(3, 2, 1)]
  return {
    study: {
      id: STUDY_ID,
      name: 'Small',
      isServiceBasicSurveyEnabled: true,
      steps: [
        { type: 'message', text: 'Hello', cta: { text: 'Go', elementType: 'button' } },
        { type: 'stimuli', stimuli: { id: uuid('1', 1), type: 'images', durationMs: 1000, isScrollingEnabled: false } },
      ],
      items: [item(1), item(2)],
      aois: [
        {
          id: uuid('a', 1),
          itemId: uuid('1', 1),
          name: 'Box',
          parts: [{ areaPoints: { topLeft: { xPx: 0, yPx: 0 }, bottomRight: { xPx: 100, yPx: 50 } } }],
        },
        {
          id: uuid('a', 2),
          itemId: uuid('1', 2),
          name: 'Triangle',
          parts: [
            {
              areaPoints: { points: [point(0, 0), point(1, 0), point(0, 1)] },
              timeRange: { fromMs: 0, toMs: 500.0004 },
            },
          ],
        },
      ],
    },
    participants: [participant(1), participant(2)],
    tests,
    samples: tests.flatMap(({ test_id }) => samplesOf(test_id, 10)),
  }
}

function item(n: number) {
  return {
    id: uuid('1', n),
    filename: `item-${n}.png`,
    cdnUrl: `https://cdn.example/item-${n}.png`,
    type: 'images',
    stimuliDurationMs: 1000,
    widthPx: 1000,
    heightPx: 500,
  }
}

function point(x: number, y: number) {
  return { x, y }
}

export function participant(n: number, given: Row = {}): Row {
  return {
    participant_id: uuid('b', n),
    external_id: `P${n}`,
    created_at: `2024-01-0${(n % 9) + 1}T10:00:00+00:00`,
    display_name: '',
    age: '',
    gender: '',
    display_gender: '',
    quality_grade: '',
    is_completed: 'true',
    notes: '',
    ...given,
  }
}

export function test(n: number, participantN: number, itemN: number, given: Row = {}): Row {
  return {
    test_id: uuid('c', n),
    participant_id: uuid('b', participantN),
    item_id: uuid('1', itemN),
    created_at: '2024-01-01T11:00:00+00:00',
    display_order: String(itemN),
    duration_ms: '150',
    finished_on_key: '',
    has_finished_on_click: 'false',
    click_count: '',
    quality_grade_item: '',
    browser_width_px: '1000',
    browser_height_px: '1000',
    item_display_left_px: '',
    item_display_top_px: '',
    item_display_width_px: '',
    item_display_height_px: '',
    notes: '',
    ...given,
  }
}

/** n samples at 60 Hz, whose x says which sample it is and whose y says which test. */
export function samplesOf(testId: string, n: number, given: (i: number) => Row = () => ({})): Row[] {
  return Array.from({ length: n }, (_, i) => ({
    test_id: testId,
    t_ms: ((i * 50) / 3).toFixed(3),
    gaze_x_px: String(i),
    gaze_y_px: String(Number(testId.slice(-4))),
    scroll_y_px: '',
    mouse_x_px: '',
    mouse_y_px: '',
    is_click: '',
    ...given(i),
  }))
}

/**
 * A bundle as a tracker's recording at 300 Hz makes it: gaze alone, lost in each blink, without AOIs; two participants
 * saw one item for `seconds`. Gaze rests and drifts in turns of 300 ms, the drift at 40 to 60 percent of the item a
 * second.
 */
export function trackerBundle(seconds: number): Bundle {
  const { study } = smallBundle()
  const durationMs = String(seconds * 1000)
  const tests = [test(1, 1, 1, { duration_ms: durationMs }), test(2, 2, 1, { duration_ms: durationMs })]
  const gaze = (i: number): Row => {
    const ms = (i * 10) / 3
    if (ms % 2000 < 120) return { t_ms: ms.toFixed(3), gaze_x_px: '', gaze_y_px: '' }
    const drift = Math.floor(ms / 600) * 150 + Math.max(0, (ms % 600) - 300) / 2
    return { t_ms: ms.toFixed(3), gaze_x_px: (100 + (drift % 800)).toFixed(2), gaze_y_px: (400 + (i % 3)).toFixed(2) }
  }
  return {
    study: { ...study, items: study.items.slice(0, 1), aois: [] },
    participants: [participant(1), participant(2)],
    tests,
    samples: tests.flatMap(({ test_id }) => samplesOf(test_id, seconds * 300, gaze)),
  }
}

export function toCsv(rows: Row[], columns: string[], eol = '\n', quoted = /[",\r\n]/): string {
  const cell = (text: string) => (quoted.test(text) ? `"${text.replaceAll('"', '""')}"` : text)
  return [columns, ...rows.map((row) => columns.map((name) => row[name] ?? ''))]
    .map((cells) => cells.map(cell).join(',') + eol)
    .join('')
}

/** Columns of participants: those of every bundle, and tags and external data that any row has. */
function participantColumnsOf(participants: Row[]): string[] {
  return [...new Set([...PARTICIPANT_COLUMNS, ...participants.flatMap((row) => Object.keys(row))])]
}

/** Columns of samples: those of every bundle, and those of eyes that any row has. */
function sampleColumnsOf(samples: Row[]): string[] {
  const given = new Set(samples.flatMap((row) => Object.keys(row)))
  return [...SAMPLE_COLUMNS, ...EYE_NAMES.filter((name) => given.has(name))]
}

/** Writes a bundle's files; what is left out of it has no file. */
export async function writeBundle(directory: string, bundle: Partial<Bundle>): Promise<string> {
  await mkdir(directory, { recursive: true })
  const { study, participants, tests, samples, events } = bundle
  const write = (name: string, text: string) => writeFile(join(directory, name), text)
  if (study) await write('study.json', JSON.stringify(study, null, 1))
  if (participants) await write('participants.csv', toCsv(participants, participantColumnsOf(participants)))
  if (tests) await write('tests.csv', toCsv(tests, TEST_COLUMNS))
  if (samples) await write('samples.csv', toCsv(samples, sampleColumnsOf(samples)))
  if (events) await write('events.csv', toCsv(events, ['test_id', 't_ms', 'name', 'value']))
  return directory
}

/** A temporary directory with a data directory and a place for bundles, and an import into it. */
export async function makeStudyFixture() {
  const root = await mkdtemp(join(tmpdir(), 'gazette-test-'))
  const dataDir = join(root, 'data')
  let count = 0
  const bundleDir = () => join(root, `bundle-${++count}`)
  const importDir = (directory: string, options: Partial<ImportOptions> = {}): Promise<ImportResult> =>
    importBundle({
      dataDir,
      directory,
      append: false,
      dryRun: false,
      now: new Date('2024-06-01T00:00:00Z'),
      threads: 2,
      memoryMib: 256,
      ...options,
    })
  return {
    root,
    dataDir,
    bundleDir,
    importDir,
    importing: async (bundle: Partial<Bundle>, options: Partial<ImportOptions> = {}) =>
      importDir(await writeBundle(bundleDir(), bundle), options),
    remove: () => rm(root, { recursive: true, force: true }),
  }
}

export type StudyFixture = Awaited<ReturnType<typeof makeStudyFixture>>

export function gzip(text: string): Buffer {
  return gzipSync(text)
}
