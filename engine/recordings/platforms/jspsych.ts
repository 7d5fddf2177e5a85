import { isMissing } from '../../../isomorphic/missing-text.ts'
import { BATCH_ROWS, type Batch, makeBatch } from '../draft/batch.ts'
import {
  addTest,
  type Draft,
  itemOf,
  nextDisplayOrder,
  noteAssumed,
  noteDoubt,
  noteLeft,
  participantOf,
} from '../draft/draft.ts'
import { addEvent, eventIn } from '../draft/draft-events.ts'
import { type KeptColumns, keepFact } from '../draft/kept-facts.ts'
import { noteRecording } from '../draft/recording-facts.ts'
import { addSeen } from '../draft/seen-messages.ts'
import { noteFirstSampleOnset } from '../reader/assumed-onset.ts'
import { nameFiles } from '../reader/name-files.ts'
import type { Reader, ReadOptions } from '../reader/reader.ts'
import { noteRunningNumbers } from '../reader/running-numbers.ts'
import { needScreen } from '../reader/screen.ts'
import { columnIn, tableHead } from '../text/foreign-table.ts'
import { readJsonObjects } from '../text/json-objects.ts'
import { numberIn } from '../text/parse-number.ts'
import type { SourceFile } from '../text/source-files.ts'
import { openTableBody } from '../text/table-body.ts'
import { cellText } from '../text/table-rows.ts'
import { displayName } from './jspsych-items.ts'
import { type TargetGaze, validationOf } from './jspsych-validations.ts'
import { bestSize, parsed, type Sized, windowSizeIn } from './jspsych-windows.ts'

/**
 * Reads the data of jsPsych's webgazer extension, as JSON or CSV: each trial with `webgazer_data` is a test, an array
 * of `{x, y, t}` in px of the browser's window from its upper left, and ms since the trial's start. Its item is the
 * trial's display. The window size comes from one of several places in a person's data, or from an option.
 */
