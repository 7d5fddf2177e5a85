import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createTextFile } from '../files/text-file.ts'
import { type SampleColumns, uuidWords, writeSamples } from '../import/samples-parquet.ts'
import { ServiceError } from '../model/errors.ts'
import { assumeTheRest } from './assume.ts'
import { type Batch, makeBatch } from './batch.ts'
import type { Draft } from './draft.ts'
import { nameUuid } from './name-uuid.ts'
import { openSpool, type Spool } from './spool.ts'

export type BundleCounts = {
  studyId: string
  participants: number
  items: number
  tests: number
  samples: number
  /** Samples without gaze. */
  lostSamples: number
}

/** What the samples of each test say, gathered on their way in; index as in the draft's tests. */
type TestTallies = { samples: number; lost: number; firstMs: Float64Array; lastMs: Float64Array; counts: Float64Array }

const DAY_MS = 86_400_000

/**
 * Writes a draft and its samples as a bundle (SPEC section 2). The same draft and samples give the same bytes.
 *
 * @param directory absolute, made if it is not there; the caller removes it when this throws
 * @param batches of the reader that makes the draft; the draft is complete when they end
 * @param formatTitle for conversion.json, which keeps what was assumed with the data
 * @throws ServiceError invalid_bundle when there is no recording in the files, or a time that cannot be, canceled, disk_full
 */
export async function writeBundle({
  directory,
  draft,
  batches,
  formatTitle,
  memoryMib,
  onSamples,
  signal,
}: {
  directory: string
  draft: Draft
  batches: AsyncIterable<Batch>
  formatTitle: string
  memoryMib: number
  onSamples?: (samples: number) => void
  signal?: AbortSignal
}): Promise<BundleCounts> {
  mkdirSync(directory, { recursive: true })
  const spool = openSpool(join(directory, 'samples.spool'))
  try {
    const tallies = await spoolBatches(spool, batches, draft, onSamples, signal)
    if (draft.tests.length === 0)
      throw new ServiceError('invalid_bundle', `no recording was found in the files (${formatTitle})`)
    checkTimes(draft, tallies)
    assumeTheRest(draft)
    const ids = makeIds(draft)
    writeStudy(directory, draft, ids)
    writeParticipants(directory, draft, ids)
    writeTests(directory, draft, ids)
    await writeSamples({
      directory,
      path: join(directory, 'samples.parquet'),
      memoryMib,
      fill: unspool(spool, draft, ids.tests, signal),
    })
    const counts = {
      studyId: ids.study,
      participants: draft.participants.length,
      items: draft.items.length,
      tests: draft.tests.length,
      samples: tallies.samples,
      lostSamples: tallies.lost,
    }
    writeConversion(directory, draft, formatTitle, counts)
    return counts
  } catch (error) {
    // Node's and DuckDB's words for it.
    if (!/ENOSPC|No space left|disk (is )?full/i.test(String(error))) throw error
    throw new ServiceError('disk_full', 'there is no space left on the disk', { cause: error })
  } finally {
    spool.close()
  }
}

async function spoolBatches(
  spool: Spool,
  batches: AsyncIterable<Batch>,
  draft: Draft,
  onSamples?: (samples: number) => void,
  signal?: AbortSignal,
): Promise<TestTallies> {
  const tallies: TestTallies = {
    samples: 0,
    lost: 0,
    firstMs: new Float64Array(64).fill(Number.POSITIVE_INFINITY),
    lastMs: new Float64Array(64).fill(Number.NEGATIVE_INFINITY),
    counts: new Float64Array(64),
  }
  for await (const batch of batches) {
    if (signal?.aborted) throw new ServiceError('canceled', 'the conversion was canceled')
    growTallies(tallies, draft.tests.length)
    const { firstMs, lastMs, counts } = tallies
    const { n, test, tMs, gazeXPx, gazeYPx } = batch
    let lost = 0
    for (let i = 0; i < n; i++) {
      const index = test[i]
      const t = tMs[i]
      if (t < firstMs[index]) firstMs[index] = t
      if (t > lastMs[index]) lastMs[index] = t
      counts[index]++
      if (gazeXPx[i] - gazeXPx[i] === 0 && gazeYPx[i] - gazeYPx[i] === 0) continue
      gazeXPx[i] = Number.NaN
      gazeYPx[i] = Number.NaN
      lost++
    }
    tallies.samples += n
    tallies.lost += lost
    spool.write(batch)
    onSamples?.(tallies.samples)
  }
  growTallies(tallies, draft.tests.length)
  return tallies
}

