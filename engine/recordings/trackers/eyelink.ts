import { BATCH_ROWS, type Batch, eyeColumn, makeBatch } from '../draft/batch.ts'
import {
  addTest,
  type Draft,
  type DraftEvent,
  nextDisplayOrder,
  noteAssumed,
  noteDoubt,
  noteLeft,
  participantOf,
} from '../draft/draft.ts'
import { addEvent, eventIn, OUTSIDE_EVENT } from '../draft/draft-events.ts'
import { shortened } from '../draft/note-texts.ts'
import { noteRecording } from '../draft/recording-facts.ts'
import { listSeen, mostSeen, type SeenMessages } from '../draft/seen-messages.ts'
import { noteFirstSampleOnset } from '../reader/assumed-onset.ts'
import { nameFiles } from '../reader/name-files.ts'
import type { Reader, ReadOptions, Screen } from '../reader/reader.ts'
import { needScreen } from '../reader/screen.ts'
import { stemOf } from '../text/file-names.ts'
import { openLines } from '../text/lines.ts'
import type { SourceFile } from '../text/source-files.ts'
import { nameItems, type ShownTrials } from './eyelink-items.ts'
import { type Display, PATTERN } from './eyelink-messages.ts'
import { eventText, isSampleLine, type Outline, readOutline } from './eyelink-outline.ts'
import { hasSamplesAlone, joinedLines, samplesOf } from './eyelink-pairs.ts'
import { openEyelinkSamples, type SampleReader } from './eyelink-samples.ts'
import { noteSetup } from './eyelink-setup.ts'
import { type EyelinkTrial, findTrials } from './eyelink-trials.ts'

/**
 * Reads EyeLink's ASC files, as written by SR Research's edf2asc: lines of samples (time in ms, then x, y and pupil of
 * each eye, `.` for lost, GAZE in px of the display from its upper left), events of the tracker's parser, and messages
 * of the experiment. A test is a trial, from TRIALID to TRIAL_RESULT or the END of its recording; without trials, a
 * recording from START to END. Its onset is the message SYNCTIME or DISPLAY_ON, otherwise its first sample; its item is
 * the picture that it loads or names, otherwise its id. Patterns may name other messages. Each file is read twice:
 * first its messages, since later ones may determine where a trial ends and what it shows.
 */
export const eyelink: Reader = {
  name: 'eyelink',
  title: 'EyeLink ASC',
  heeds: ['messages', 'events'],
  recognises: (file) => hasEvents(file) || hasSamplesAlone(file),
  async *read(files, _all, draft, options) {
    const batch = makeBatch()
    const seen: SeenMessages = options.events ? new Map() : draft.messages
    const parts = new Set(files.filter((file) => !hasEvents(file)))
    const whole = files.filter((file) => !parts.has(file))
    const nameOf = nameFiles(whole, draft, namesOf(whole))
    const shown: ShownTrials[] = []
    for (const file of whole) {
      const outline = await readOutline(file, draft, options.messages, seen)
      noteOrigin(draft, file, outline)
      const samples = outline.samples === 0 ? samplesOf(file, outline, [...parts]) : null
      if (samples !== null) parts.delete(samples)
      shown.push(yield* readAsc({ file, samples, outline, participantName: nameOf(file) }, draft, options, batch))
    }
    noteParts(draft, [...parts])
    noteLeft(draft, "the tracker's own fixations and saccades: they are computed anew")
    notePatterns(draft, shown, options)
    const hasNumbers = nameItems(draft, shown, options.messages?.item != null)
    noteOnsets(draft, shown)
    draft.trialMessages = mostSeen(seen)
    const hasNoOnset = shown.some(({ trials }) => trials.some(({ test, onsetMs }) => test >= 0 && onsetMs === null))
    if (hasNoOnset) noteOnsetMessage(draft, shown)
    if ((hasNumbers || hasNoOnset) && seen.size > 0) {
      noteDoubt(draft, `messages that were seen: ${listSeen(seen)}`)
      draft.areMessagesListed = true
    }
    if (batch.n > 0) yield batch
  },
}

function hasEvents({ head }: SourceFile): boolean {
  return (
    /^(START|SAMPLES|MSG|PRESCALER)\s+[\w.]+/m.test(head) &&
    (/^\*\* CONVERTED FROM /m.test(head) ||
      /^SAMPLES\s+(GAZE|HREF|PUPIL|RAW)/m.test(head) ||
      /^START\s+\d+/m.test(head))
  )
}