export const jspsych: Reader = {
  name: 'jspsych',
  title: 'jsPsych with WebGazer',
  heeds: ['kept', 'events'],
  recognises: (file) =>
    columnIn(tableHead(file)?.header ?? [], 'webgazer_data') >= 0 ||
    (/^\s*[[{]/.test(file.head) &&
      (/webgazer_data\\?"/.test(file.head) || /"trial_type"\s*:\s*"webgazer-/.test(file.head))),
  async *read(files, _all, draft, options) {
    const batch = makeBatch()
    const nameOf = nameFiles(files, draft)
    noteRecording(draft, BROWSER)
    for (const file of files) {
      const reading: Reading = { file, draft, options, batch, fileName: () => jatosResult(file) ?? nameOf(file) }
      let run = makeRun(1)
      for await (const trial of trialsOf(file, draft)) {
        const index = Number(trial.trial_index)
        // One file may hold results of several people, one after the other.
        if (index <= run.lastIndex) {
          placeTests(run, reading)
          run = makeRun(run.number + 1)
        }
        if (!Number.isNaN(index)) run.lastIndex = index
        yield* readTrial(trial, run, reading)
      }
      placeTests(run, reading)
    }
    if (batch.n > 0) yield batch
  },
}

/** Model and environment of all jsPsych recordings. */
const BROWSER = { model: 'WebGazer', environment: "the participant's browser, with a webcam" }

type TrialData = Record<string, unknown>
type Reading = { file: SourceFile; draft: Draft; options: ReadOptions; batch: Batch; fileName: () => string }
/** Consecutive trials of one participant; `waiting` are tests whose window size is not known yet. */
type Run = {
  number: number
  lastIndex: number
  known: Sized | null
  waiting: number[]
  validations: TargetGaze[]
  /** Columns to keep, as far as trials have had them. */
  kept: [kind: keyof KeptColumns, name: string, value: string][]
  participant: number
  /** Name of the participant, in the first trial that has one; '' until then. */
  who: string
  /** Times of the first and the last sample of each test. */
  times: { test: number; firstMs: number; lastMs: number }[]
}

function makeRun(number: number): Run {
  return {
    number,
    lastIndex: -1,
    known: null,
    waiting: [],
    validations: [],
    kept: [],
    participant: -1,
    who: '',
    times: [],
  }
}

/**
 * Returns the folder of a JATOS result, which has one participant's results as a file for each component of the study;
 * null for other files.
 */
function jatosResult({ name }: SourceFile): string | null {
  return /(?:^|\/)(study_result_\d+)\//.exec(name)?.[1] ?? null
}

/** Names of fields in which experiments keep the participant. */
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

function trialsOf(file: SourceFile, draft: Draft): AsyncGenerator<TrialData> {
  const header = tableHead(file)?.header ?? []
  return columnIn(header, 'webgazer_data') >= 0 ? csvTrials(file, header, draft) : jsonTrials(file, draft)
}

async function* jsonTrials(file: SourceFile, draft: Draft): AsyncGenerator<TrialData> {
  for await (const { value, isCut } of readJsonObjects(file)) {
    const of = { file: file.name }
    if (isCut) noteLeft(draft, 'the last trial, where the file ends in the middle of it', null, of)
    else if (value === null || typeof value !== 'object') noteLeft(draft, 'objects that are not JSON', 1, of)
    else {
      let isWrapped = false
      for (const trial of trialsIn(value, {}, 0)) {
        isWrapped = true
        yield trial
      }
      // Other objects may hold the size of the window.
      if (!isWrapped) yield value as TrialData
    }
  }
}

/** Largest number of records around a list of trials. */
const WRAPPERS_MAX = 4

/**
 * Finds trials in an object: itself, or those of the lists that a server's record wraps, possibly as text, with the
 * participant that the record names.
 */
function* trialsIn(value: unknown, named: TrialData, depth: number): Generator<TrialData> {
  if (typeof value === 'string') {
    if (/^\s*[[{]/.test(value) && value.includes('trial_type')) yield* trialsIn(parsed(value), named, depth)
  } else if (Array.isArray(value)) for (const one of value) yield* trialsIn(one, named, depth)
  else if (value !== null && typeof value === 'object') {
    const record = value as TrialData
    if (record.trial_type !== undefined || record.webgazer_data !== undefined || depth === WRAPPERS_MAX)
      return yield { ...named, ...record }
    const field = PARTICIPANT_FIELDS.find((name) => ['string', 'number'].includes(typeof record[name]))
    const who = field === undefined ? named : { [field]: record[field] }
    for (const one of Object.values(record)) yield* trialsIn(one, who, depth + 1)
  }
}

/** Largest text of a trial's samples, in bytes. */
const DATA_MAX_BYTES = 1 << 26

async function* csvTrials(file: SourceFile, header: string[], draft: Draft): AsyncGenerator<TrialData> {
  const rows = await openTableBody(file, draft)
  do {
    while (rows.next())
      yield Object.fromEntries(header.map((name, cell) => [name, cellText(rows, cell, DATA_MAX_BYTES)]))
  } while (await rows.more())
}

async function* readTrial(trial: TrialData, run: Run, reading: Reading): AsyncGenerator<Batch> {
  const { file, draft, batch } = reading
  const own = windowSizeIn(trial)
  const samples = samplesOf(trial.webgazer_data)
  run.known = bestSize(own, run.known)
  run.who ||= participantIn(trial)
  for (const target of validationOf(trial, file, draft)) run.validations.push(target)
  takeKept(trial, run, reading)
  if (samples === null) {
    if (trial.webgazer_data) noteLeft(draft, 'trials whose webgazer_data cannot be read', 1, { file: file.name })
    return
  }
  const test = startTest(trial, run, reading)
  run.participant = draft.tests[test].participant
  if (run.known) placeTest(test, run.known, reading)
  else run.waiting.push(test)
  if (Object.keys(parsed(trial.webgazer_targets) ?? {}).length > 0)
    noteLeft(draft, 'webgazer_targets: they lie elsewhere in each window, and AOIs are of the item')
  const of = { file: file.name }
  const timeless = samples.filter((sample) => isSample(sample) && Number.isNaN(numberOf(sample.t))).length
  noteLeft(draft, 'samples without a time t', timeless, of)
  noteLeft(draft, 'entries of webgazer_data that are not samples', samples.filter((one) => !isSample(one)).length, of)
  takeResponse(trial, test, reading)
  const span = { test, firstMs: Number.NaN, lastMs: Number.NaN }
  run.times.push(span)
  for (const sample of samples) {
    if (!isSample(sample)) continue
    const { x, y, t } = sample
    const tMs = numberOf(t)
    if (Number.isNaN(tMs)) continue
    if (Number.isNaN(span.firstMs)) span.firstMs = tMs
    span.lastMs = tMs
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

/** Takes the response to a trial as a message: `response` at its `rt`, with the key, button or text as its value. */
function takeResponse({ rt, response }: TrialData, test: number, { draft, options: { events } }: Reading): void {
  const tMs = numberOf(rt)
  if (Number.isNaN(tMs)) return
  if (!events) addSeen(draft.messages, 'response')
  const isPlain = response === null || response === undefined || typeof response !== 'object'
  const event = eventIn('response', events, isPlain ? String(response ?? '') : JSON.stringify(response))
  if (event) addEvent(draft, { ...event, tMs, test })
}

/** Returns the participant that a trial names; '' if it names none. */
function participantIn(trial: TrialData): string {
  const names = PARTICIPANT_FIELDS.map((field) => String(trial[field] ?? '').trim())
  return names.find((name) => name !== '') ?? ''
}

function startTest(trial: TrialData, run: Run, { file, draft, fileName }: Reading): number {
  const named = participantIn(trial) || run.who
  const name = named || fileName() + (run.number > 1 ? ` (${run.number})` : '')
  if (named === '')
    noteAssumed(draft, 'a file that names no participant is one participant, named after the file', file.name)
  const participant = participantOf(draft, file, name)
  const shown = displayName(trial)
  if (shown === null) noteRunningNumbers(draft, 'trial_type and trial_index', 'save what a trial shows in its stimulus')
  const item = shown ?? `${String(trial.trial_type || 'trial')} ${String(trial.trial_index ?? '')}`.trim()
  return addTest(draft, participant, itemOf(draft, item), { displayOrder: nextDisplayOrder(draft, participant) })
}

/** Gives the waiting tests of a run the window size found later, or that of the option. */
function placeTests(run: Run, reading: Reading): void {
  const { draft } = reading
  if (run.participant < 0) noteLeft(draft, 'validation targets of somebody without a recording', run.validations.length)
  else {
    for (const target of run.validations) draft.validations.push({ participant: run.participant, ...target })
    for (const [kind, name, value] of run.kept) keepFact(draft, run.participant, kind, name, value)
  }
  for (const test of run.waiting) placeTest(test, run.known, reading)
  placeOnsets(run, reading)
}

/** Counts times from each test's first sample if they run on from trial to trial, as some experiments save them. */
function placeOnsets({ times }: Run, { draft }: Reading): void {
  const known = times.filter(({ firstMs, lastMs }) => lastMs > firstMs)
  const runsOn = known.every(({ firstMs }, i) => i === 0 || firstMs > Math.max(known[i - 1].lastMs, LATE_MS))
  if (known.length < 2 || !runsOn) return
  for (const { test, firstMs } of known) draft.tests[test].onsetMs = firstMs
  noteFirstSampleOnset(draft, 'times run on from trial to trial, and do not count from the start of each')
}

/** No trial of a clock of its own has its first sample this late, in ms. */
const LATE_MS = 1000

/** Keeps the requested columns of a trial, each of a series of equal values once. */
function takeKept(trial: TrialData, run: Run, { options: { kept } }: Reading): void {
  for (const kind of ['tags', 'externalData'] as const) {
    for (const name of kept[kind]) {
      const value = trial[name]
      if (value === undefined || value === null || typeof value === 'object' || isMissing(String(value))) continue
      const isKnown = run.kept.some((one) => one[0] === kind && one[1] === name && one[2] === String(value))
      if (!isKnown && run.kept.length < KEPT_MAX) run.kept.push([kind, name, String(value)])
    }
  }
}

const KEPT_MAX = 1000

const SIZED_BY = {
  window: null,
  element: 'a window is as large as the target #screen or body',
  screen: 'a window is as large as the screen, since nothing says how large it was itself',
}

function placeTest(index: number, sized: Sized | null, { file, draft, options }: Reading): void {
  const test = draft.tests[index]
  const { key } = draft.participants[test.participant]
  const size = needScreen(sized?.size ?? null, key, options, file, draft)
  const assumed = sized && SIZED_BY[sized.of]
  if (assumed) noteAssumed(draft, assumed)
  if (sized === null && !options.screens?.has(key))
    noteDoubt(
      draft,
      'one size of window for all participants: in browsers it differs, and --screens FILE gives it for each',
    )
  test.windowWidthPx = size.widthPx
  test.windowHeightPx = size.heightPx
}

type GivenSample = { x?: unknown; y?: unknown; t?: unknown }

function samplesOf(data: unknown): unknown[] | null {
  const list = parsed(data)
  return Array.isArray(list) ? list : null
}

function isSample(entry: unknown): entry is GivenSample {
  return entry !== null && typeof entry === 'object' && !Array.isArray(entry)
}

/** Converts to a number, which some data services write as text. */
function numberOf(value: unknown): number {
  if (typeof value === 'string') return numberIn(value)
  return typeof value === 'number' && Number.isFinite(value) ? value : Number.NaN
}