function growTallies(tallies: TestTallies, tests: number): void {
  if (tests <= tallies.counts.length) return
  const size = Math.max(tests, 2 * tallies.counts.length)
  const grown = (from: Float64Array, filler: number) => {
    const to = new Float64Array(size).fill(filler)
    to.set(from)
    return to
  }
  tallies.firstMs = grown(tallies.firstMs, Number.POSITIVE_INFINITY)
  tallies.lastMs = grown(tallies.lastMs, Number.NEGATIVE_INFINITY)
  tallies.counts = grown(tallies.counts, 0)
}

/** A wrong unit shows here first. */
function checkTimes(draft: Draft, { firstMs, lastMs, counts }: TestTallies): void {
  for (const [index, { onsetMs, item, participant }] of draft.tests.entries()) {
    if (counts[index] === 0) continue
    const [first, last] = [firstMs[index] - onsetMs, lastMs[index] - onsetMs]
    if (first >= -DAY_MS && last <= DAY_MS) continue
    const who = `${draft.participants[participant].key} at ${draft.items[item].key}`
    throw new ServiceError(
      'invalid_bundle',
      `the samples of ${who} lie from ${Math.round(first / 1000)} to ${Math.round(last / 1000)} s after the item's onset, which is more than a day: is the unit or the origin of the times right?`,
    )
  }
}

type Ids = { study: string; participants: string[]; items: string[]; tests: string[] }

/**
 * Ids that the files have are kept; the others are made from names, within the study. A study without an id has one made of its
 * name and of all that is in it, so that two labs' `gaze.csv` are two studies.
 */
function makeIds(draft: Draft): Ids {
  const { participants, items, tests } = draft
  const study =
    draft.studyId ??
    nameUuid('study', draft.studyName, ...[...participants.map(({ key }) => key), '', ...items.map(({ key }) => key)])
  const seen = new Map<string, number>()
  return {
    study,
    participants: participants.map(({ id, key }) => id ?? nameUuid(study, 'participant', key)),
    items: items.map(({ id, key }) => id ?? nameUuid(study, 'item', key)),
    tests: tests.map(({ id, participant, item }) => {
      const pair = JSON.stringify([participants[participant].key, items[item].key])
      const look = seen.get(pair) ?? 0
      seen.set(pair, look + 1)
      return id ?? nameUuid(study, 'test', participants[participant].key, items[item].key, String(look))
    }),
  }
}

/** The flow is not in any of these files, so there are no steps, and items keep the order that they have here. */
function writeStudy(directory: string, draft: Draft, ids: Ids): void {
  const study = {
    id: ids.study,
    name: draft.studyName,
    isServiceBasicSurveyEnabled: false,
    steps: [],
    items: draft.items.map(({ filename, cdnUrl, stimuliDurationMs, widthPx, heightPx }, i) => ({
      id: ids.items[i],
      filename,
      cdnUrl,
      type: 'images',
      stimuliDurationMs,
      widthPx,
      heightPx,
    })),
    aois: draft.aois.map(({ id, item, name, parts }, i) => ({
      id: id ?? nameUuid(ids.study, 'aoi', draft.items[item].key, name, String(i)),
      itemId: ids.items[item],
      name,
      parts,
    })),
  }
  writeFileSync(join(directory, 'study.json'), `${JSON.stringify(study, null, 2)}\n`)
}

type Cell = string | number | boolean | null

function csvRow(cells: Cell[]): string {
  const quoted = cells.map((cell) => {
    const text = cell === null ? '' : String(cell)
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
  })
  return `${quoted.join(',')}\n`
}

