import { ServiceError } from '../model/errors.ts'
import { BATCH_ROWS, type Batch, makeBatch } from './batch.ts'
import {
  addTest,
  type Draft,
  type DraftTest,
  itemOf,
  nextDisplayOrder,
  noteAssumed,
  noteLeft,
  participantOf,
} from './draft.ts'
import { stemOf } from './file-names.ts'
import { lineText, openLines } from './lines.ts'
import { numberAt, POINT } from './numbers.ts'
import type { Reader, ReadOptions, Screen } from './reader.ts'
import { needScreen } from './screen.ts'
import type { SourceFile } from './source-files.ts'

/**
 * EyeLink's ASC files, as edf2asc of SR Research writes them: lines of samples (time in ms, then x, y and pupil of each eye, `.` where
 * lost, GAZE in px of the display from its upper left), events of the tracker's parser, and messages of the experiment. A test is a
 * trial, from TRIALID to TRIAL_RESULT, or where there is none, a recording from START to END. Its onset is the message SYNCTIME or
 * DISPLAY_ON, else its first sample; its item the picture that it loads or names, else its id.
 */
export const eyelink: Reader = {
  name: 'eyelink',
  title: 'EyeLink ASC',
  recognises: ({ head }) =>
    /^(START|SAMPLES|MSG|PRESCALER)\s+[\w.]+/m.test(head) &&
    (/^\*\* CONVERTED FROM /m.test(head) ||
      /^SAMPLES\s+(GAZE|HREF|PUPIL|RAW)/m.test(head) ||
      /^START\s+\d+/m.test(head)),
  async *read(files, _all, draft, options) {
    const batch = makeBatch()
    for (const file of files) yield* readAsc(file, draft, options, batch)
    noteLeft(draft, "pupil sizes, and the tracker's own fixations and saccades: they are computed anew")
    if (batch.n > 0) yield batch
  },
}

/** A message that marks when the item appeared, and how long before the message that was, in ms. */
const ONSET = /^(-?\d+\s+)?(SYNCTIME|DISPLAY[ _]ON|STIM(ULUS)?[ _]ON(SET)?|IMAGE[ _]ONSET)\b/i
const COORDS = /^(DISPLAY|GAZE)_COORDS\s*[=:]?\s*(-?[\d.]+)[\s,]+(-?[\d.]+)[\s,]+(-?[\d.]+)[\s,]+(-?[\d.]+)/
const PICTURE_VARIABLE = /^!V TRIAL_VAR\s+(image|picture|pic|img|stimulus|stim|filename|file|video)\w*\s+(\S.*)$/i
const [SPACE, ZERO, NINE] = [32, 48, 57]

type Trial = { test: number; name: string; picture: string; hasOnset: boolean }

