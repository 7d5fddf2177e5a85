import type { Named } from './eyelink-messages.ts'
import type { LineEvent, Outline } from './eyelink-outline.ts'

/** A trial of a file: the samples behind line `from` and before line `until`, counted in lines that are no samples. */
export type Trial = {
  name: string
  from: number
  until: number
  startMs: number
  /** null: the item appeared with the first sample. */
  onsetMs: number | null
  /** Onset from another message that gives one, long after the first. */
  laterOnsetMs: number | null
  named: TimedName[]
  /** Index into the draft's tests; -1 until it has a sample. */
  test: number
}

export type TimedName = Named & { timeMs: number }

/**
 * A name between two trials: behind how many trials it comes, and whether the recording says of which of the two it is.
 */
type Between = { behind: number; named: TimedName; side: 'before' | 'after' | null }

/** The trials of a file, in time. */
export type FileTrials = {
  trials: Trial[]
  between: Between[]
  /** Recordings that the next one ends. */
  endless: number
}

/** The default templates send two messages of an onset one after the other. */
const SAME_ONSET_MS = 20

type State = FileTrials & {
  trial: (Trial & { samples: number; hasResult: boolean }) | null
  isRecording: boolean
  /** Samples before the recording, and recordings so far. */
  samples: number
  recordings: number
  /** Since the last trial: whether its recording has ended, whether another has started, and the names behind it. */
  gap: { hasEnded: boolean; hasStarted: boolean; names: GapName[] }
}

type GapName = { named: TimedName; hasEnded: boolean; hasStarted: boolean; startsAfter: boolean }

/**
 * Finds the trials of a file. A message begins one; where none does, each recording is one. A trial ends with the
 * message of its result, if one comes before the next trial begins; else with its recording, or where the next trial
 * begins.
 *
 * @param hasPattern whether a person has said which message begins a trial: then none without it is one
 */
export function findTrials({ events }: Outline, hasPattern: boolean): FileTrials {
  const hasMessages = hasPattern || events.some(({ kind }) => kind === 'begin')
  const results = resultsAhead(events, hasMessages ? 'begin' : 'start')
  const state: State = {
    ...{ trials: [], between: [], endless: 0, trial: null, isRecording: false, samples: 0, recordings: 0 },
    gap: { hasEnded: false, hasStarted: false, names: [] },
  }
  for (const [i, event] of events.entries()) {
    if (event.kind === 'start') onStart(state, event, hasMessages ? null : results[i])
    else if (event.kind === 'end') onEnd(state, event)
    else if (event.kind === 'begin') begin(state, event, nameOf(event.name, state.trials.length + 1), results[i])
    else if (event.kind === 'result') endTrial(state, event.line)
    else if (event.kind === 'named') addName(state, { ...event.named, timeMs: event.timeMs })
    else addOnset(state, event.timeMs)
  }
  endTrial(state, Number.POSITIVE_INFINITY)
  placeNames(state)
  return state
}

/** Tells for each event whether the message of a result comes before the next trial begins. */
function resultsAhead(events: LineEvent[], beginning: 'begin' | 'start'): boolean[] {
  const ahead: boolean[] = []
  let isAhead = false
  for (let i = events.length - 1; i >= 0; i--) {
    ahead[i] = isAhead
    if (events[i].kind === 'result') isAhead = true
    else if (events[i].kind === beginning) isAhead = false
  }
  return ahead
}

function nameOf(text: string, number: number): string {
  return /^\d*$/.test(text) ? `trial ${text || number}` : text
}

/** Begins a recording. @param hasResult of the recording as a trial; null where messages begin trials */
function onStart(state: State, event: LineEvent, hasResult: boolean | null): void {
  const { isRecording, gap } = state
  // A second START in a row, without a sample between them, is the same recording.
  if (isRecording && event.samples === state.samples) return
  if (isRecording) {
    state.endless++
    onEnd(state, event)
  }
  Object.assign(state, { isRecording: true, samples: event.samples, recordings: state.recordings + 1 })
  gap.hasStarted = true
  for (const name of gap.names) name.startsAfter = true
  if (hasResult !== null) begin(state, event, `recording ${state.recordings}`, hasResult)
}

function onEnd(state: State, { line, samples }: LineEvent): void {
  const { trial } = state
  state.isRecording = false
  state.gap.hasEnded = true
  if (trial !== null && !trial.hasResult && samples > trial.samples) endTrial(state, line)
}

function begin(state: State, { line, samples, timeMs }: LineEvent, name: string, hasResult: boolean): void {
  endTrial(state, line)
  placeNames(state)
  const trial = {
    name,
    from: line,
    until: line,
    startMs: timeMs,
    onsetMs: null,
    laterOnsetMs: null,
    named: [],
    test: -1,
  }
  state.trial = { ...trial, samples, hasResult }
  state.trials.push(state.trial)
}

function endTrial(state: State, line: number): void {
  if (state.trial === null) return
  state.trial.until = line
  state.trial = null
  state.gap = { hasEnded: !state.isRecording, hasStarted: false, names: [] }
}

function addName({ trial, gap: { names, hasEnded, hasStarted } }: State, named: TimedName): void {
  if (trial !== null) trial.named.push(named)
  else names.push({ named, hasEnded, hasStarted, startsAfter: false })
}

/** Names within the recording of the trial before or after them are of that one; else a name may be of both. */
function placeNames({ trials, between, gap }: State): void {
  for (const { named, hasEnded, hasStarted, startsAfter } of gap.names.splice(0)) {
    const isAfter = trials.length > 0 && !hasEnded && startsAfter
    const isBefore = hasStarted && !startsAfter
    between.push({ behind: trials.length, named, side: isAfter ? 'after' : isBefore ? 'before' : null })
  }
}

function addOnset({ trial }: State, onsetMs: number): void {
  if (trial === null) return
  if (trial.onsetMs === null) trial.onsetMs = onsetMs
  else if (onsetMs - trial.onsetMs > SAME_ONSET_MS) trial.laterOnsetMs ??= onsetMs
}