/** Returns the name of the EDF file from which an ASC file was converted; '' if it names none. */
function originalIn(head: string): string {
  const words = (/^\*\* CONVERTED FROM\s+([^\n]*)/m.exec(head)?.[1] ?? '').split(/\s+/)
  const end = words.findIndex((word, i) => i > 0 && /^(using|on)\b/.test(word))
  return stemOf((end < 0 ? words[0] : words.slice(0, end).join(' ')).replaceAll('\\', '/'))
}

/** Names files after their EDF files; if several share one, after themselves. */
function namesOf(files: SourceFile[]): (file: SourceFile) => string {
  const originals = new Map(files.map((file) => [file, originalIn(file.head)]))
  const counts = new Map<string, number>()
  for (const original of originals.values()) counts.set(original, (counts.get(original) ?? 0) + 1)
  return (file) => {
    const original = originals.get(file)!
    return original !== '' && counts.get(original) === 1 ? original : stemOf(file.name)
  }
}

/** Notes from which EDF file, of which day, an ASC file was converted, so that two conversions are recognised. */
function noteOrigin(draft: Draft, { name, head }: SourceFile, { startMs }: Outline): void {
  const [original, date] = [originalIn(head), /^\*\* DATE:\s*([^\r\n]+)/m.exec(head)?.[1]]
  if (original !== '' && date !== undefined && !Number.isNaN(startMs))
    draft.origins.set(name, `${original} of ${date.trim().replace(/\s+/g, ' ')}, from ${startMs} ms`)
}

/** Reports a pattern for items that no message matches: a mistake in it would go unnoticed. */
function notePatterns(draft: Draft, shown: ShownTrials[], { messages }: ReadOptions): void {
  const isOwn = ({ source }: { source: string }) => source === PATTERN
  const isMatched = shown.some(
    ({ trials, between }) => trials.some(({ named }) => named.some(isOwn)) || between.some(({ named }) => isOwn(named)),
  )
  if (messages?.item && !isMatched)
    noteDoubt(draft, `--item-message ${messages.item.source} matches no message, so that it names no item`)
}

function noteParts(draft: Draft, parts: SourceFile[]): void {
  for (const { name } of parts) draft.usedFiles.add(name)
  noteLeft(
    draft,
    'files of samples alone (edf2asc -s), whose recordings and display only their file of events (edf2asc -e) tells, which is not here',
    parts.length,
    { first: parts[0]?.name },
  )
}

/** Proposes a message that comes once in each trial and is called like an onset. */
function noteOnsetMessage({ trialMessages, notes }: Draft, shown: ShownTrials[]): void {
  const trials = shown.reduce((sum, one) => sum + one.trials.filter(({ test }) => test >= 0).length, 0)
  const likely = trialMessages.find(
    ({ count, begins }) => ONSET_LIKE.test(begins) && count <= trials && count > trials / 2,
  )
  if (likely === undefined) return
  const fixed = likely.begins.trim().replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  notes.doubts.add(
    `the message ${JSON.stringify(likely.example)} comes once in ${likely.count === trials ? 'each trial' : `${likely.count} of ${trials} trials`}, and may be the onset: --onset-message '^(-?\\d+ )?${fixed}' takes it`,
  )
}

const ONSET_LIKE = /onset|(^|[^a-z])(on|show|shown|appears?|flip|present(ed)?|display(ed)?|visible|start)([^a-z]|$)/i

/** Reports the assumed onset of tests whose onset is uncertain. */
function noteOnsets(draft: Draft, shown: ShownTrials[]): void {
  const read = shown.flatMap(({ trials }) => trials.filter(({ test }) => test >= 0))
  if (read.some(({ onsetMs }) => onsetMs === null))
    noteFirstSampleOnset(
      draft,
      'no SYNCTIME or DISPLAY_ON tells it in some trials; --onset-message names another message',
    )
  const several = read.filter(({ laterOnsetMs }) => laterOnsetMs !== null)
  if (several.length === 0) return
  const [{ name, onsetMs, laterOnsetMs }] = several
  const ms = Math.round(laterOnsetMs! - onsetMs!)
  noteDoubt(
    draft,
    `several messages of an onset are in ${several.length === 1 ? 'a trial,' : `${several.length} trials, such as`} ${name}, where the second comes ${ms} ms after the first: the first is taken; --onset-message names the one of the item`,
  )
}

