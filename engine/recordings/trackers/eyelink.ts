import { ServiceError } from '../../model/errors.ts'
import { BATCH_ROWS, type Batch, makeBatch } from '../bundle/batch.ts'
import { type Draft, type DraftTest, noteAssumed, noteDoubt, noteLeft } from '../bundle/draft.ts'
import { nameFiles } from '../reader/name-files.ts'
import type { Reader, ReadOptions } from '../reader/reader.ts'
import { noteRunningNumbers } from '../reader/running-numbers.ts'
import { needScreen } from '../reader/screen.ts'
import { stemOf } from '../text/file-names.ts'
import { lineText, openLines } from '../text/lines.ts'
import type { SourceFile } from '../text/source-files.ts'
import { listSeen } from './eyelink-messages.ts'
import { openSamples, type SampleReader } from './eyelink-samples.ts'
import { addRate, noteSetup } from './eyelink-setup.ts'
import {
  endTrial,
  type MessageFacts,
  makeTrials,
  onEnd,
  onMessage,
  onStart,
  type Trials,
  testAt,
} from './eyelink-trials.ts'

/**
 * Reads EyeLink's ASC files, as edf2asc of SR Research writes them: lines of samples (time in ms, then x, y and pupil of each eye, `.`
 * where lost, GAZE in px of the display from its upper left), events of the tracker's parser, and messages of the experiment. A test is
 * a trial, from TRIALID to TRIAL_RESULT, or where there is none, a recording from START to END. Its onset is the message SYNCTIME or
 * DISPLAY_ON, else its first sample; its item the picture that it loads or names, else its id. Patterns may name other messages.
 */
export const eyelink: Reader = {
  name: 'eyelink',
  title: 'EyeLink ASC',
  heeds: ['messages'],
  recognises: ({ head }) =>
    /^(START|SAMPLES|MSG|PRESCALER)\s+[\w.]+/m.test(head) &&
    (/^\*\* CONVERTED FROM /m.test(head) ||
      /^SAMPLES\s+(GAZE|HREF|PUPIL|RAW)/m.test(head) ||
      /^START\s+\d+/m.test(head)),
  async *read(files, _all, draft, options) {
    const batch = makeBatch()
    const facts: MessageFacts = { seen: new Map(), hasNumbers: false, hasNoOnset: false }
    const nameOf = nameFiles(files, draft, namesOf(files))
    for (const file of files) yield* readAsc(file, nameOf(file), draft, options, facts, batch)
    noteLeft(draft, "pupil sizes, and the tracker's own fixations and saccades: they are computed anew")
    noteFacts(draft, facts)
    if (batch.n > 0) yield batch
  },
}

/** Names files after the EDF files that they were made of; where these have the same names, after themselves. */
function namesOf(files: SourceFile[]): (file: SourceFile) => string {
  const originalOf = ({ head }: SourceFile) => {
    const words = (/^\*\* CONVERTED FROM\s+([^\n]*)/m.exec(head)?.[1] ?? '').split(/\s+/)
    const end = words.findIndex((word, i) => i > 0 && /^(using|on)\b/.test(word))
    return stemOf((end < 0 ? words[0] : words.slice(0, end).join(' ')).replaceAll('\\', '/'))
  }
  const originals = new Map(files.map((file) => [file, originalOf(file)]))
  const counts = new Map<string, number>()
  for (const original of originals.values()) counts.set(original, (counts.get(original) ?? 0) + 1)
  return (file) => {
    const original = originals.get(file)!
    return original !== '' && counts.get(original) === 1 ? original : stemOf(file.name)
  }
}

function noteFacts(draft: Draft, { seen, hasNumbers, hasNoOnset }: MessageFacts): void {
  if (hasNumbers)
    noteRunningNumbers(
      draft,
      'the number of their trial or recording',
      'name them with --item-message or --trial-message',
    )
  if (hasNoOnset)
    noteAssumed(
      draft,
      "an item's onset is its trial's first sample, where no SYNCTIME or DISPLAY_ON says it; --onset-message may name another message",
    )
  if ((hasNumbers || hasNoOnset) && seen.size > 0) noteDoubt(draft, `messages that were seen: ${listSeen(seen)}`)
}

const [ZERO, NINE] = [48, 57]

async function* readAsc(
  file: SourceFile,
  participantName: string,
  draft: Draft,
  options: ReadOptions,
  facts: MessageFacts,
  batch: Batch,
): AsyncGenerator<Batch> {
  const lines = openLines(file)
  const firstTest = draft.tests.length
  const trials = makeTrials({ file, participantName, draft, patterns: options.messages, facts })
  const samples = openSamples()
  let [outside, cut] = [0, 0]
  while (await lines.more()) {
    while (lines.next()) {
      const { bytes, start, end } = lines
      if (start === end) continue
      if (!(bytes[start] >= ZERO && bytes[start] <= NINE)) onLine(lineText(lines), file, trials, samples)
      else if (!lines.isWhole) cut++
      else if (!samples.read(lines) || trials.trial === null) outside++
      else {
        const i = batch.n++
        batch.test[i] = testAt(trials, samples.tMs)
        batch.tMs[i] = samples.tMs
        batch.gazeXPx[i] = samples.x - (trials.display?.leftPx ?? 0)
        batch.gazeYPx[i] = samples.y - (trials.display?.topPx ?? 0)
        if (batch.n < BATCH_ROWS) continue
        yield batch
        batch.n = 0
      }
    }
  }
  endTrial(trials)
  if (samples.isRecording || cut > 0)
    noteLeft(draft, 'the rest of a recording that has no END, as the file ends before', null, { file: file.name })
  if (draft.tests.length > firstTest) {
    draft.eyes.add(samples.eye())
    noteSetup(trials.setup, file, draft, draft.tests[firstTest].participant, trials.display)
  }
  if (samples.eye() === 'both')
    noteAssumed(draft, 'gaze of two eyes is their mean, or that of the one that was not lost')
  noteLeft(draft, 'gaze points within a blink', samples.blinked, { file: file.name })
  noteLeft(draft, 'samples outside of any trial', outside, { file: file.name })
  placeTests(trials, draft.tests.slice(firstTest), options)
}

/** Takes a line that is no sample. */
function onLine(text: string, file: SourceFile, trials: Trials, samples: SampleReader): void {
  if (text.startsWith('MSG')) onMessage(trials, text)
  else if (text.startsWith('START')) {
    samples.useEyes(text)
    samples.isRecording = true
    onStart(trials)
  } else if (text.startsWith('SAMPLES')) {
    refuseOther(text, file)
    addRate(trials.setup, text)
    samples.useEyes(text)
  } else if (/^[SE]BLINK/.test(text)) samples.onBlink(text)
  else if (text.startsWith('END')) {
    samples.isRecording = false
    onEnd(trials)
  }
}

function placeTests({ display, participantName, file, draft }: Trials, tests: DraftTest[], options: ReadOptions): void {
  if (tests.length === 0) return
  const { widthPx, heightPx } = needScreen(display ?? null, participantName, options, file, draft)
  for (const test of tests) Object.assign(test, { windowWidthPx: widthPx, windowHeightPx: heightPx })
}

function refuseOther(text: string, file: SourceFile): void {
  if (/^SAMPLES\s+GAZE\b/.test(text)) return
  throw new ServiceError(
    'invalid_bundle',
    `${file.name} holds ${text.split(/\s+/)[1]} samples, which are no positions on the display: make the ASC file with gaze data (edf2asc -y)`,
  )
}
