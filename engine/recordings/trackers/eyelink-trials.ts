import type { Display, Named } from './eyelink-messages.ts'
import type { LineEvent, Outline } from './eyelink-outline.ts'

/** A trial of a file: the samples after line `from` and before line `until`, counted in lines other than samples. */
export type EyelinkTrial = {
  name: string
  from: number
  until: number
  startMs: number
  /** null: the item appeared with the first sample. */
  onsetMs: number | null
  /** Onset from another onset message, long after the first. */
  laterOnsetMs: number | null
  named: TimedName[]
  /** Display of its first sample; null if the file states none. */
  display: Display | null
  /** Index into the draft's tests; -1 until it has a sample. */
  test: number
}

export type TimedName = Named & { timeMs: number }

/**
 * A name between two trials: the number of trials before it, and the trial that it belongs to if the recording tells.
 */
type Between = { behind: number; named: TimedName; side: 'before' | 'after' | null }

/** Trials of a file, in time order. */
export type FileTrials = {
  trials: EyelinkTrial[]
  between: Between[]
  /** Number of recordings that were ended only by the next one. */
  endless: number
}

/** Largest time between two messages of the same onset, in ms: the default templates send two in succession. */
const SAME_ONSET_MS = 20

type State = FileTrials & {
  trial: (EyelinkTrial & { samples: number; hasResult: boolean }) | null
  isRecording: boolean
  /** Samples before the recording, and recordings so far. */
  samples: number
  recordings: number
  /** State since the last trial: whether its recording has ended, whether another has started, and the names so far. */
  gap: { hasEnded: boolean; hasStarted: boolean; names: GapName[] }
}

type GapName = { named: TimedName; hasEnded: boolean; hasStarted: boolean; startsAfter: boolean }

/**
 * Finds the trials of a file. A message begins a trial; without any, each recording is a trial. A trial ends with its
 * result message, if that comes before the next trial begins; otherwise with its recording, or at the beginning of the
 * next trial.
 *
 * @param hasPattern whether the user gave a pattern for the message that begins a trial: then no other line begins one
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

/** Determines for each event whether a result message comes before the next trial begins. */
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

/**
 * Begins a recording.
 *
 * @param hasResult whether the recording, as a trial, has a result; null if messages begin trials
 */
function onStart(state: State, event: LineEvent, hasResult: boolean | null): void {
  const { isRecording, gap } = state
  // A second START in succession, without a sample in between, belongs to the same recording.
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
    display: null,
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

/** Assigns names within the recording of the trial before or after to that trial; any other name may belong to both. */
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