type AscFile = { file: SourceFile; samples: SourceFile | null; outline: Outline; participantName: string }

async function* readAsc(
  { file, samples: samplesFile, outline, participantName }: AscFile,
  draft: Draft,
  options: ReadOptions,
  batch: Batch,
): AsyncGenerator<Batch, ShownTrials> {
  const found = findTrials(outline, options.messages?.trial != null)
  const { trials } = found
  const files = samplesFile === null ? [file] : [file, samplesFile]
  const lines = samplesFile === null ? openLines(file) : joinedLines(samplesFile, file)
  const samples = openEyelinkSamples(outline.blinks)
  const place = openPlace(outline, trials)
  const putEyes = openEyes(batch)
  let [outside, cut] = [0, 0]
  let [isRecording, isEyeNoted] = [false, false]
  const happened: Happened[] = []
  while (await lines.more()) {
    while (lines.next()) {
      if (lines.start === lines.end) continue
      if (!isSampleLine(lines)) {
        const text = eventText(lines)
        place.next()
        samples.beyondPx = Math.max(place.display?.widthPx ?? Infinity, place.display?.heightPx ?? Infinity)
        isRecording = text.startsWith('START') || (isRecording && !text.startsWith('END'))
        if (onSetup(text, samples)) isEyeNoted = false
        const event = options.events ? eventOf(text, options.events) : null
        if (event) happened.push({ ...event, trial: place.trial })
      } else if (!lines.isWhole) cut++
      else if (!samples.read(lines) || place.trial === null) outside++
      else {
        if (place.trial.test < 0)
          startTest(draft, files, participantName, { ...place, trial: place.trial }, samples.tMs)
        if (!isEyeNoted) draft.eyes.add(samples.eye())
        isEyeNoted = true
        const i = batch.n++
        batch.test[i] = place.trial.test
        batch.tMs[i] = samples.tMs
        batch.gazeXPx[i] = samples.x - (place.display?.leftPx ?? 0)
        batch.gazeYPx[i] = samples.y - (place.display?.topPx ?? 0)
        putEyes(i, samples, place.display)
        if (batch.n < BATCH_ROWS) continue
        yield batch
        batch.n = 0
      }
    }
  }
  if (isRecording || cut > 0)
    noteLeft(draft, 'the rest of a recording without END, where the file is cut off', null, { file: file.name })
  addEvents(draft, file, happened)
  noteSamples(draft, file, samples, outside)
  noteBorders(draft, file, found)
  const read = trials.filter(({ test }) => test >= 0)
  if (read.length > 0) {
    noteSetup(outline.setup, file, draft, draft.tests[read[0].test].participant, outline.displays.at(-1)?.display)
    placeTests(draft, read, (display) => needScreen(display, participantName, options, file, draft))
    noteDisplays(draft, file, outline)
  } else if (outline.samples === 0 && samplesFile === null) noteEventsAlone(draft, file)
  return { ...found, fileName: file.name }
}

/** Gives each test the display that the file states for it. */
function placeTests(draft: Draft, read: EyelinkTrial[], screenOf: (display: Display | null) => Screen): void {
  for (const { test, display } of read) {
    const { widthPx, heightPx } = screenOf(display)
    Object.assign(draft.tests[test], { windowWidthPx: widthPx, windowHeightPx: heightPx })
    noteRecording(draft, { screenWidthPx: display?.widthPx, screenHeightPx: display?.heightPx })
  }
}

/** Reports displays that differ within a file, as where the tracker was not told the size of the screen. */
function noteDisplays(draft: Draft, { name }: SourceFile, { displays }: Outline): void {
  const sizes = new Set(displays.map(({ display }) => `${display.widthPx} × ${display.heightPx} px`))
  if (sizes.size > 1)
    noteDoubt(
      draft,
      `${name} states displays of several sizes, ${shortened([...sizes], ' and ')}: each test has the one stated last before its first sample`,
    )
}

function noteEventsAlone(draft: Draft, { name: first }: SourceFile): void {
  draft.usedFiles.add(first)
  noteLeft(draft, 'files of events alone (edf2asc -e), whose file of samples (edf2asc -s) is not here', 1, { first })
}