async function* readAsc(file: SourceFile, draft: Draft, options: ReadOptions, batch: Batch): AsyncGenerator<Batch> {
  const lines = openLines(file)
  const fields = new Float64Array(8)
  const firstTest = draft.tests.length
  let participantName = stemOf(file.name)
  let hasTrialIds = /^MSG\s+\S+\s+(-?\d+\s+)?TRIALID/m.test(file.head)
  let screen: Screen | null = null
  let [originX, originY] = [0, 0]
  let eyes: string[] = []
  let isInBlink = [false, false]
  let trial: Trial | null = null
  let isRecording = false
  let [blocks, outside, blinked, cut] = [0, 0, 0, 0]

  const startTrial = (name: string) => {
    endTrial()
    trial = { test: -1, name, picture: '', hasOnset: false }
  }
  const endTrial = () => {
    const ended = trial
    trial = null
    if (ended === null || ended.test < 0) return
    const test = draft.tests[ended.test]
    test.item = itemOf(draft, ended.picture || ended.name)
    if (!ended.hasOnset)
      noteAssumed(draft, "an item's onset is its trial's first sample, where no SYNCTIME or DISPLAY_ON says it")
  }
  const testOf = (now: Trial, tMs: number): number => {
    if (now.test >= 0) return now.test
    const participant = participantOf(draft, participantName)
    now.test = addTest(draft, participant, -1, { displayOrder: nextDisplayOrder(draft, participant), onsetMs: tMs })
    return now.test
  }
  const onMessage = (text: string) => {
    const match = /^MSG\s+(\d+(?:\.\d+)?)\s+(.*)$/.exec(text)
    if (!match) return
    const [, time, message] = match
    const coords = COORDS.exec(message)
    if (coords) {
      const [left, top, right, bottom] = coords.slice(2).map(Number)
      screen = { widthPx: right - left + 1, heightPx: bottom - top + 1 }
      originX = left
      originY = top
      return
    }
    const id = /^(?:-?\d+\s+)?TRIALID\s*(.*)$/.exec(message)
    if (id) {
      hasTrialIds = true
      startTrial(/^\d*$/.test(id[1].trim()) ? `trial ${id[1].trim() || blocks + 1}` : id[1].trim())
      return
    }
    if (/^(-?\d+\s+)?TRIAL_RESULT\b/.test(message)) {
      endTrial()
      return
    }
    if (trial === null) return
    const picture = /^(?:-?\d+\s+)?!V IMGLOAD\s+\S+\s+(?:-?\d+\s+-?\d+\s+(?:-?\d+\s+-?\d+\s+)?)?(.+)$/.exec(message)
    const named = PICTURE_VARIABLE.exec(message)
    if (picture) trial.picture = picture[1].trim().replace(/^.*[\\/]/, '')
    else if (named && trial.picture === '') trial.picture = named[2].trim().replace(/^.*[\\/]/, '')
    const onset = ONSET.exec(message)
    if (onset && !trial.hasOnset) {
      const onsetMs = Number(time) - Number(onset[1] ?? 0)
      draft.tests[testOf(trial, onsetMs)].onsetMs = onsetMs
      trial.hasOnset = true
    }
  }
  const onLine = (text: string) => {
    if (text.startsWith('MSG')) onMessage(text)
    else if (text.startsWith('START')) {
      isRecording = true
      blocks++
      eyes = text.match(/\b(LEFT|RIGHT)\b/g) ?? eyes
      isInBlink = [false, false]
      if (trial === null && !hasTrialIds) startTrial(`recording ${blocks}`)
    } else if (text.startsWith('SAMPLES')) {
      if (!/^SAMPLES\s+GAZE\b/.test(text))
        throw new ServiceError(
          'invalid_bundle',
          `${file.name} holds ${text.split(/\s+/)[1]} samples, which are no positions on the display: make the ASC file with gaze data (edf2asc -y)`,
        )
      eyes = text.match(/\b(LEFT|RIGHT)\b/g) ?? eyes
    } else if (text.startsWith('SBLINK') || text.startsWith('EBLINK')) {
      const eye = Math.max(0, eyes.indexOf(/^.BLINK\s+R/.test(text) ? 'RIGHT' : 'LEFT'))
      isInBlink[eye] = text.startsWith('S')
    } else if (text.startsWith('END')) {
      isRecording = false
      if (!hasTrialIds) endTrial()
    } else if (text.startsWith('** CONVERTED FROM')) {
      const original = /FROM\s+(.*?)\s+(?:using|on)\b|FROM\s+(\S+)/.exec(text)
      participantName = stemOf((original?.[1] ?? original?.[2] ?? '').replaceAll('\\', '/')) || participantName
    }
  }

  while (await lines.more()) {
    while (lines.next()) {
      const { bytes, start, end } = lines
      if (start === end) continue
      if (!(bytes[start] >= ZERO && bytes[start] <= NINE)) {
        onLine(lineText(lines))
        continue
      }
      if (!lines.isWhole) {
        cut++
        continue
      }
      // A sample: blanks between time, x, y and pupil of each eye, then more that is not needed.
      let n = 0
      for (let at = start; at < end && n < 7; ) {
        while (at < end && bytes[at] <= SPACE) at++
        const first = at
        while (at < end && bytes[at] > SPACE) at++
        if (at > first) fields[n++] = numberAt(bytes, first, at, POINT)
      }
      const now = trial as Trial | null
      if (now === null || n < 3) {
        outside++
        continue
      }
      let [x, y, seen] = [0, 0, 0]
      const isBinocular = eyes.length === 2 || (eyes.length === 0 && n >= 7)
      for (let eye = 0; eye < (isBinocular ? 2 : 1); eye++) {
        const [eyeX, eyeY] = [fields[1 + 3 * eye], fields[2 + 3 * eye]]
        if (eyeX - eyeX !== 0 || eyeY - eyeY !== 0) continue
        if (isInBlink[eye]) {
          blinked++
          continue
        }
        x += eyeX
        y += eyeY
        seen++
      }
      const i = batch.n++
      batch.test[i] = testOf(now, fields[0])
      batch.tMs[i] = fields[0]
      batch.gazeXPx[i] = seen === 0 ? Number.NaN : x / seen - originX
      batch.gazeYPx[i] = seen === 0 ? Number.NaN : y / seen - originY
      if (batch.n === BATCH_ROWS) {
        yield batch
        batch.n = 0
      }
    }
  }
  endTrial()
  if (isRecording || cut > 0) noteLeft(draft, `the rest of ${file.name}, which ends before its recording does (no END)`)
  if (eyes.length === 2) noteAssumed(draft, 'gaze of two eyes is their mean, or that of the one that was not lost')
  noteLeft(draft, `gaze points of ${file.name} within a blink`, blinked)
  noteLeft(draft, `samples of ${file.name} outside of any trial`, outside)
  const made = draft.tests.slice(firstTest)
  if (made.length > 0) placeTests(made, needScreen(screen, options.screen, file.name, draft))
}

function placeTests(tests: DraftTest[], { widthPx, heightPx }: Screen): void {
  for (const test of tests) {
    test.windowWidthPx = widthPx
    test.windowHeightPx = heightPx
  }
}
