import { BATCH_ROWS, type Batch, makeBatch } from './batch.ts'
import { addTest, type Draft, itemOf, nextDisplayOrder, noteAssumed, noteLeft, participantOf } from './draft.ts'
import { stemOf } from './file-names.ts'
import { readJsonObjects } from './json-objects.ts'
import type { Reader, Screen } from './reader.ts'
import { cellText, openRows } from './rows.ts'
import { needScreen } from './screen.ts'
import type { SourceFile } from './source-files.ts'
import { columnIn, tableHead } from './table.ts'

/**
 * jsPsych's data with its webgazer extension, as JSON or CSV: each trial that has `webgazer_data` is a test, an array of `{x, y, t}` in px
 * of the browser's window from its upper left, and ms since the trial's start. Its item is its stimulus. The window's size comes from
 * a browser-check trial, or from `--screen`.
 */
export const jspsych: Reader = {
  name: 'jspsych',
  title: 'jsPsych with WebGazer',
  recognises: (file) =>
    columnIn(tableHead(file)?.header ?? [], 'webgazer_data') >= 0 ||
    (/^\s*[[{]/.test(file.head) &&
      (/"webgazer_data"/.test(file.head) || /"trial_type"\s*:\s*"webgazer-/.test(file.head))),
  async *read(files, _all, draft, { screen }) {
    const batch = makeBatch()
    for (const file of files) {
      const run: Run = { file, screen: null, given: screen, lastIndex: -1, runs: 1 }
      const header = tableHead(file)?.header ?? []
      const trials = columnIn(header, 'webgazer_data') >= 0 ? csvTrials(file, header, draft) : jsonTrials(file, draft)
      for await (const trial of trials) yield* readTrial(trial, run, draft, batch)
    }
    if (batch.n > 0) yield batch
  },
}

type TrialData = Record<string, unknown>
type Run = { file: SourceFile; screen: Screen | null; given: Screen | null; lastIndex: number; runs: number }

/** Where experiments keep who somebody is. */
const PARTICIPANT_FIELDS = [
  'participant_id',
  'participant',
  'subject_id',
  'subject',
  'PROLIFIC_PID',
  'prolific_pid',
  'prolific_id',
  'workerId',
  'worker_id',
  'ppt',
  'run_id',
]

async function* jsonTrials(file: SourceFile, draft: Draft): AsyncGenerator<TrialData> {
  for await (const { value, isCut } of readJsonObjects(file)) {
    if (isCut) noteLeft(draft, `the last trial of ${file.name}, where the file ends in the middle of it`)
    else if (value === null || typeof value !== 'object') noteLeft(draft, `objects of ${file.name} that are no JSON`, 1)
    else if (Array.isArray((value as TrialData).trials)) yield* (value as { trials: TrialData[] }).trials
    else yield value as TrialData
  }
}

async function* csvTrials(file: SourceFile, header: string[], draft: Draft): AsyncGenerator<TrialData> {
  const rows = openRows(file, tableHead(file)!.separator, draft)
  await rows.more()
  rows.next()
  rows.width = header.length
  do {
    while (rows.next()) yield Object.fromEntries(header.map((name, cell) => [name, cellText(rows, cell)]))
  } while (await rows.more())
}

async function* readTrial(trial: TrialData, run: Run, draft: Draft, batch: Batch): AsyncGenerator<Batch> {
  const { file } = run
  const index = Number(trial.trial_index)
  // Results of several people may stand in one file, one after the other.
  if (index <= run.lastIndex) run.runs++
  run.lastIndex = Number.isNaN(index) ? run.lastIndex : index
  if (trial.trial_type === 'browser-check') {
    const [widthPx, heightPx] = [Number(trial.width), Number(trial.height)]
    if (widthPx >= 1 && heightPx >= 1) run.screen = { widthPx, heightPx }
  }
  const samples = samplesOf(trial.webgazer_data)
  if (samples === null) {
    if (trial.webgazer_data) noteLeft(draft, `trials of ${file.name} whose webgazer_data cannot be read`, 1)
    return
  }
  const window = needScreen(run.screen, run.given, file.name, draft)
  const field = PARTICIPANT_FIELDS.find(
    (name) => trial[name] !== undefined && trial[name] !== '' && trial[name] !== null,
  )
  const name = field ? String(trial[field]) : stemOf(file.name) + (run.runs > 1 ? ` (${run.runs})` : '')
  if (!field) noteAssumed(draft, `${file.name} names no participant: they are called as the file`)
  const participant = participantOf(draft, name)
  const test = addTest(draft, participant, itemOf(draft, itemName(trial)), {
    displayOrder: nextDisplayOrder(draft, participant),
    windowWidthPx: window.widthPx,
    windowHeightPx: window.heightPx,
  })
  if (Object.keys(trial.webgazer_targets ?? {}).length > 0 && trial.webgazer_targets !== '{}')
    noteLeft(draft, 'webgazer_targets: they lie elsewhere in each window, and AOIs are of the item')
  for (const { x, y, t } of samples) {
    const tMs = numberOf(t)
    if (Number.isNaN(tMs)) continue
    const i = batch.n++
    batch.test[i] = test
    batch.tMs[i] = tMs
    batch.gazeXPx[i] = numberOf(x)
    batch.gazeYPx[i] = numberOf(y)
    if (batch.n === BATCH_ROWS) {
      yield batch
      batch.n = 0
    }
  }
}

type GivenSample = { x?: unknown; y?: unknown; t?: unknown }

function samplesOf(data: unknown): GivenSample[] | null {
  let list = data
  if (typeof data === 'string') {
    try {
      list = JSON.parse(data)
    } catch {
      return null
    }
  }
  return Array.isArray(list) ? list.filter((one) => one !== null && typeof one === 'object') : null
}

function numberOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : Number.NaN
}

/** The stimulus if it is a file's name or a piece of HTML with one picture in it, else the trial's place. */
function itemName(trial: TrialData): string {
  const { stimulus } = trial
  if (typeof stimulus === 'string' && stimulus !== '') {
    const picture = /<img[^>]*\ssrc\s*=\s*["']?([^"'\s>]+)/i.exec(stimulus)
    if (picture) return picture[1]
    const text = stimulus
      .replace(/<[^>]*>/g, ' ')
      .replace(/\s+/g, ' ')
      .trim()
    if (text !== '' && text.length <= 200) return text
  }
  return `${String(trial.trial_type || 'trial')} ${String(trial.trial_index ?? '')}`.trim()
}