function writeParticipants(directory: string, { participants }: Draft, ids: Ids): void {
  const file = createTextFile(
    join(directory, 'participants.csv'),
    'participant_id,external_id,created_at,display_name,age,gender,display_gender,quality_grade,is_completed,notes\n',
  )
  try {
    for (const [i, one] of participants.entries()) {
      const { externalId, createdAt, displayName, age, gender, displayGender, qualityGrade, isCompleted, notes } = one
      const facts = [externalId, createdAt, displayName, age, gender, displayGender, qualityGrade, isCompleted, notes]
      file.write(csvRow([ids.participants[i], ...facts]))
    }
  } finally {
    file.close()
  }
}

function writeTests(directory: string, { tests }: Draft, ids: Ids): void {
  const file = createTextFile(
    join(directory, 'tests.csv'),
    'test_id,participant_id,item_id,created_at,display_order,duration_ms,finished_on_key,has_finished_on_click,click_count,quality_grade_item,browser_width_px,browser_height_px,item_display_left_px,item_display_top_px,item_display_width_px,item_display_height_px,notes\n',
  )
  try {
    for (const [i, test] of tests.entries()) {
      const { leftPx, topPx, widthPx, heightPx } = test.display ?? {}
      const place = [leftPx, topPx, widthPx, heightPx].map((value) => value ?? null)
      const window = [test.windowWidthPx, test.windowHeightPx]
      const keys = [ids.tests[i], ids.participants[test.participant], ids.items[test.item]]
      const end = [test.finishedOnKey, test.hasFinishedOnClick, null, test.qualityGradeItem]
      file.write(
        csvRow([...keys, test.createdAt, test.displayOrder, test.durationMs, ...end, ...window, ...place, test.notes]),
      )
    }
  } finally {
    file.close()
  }
}

/** Hands spooled rows to the Parquet writer, with their test's id and from its onset. */
function unspool(
  spool: Spool,
  { tests }: Draft,
  testIds: string[],
  signal?: AbortSignal,
): (columns: SampleColumns, wanted: number) => number {
  const words = new Uint32Array(4 * tests.length)
  for (const [i, id] of testIds.entries()) words.set(uuidWords(id), 4 * i)
  const onsets = Float64Array.from(tests, ({ onsetMs }) => onsetMs)
  const batch = makeBatch()
  let at = 0
  return (columns, wanted) => {
    if (signal?.aborted) throw new ServiceError('canceled', 'the conversion was canceled')
    if (at === batch.n) {
      if (!spool.read(batch)) return 0
      at = 0
    }
    const n = Math.min(wanted, batch.n - at)
    for (let i = 0; i < n; i++) {
      const test = batch.test[at + i]
      columns.testId[4 * i] = words[4 * test]
      columns.testId[4 * i + 1] = words[4 * test + 1]
      columns.testId[4 * i + 2] = words[4 * test + 2]
      columns.testId[4 * i + 3] = words[4 * test + 3]
      // Whole µs, as import keeps them: a difference of two clocks has more digits than it means.
      columns.tMs[i] = Math.floor((batch.tMs[at + i] - onsets[test]) * 1000 + 0.5) / 1000
    }
    columns.gazeXPx.set(batch.gazeXPx.subarray(at, at + n))
    columns.gazeYPx.set(batch.gazeYPx.subarray(at, at + n))
    columns.scrollYPx.set(batch.scrollYPx.subarray(at, at + n))
    columns.mouseXPx.set(batch.mouseXPx.subarray(at, at + n))
    columns.mouseYPx.set(batch.mouseYPx.subarray(at, at + n))
    columns.isClick.set(batch.isClick.subarray(at, at + n))
    at += n
    return n
  }
}

function writeConversion(directory: string, { notes }: Draft, format: string, counts: BundleCounts): void {
  const left = [...notes.left].map(([what, count]) => ({ what, count }))
  const conversion = { format, counts, left, assumed: [...notes.assumed] }
  writeFileSync(join(directory, 'conversion.json'), `${JSON.stringify(conversion, null, 2)}\n`)
}