/** An event, and the trial in which it happened; null for none. */
type Happened = Omit<DraftEvent, 'test'> & { trial: EyelinkTrial | null }

/** Returns the event of a line; null if it is no message that matches. */
function eventOf(line: string, pattern: RegExp): Omit<DraftEvent, 'test'> | null {
  const [, at, message] = /^MSG\s+(\d+(?:\.\d+)?)\s+(.*)$/s.exec(line) ?? []
  const event = at === undefined ? null : eventIn(message, pattern)
  return event && { ...event, tMs: Number(at) }
}

function addEvents(draft: Draft, { name: file }: SourceFile, happened: Happened[]): void {
  for (const { trial, ...event } of happened)
    if (trial !== null && trial.test >= 0) addEvent(draft, { ...event, test: trial.test })
    else noteLeft(draft, OUTSIDE_EVENT, 1, { file, first: event.name })
}

/** Opens the writer of each eye's values to the samples of a batch. */
function openEyes(batch: Batch) {
  const columns = (['left', 'right'] as const).map((side) => ({
    x: eyeColumn(batch, `${side}GazeXPx`),
    y: eyeColumn(batch, `${side}GazeYPx`),
    pupil: eyeColumn(batch, `${side}Pupil`),
  }))
  return (i: number, { eyes }: SampleReader, display: Display | null) => {
    for (let side = 0; side < columns.length; side++) {
      const { x, y, pupil } = columns[side]
      x[i] = eyes[side][0] - (display?.leftPx ?? 0)
      y[i] = eyes[side][1] - (display?.topPx ?? 0)
      pupil[i] = eyes[side][2]
    }
  }
}

/** Tracks the current trial and display by counting lines other than samples. */
function openPlace({ displays }: Outline, trials: EyelinkTrial[]) {
  let [line, trialIndex, displayIndex] = [-1, 0, 0]
  const place = {
    trial: null as EyelinkTrial | null,
    /** Until a line states one, the first of the file. */
    display: displays[0]?.display ?? null,
    next: () => {
      line++
      while (trialIndex < trials.length && trials[trialIndex].until <= line) trialIndex++
      const trial = trials[trialIndex]
      place.trial = trial !== undefined && trial.from <= line ? trial : null
      if (displays[displayIndex]?.line === line) place.display = displays[displayIndex++].display
    },
  }
  return place
}

/** Applies a line about the eyes. @returns whether it may have named other eyes */
function onSetup(text: string, samples: SampleReader): boolean {
  const isSetup = /^(START|SAMPLES)/.test(text)
  if (isSetup) samples.useSetup(text)
  return isSetup
}

function startTest(
  draft: Draft,
  files: SourceFile[],
  name: string,
  { trial, display }: { trial: EyelinkTrial; display: Display | null },
  tMs: number,
): void {
  const [participant] = files.map((file) => participantOf(draft, file, name))
  trial.display = display
  trial.test = addTest(draft, participant, -1, {
    displayOrder: nextDisplayOrder(draft, participant),
    onsetMs: trial.onsetMs ?? tMs,
  })
}

function noteSamples(draft: Draft, { name: file }: SourceFile, samples: SampleReader, outside: number): void {
  if (draft.eyes.has('both')) noteAssumed(draft, 'gaze of two eyes is their mean, or that of the one that was not lost')
  if (samples.halved > 0)
    noteAssumed(
      draft,
      'times in whole ms are too coarse for more than 1,000 samples a second: samples of the same time are spread until the next ms',
      file,
    )
  noteLeft(draft, 'gaze points within a blink', samples.blinked, { file })
  noteLeft(draft, 'gaze points that are a code for lost gaze', samples.coded, { file, first: String(samples.code) })
  noteLeft(draft, 'samples outside of any trial', outside, { file })
}

function noteBorders(draft: Draft, { name }: SourceFile, { trials, endless }: ReturnType<typeof findTrials>): void {
  if (endless > 0)
    noteDoubt(
      draft,
      `${endless === 1 ? 'a recording' : `${endless} recordings`} of ${name} without END: the next START ends ${endless === 1 ? 'it' : 'them'}`,
    )
  noteLeft(draft, 'trials without samples', trials.filter(({ test }) => test < 0).length, { file: name })
}
