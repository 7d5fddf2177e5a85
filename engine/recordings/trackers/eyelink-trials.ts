import { addTest, type Draft, itemOf, nextDisplayOrder, participantOf } from '../bundle/draft.ts'
import type { MessagePatterns } from '../reader/reader.ts'
import type { SourceFile } from '../text/source-files.ts'
import { addSeen, type Meaning, meaningOf, type SeenMessages } from './eyelink-messages.ts'
import { addToSetup, makeSetup, type Setup } from './eyelink-setup.ts'

type Trial = { test: number; name: string; item: string; isPicture: boolean; hasOnset: boolean }

/** The state of reading a file, among its trials. */
export type Trials = {
  file: SourceFile
  participantName: string
  draft: Draft
  patterns: MessagePatterns | null
  facts: MessageFacts
  setup: Setup
  /** The display, as the last message gave it; null before the first. */
  display: Meaning['display'] | null
  trial: Trial | null
  /** Whether messages begin trials; else recordings do. */
  hasTrialIds: boolean
  recordings: number
  begun: number
  /** An item that was named before its trial began. */
  itemBefore: string
}

/** Facts learned from all files, to be reported once. */
export type MessageFacts = { seen: SeenMessages; hasNumbers: boolean; hasNoOnset: boolean }

const NUMBERED = /^(trial|recording) \d+$/

export function makeTrials(given: Pick<Trials, 'file' | 'participantName' | 'draft' | 'patterns' | 'facts'>): Trials {
  const hasTrialIds = given.patterns?.trial != null || /^MSG\s+\S+\s+(-?\d+\s+)?TRIALID/m.test(given.file.head)
  return {
    ...given,
    setup: makeSetup(),
    display: null,
    trial: null,
    hasTrialIds,
    recordings: 0,
    begun: 0,
    itemBefore: '',
  }
}

/** Takes a line of START: where no messages do it, a recording begins a trial. */
export function onStart(trials: Trials): void {
  trials.recordings++
  if (trials.trial === null && !trials.hasTrialIds) startTrial(trials, `recording ${trials.recordings}`)
}

/** Takes a line of END. */
export function onEnd(trials: Trials): void {
  if (!trials.hasTrialIds) endTrial(trials)
}

/** Takes a line of MSG. */
export function onMessage(trials: Trials, text: string): void {
  const [, time, message] = /^MSG\s+(\d+(?:\.\d+)?)\s+(.*)$/s.exec(text) ?? []
  if (message === undefined) return
  addSeen(trials.facts.seen, message)
  addToSetup(trials.setup, message)
  const { display, trial, hasEnded, item, isPicture, onsetDelayMs } = meaningOf(message, trials.patterns)
  if (display) trials.display = display
  if (trial !== undefined) {
    trials.hasTrialIds = true
    startTrial(trials, /^\d*$/.test(trial) ? `trial ${trial || trials.begun + 1}` : trial)
  }
  if (hasEnded) endTrial(trials)
  if (item !== undefined) nameItem(trials, item, isPicture === true)
  if (onsetDelayMs !== undefined) placeOnset(trials, Number(time) - onsetDelayMs)
}

/** Returns the test of a sample; -1 outside of any trial. */
export function testAt({ trial, file, participantName, draft }: Trials, tMs: number): number {
  if (trial === null || trial.test >= 0) return trial?.test ?? -1
  const participant = participantOf(draft, file, participantName)
  trial.test = addTest(draft, participant, -1, { displayOrder: nextDisplayOrder(draft, participant), onsetMs: tMs })
  return trial.test
}

export function endTrial(trials: Trials): void {
  const { trial, draft, facts } = trials
  trials.trial = null
  if (trial === null || trial.test < 0) return
  draft.tests[trial.test].item = itemOf(draft, trial.item || trial.name)
  if (trial.item === '' && NUMBERED.test(trial.name)) facts.hasNumbers = true
  if (!trial.hasOnset) facts.hasNoOnset = true
}

function startTrial(trials: Trials, name: string): void {
  endTrial(trials)
  const { itemBefore: item } = trials
  trials.begun++
  trials.trial = { test: -1, name, item, isPicture: item !== '', hasOnset: false }
  trials.itemBefore = ''
}

/**
 * Names the item of a trial. A picture wins over a variable that names one; before a trial begins, only a message named
 * by the user counts.
 */
function nameItem(trials: Trials, item: string, isPicture: boolean): void {
  const { trial, patterns } = trials
  if (trial === null) trials.itemBefore = patterns?.item ? item : ''
  else if (trial.item === '' || (isPicture && !trial.isPicture)) Object.assign(trial, { item, isPicture })
}

function placeOnset(trials: Trials, onsetMs: number): void {
  const { trial, draft } = trials
  if (trial === null || trial.hasOnset) return
  draft.tests[testAt(trials, onsetMs)].onsetMs = onsetMs
  trial.hasOnset = true
}
