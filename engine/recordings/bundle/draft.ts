import { ITEMS_MAX, PARTICIPANTS_MAX, TABLE_MAX_BYTES, TESTS_MAX } from '../../import/bundle/bundle-limits.ts'
import { ServiceError } from '../../model/errors.ts'
import type { Aoi, DisplayRectangle, Recording } from '../../model/study.ts'
import type { PicturePlace } from './placed-at.ts'
import type { SeenMessage, SeenMessages } from './seen-messages.ts'

/**
 * A study in the making: what a reader has found so far. Names are the lab's own; ids are made from them at the end,
 * unless the files have UUIDs. What is unknown is null or ''.
 */
export type DraftParticipant = {
  /** Tells participants apart. */
  key: string
  /** Names of the files that hold recordings of them. */
  files: string[]
  id: string | null
  externalId: string
  createdAt: string
  displayName: string
  age: number | null
  gender: 0 | 1 | 2 | null
  displayGender: string
  qualityGrade: number | null
  isCompleted: boolean | null
  notes: string
  /** Columns that were asked for and their texts; null where they differ between the participant's rows. */
  tags: Map<string, string | null>
  externalData: Map<string, string | null>
}

export type DraftItem = {
  key: string
  id: string | null
  filename: string
  cdnUrl: string
  stimuliDurationMs: number | null
  widthPx: number | null
  heightPx: number | null
}

export type DraftTest = {
  id: string | null
  participant: number
  item: number
  createdAt: string
  displayOrder: number | null
  durationMs: number | null
  finishedOnKey: string
  hasFinishedOnClick: boolean | null
  qualityGradeItem: number | null
  windowWidthPx: number | null
  windowHeightPx: number | null
  display: DisplayRectangle | null
  /** Place of its picture in the window, if only the picture itself gives its size. */
  place: PicturePlace | null
  notes: string
  /** Onset of the item on the clock of its samples. */
  onsetMs: number
}

/** Pictures beside recordings, and which of them each item has; items by their names in the files. */
export type PictureMatches = { files: string[]; items: { name: string; picture: string | null }[] }

/** The eye of a gaze; both: their mean, or that of the one that was not lost. */
export type RecordedEye = 'left' | 'right' | 'both' | null

type DraftValidation = {
  participant: number
  targetXPx: number
  targetYPx: number
  gazeXPx: number
  gazeYPx: number
}

/** An event of a test: `--event-message` finds them among what a format calls messages, events or markers. */
export type DraftEvent = { test: number; tMs: number; name: string; value: string }

type DraftAoi = Omit<Aoi, 'id' | 'itemId'> & { id: string | null; item: number }

export type Draft = {
  studyId: string | null
  studyName: string
  participants: DraftParticipant[]
  items: DraftItem[]
  tests: DraftTest[]
  aois: DraftAoi[]
  /** Targets at which participants were asked to look, in the order of the files, px of the window. */
  validations: DraftValidation[]
  /** In the order of the files. */
  events: DraftEvent[]
  /** Messages that may be events, where nobody has said which are. */
  messages: SeenMessages
  /** Messages that may begin, end or name a trial, of formats whose trials are found by messages. */
  trialMessages: SeenMessage[]
  /** Facts about tracker and screen; null where recordings differ. */
  recording: Map<keyof Recording, string | number | null>
  notes: Notes
  /** Names of files that are no recordings but said something about them. */
  usedFiles: Set<string>
  /** Set once the pictures are taken; null without any. */
  pictures: PictureMatches | null
  /** Number of tests that have an order so far, by participant. */
  shownTo: Map<number, number>
  participantByKey: Map<string, number>
  /** Names of participants that are only those of files. */
  fileNames: Set<string>
  /** The eyes that were recorded, as far as files say it. */
  eyes: Set<RecordedEye>
  itemByKey: Map<string, number>
  /** Total length of all texts above. */
  textLength: number
}

/** The ids of a draft's study, and of its participants, items and tests by their index. */
export type Ids = { study: string; participants: string[]; items: string[]; tests: string[] }

/**
 * Notes for the user: what was left out, what was assumed, and what to check before trusting the result. What holds for
 * many files is one note.
 */
export type Notes = { left: Map<string, Left>; assumed: Map<string, Set<string>>; doubts: Set<string> }

/** Amount left out (null if not counted), the files it came from, and the first such case. */
export type Left = { count: number | null; files: Set<string>; first: string }

export function makeDraft(studyName: string): Draft {
  return {
    studyId: null,
    studyName,
    participants: [],
    items: [],
    tests: [],
    aois: [],
    validations: [],
    events: [],
    messages: new Map(),
    trialMessages: [],
    recording: new Map(),
    notes: { left: new Map(), assumed: new Map(), doubts: new Set() },
    usedFiles: new Set(),
    pictures: null,
    shownTo: new Map(),
    participantByKey: new Map(),
    fileNames: new Set(),
    eyes: new Set(),
    itemByKey: new Map(),
    textLength: 0,
  }
}

/**
 * Returns the participant of this name, made if there is none yet, and notes that the file holds a recording of them.
 */
export function participantOf(
  draft: Draft,
  file: { name: string },
  key: string,
  facts: Partial<DraftParticipant> = {},
): number {
  const known = draft.participantByKey.get(key)
  if (known !== undefined) {
    const { files } = draft.participants[known]
    if (!files.includes(file.name)) files.push(file.name)
    return known
  }
  holdMore(draft, 'participants', key, facts)
  draft.participantByKey.set(key, draft.participants.length)
  return (
    draft.participants.push({
      key,
      files: [file.name],
      id: null,
      externalId: key,
      createdAt: '',
      displayName: '',
      age: null,
      gender: null,
      displayGender: '',
      qualityGrade: null,
      isCompleted: null,
      notes: '',
      tags: new Map(),
      externalData: new Map(),
      ...facts,
    }) - 1
  )
}

/** Returns what people call a participant. */
export function participantName({ externalId, key }: DraftParticipant): string {
  return externalId || key
}

/** Returns the item of this name, made if there is none yet. */
export function itemOf(draft: Draft, key: string, facts: Partial<DraftItem> = {}): number {
  const known = draft.itemByKey.get(key)
  if (known !== undefined) return known
  holdMore(draft, 'items', key, facts)
  draft.itemByKey.set(key, draft.items.length)
  return (
    draft.items.push({
      key,
      id: null,
      filename: key,
      cdnUrl: '',
      stimuliDurationMs: null,
      widthPx: null,
      heightPx: null,
      ...facts,
    }) - 1
  )
}

export function addTest(draft: Draft, participant: number, item: number, facts: Partial<DraftTest> = {}): number {
  holdMore(draft, 'tests', '', facts)
  return (
    draft.tests.push({
      id: null,
      participant,
      item,
      createdAt: '',
      displayOrder: null,
      durationMs: null,
      finishedOnKey: '',
      hasFinishedOnClick: null,
      qualityGradeItem: null,
      windowWidthPx: null,
      windowHeightPx: null,
      display: null,
      place: null,
      notes: '',
      onsetMs: 0,
      ...facts,
    }) - 1
  )
}

const COUNTS_MAX = { participants: PARTICIPANTS_MAX, items: ITEMS_MAX, tests: TESTS_MAX }
const KEY_MAX = 2000

/**
 * Makes room for one more.
 *
 * @throws ServiceError invalid_bundle where a bundle could not hold it, or memory not the names
 */
function holdMore(draft: Draft, what: keyof typeof COUNTS_MAX, key: string, facts: object): void {
  if (draft[what].length >= COUNTS_MAX[what])
    throw new ServiceError('invalid_bundle', `the recordings have more than ${COUNTS_MAX[what]} ${what}`)
  if (key.length > KEY_MAX)
    throw new ServiceError(
      'invalid_bundle',
      `the recordings have a name of ${key.length} characters: ${key.slice(0, 40)}…`,
    )
  const texts = [key, ...Object.values(facts).filter((text) => typeof text === 'string')]
  holdText(
    draft,
    texts.reduce((sum, text) => sum + text.length, 0),
  )
}

/** Counts letters that are held in memory. @throws ServiceError invalid_bundle where they are too many */
export function holdText(draft: Draft, letters: number): void {
  draft.textLength += letters
  if (draft.textLength > TABLE_MAX_BYTES)
    throw new ServiceError('invalid_bundle', 'the names and notes of the recordings are too long to be held together')
}

/**
 * Says that something was left out; counts of the same thing add up over files.
 *
 * @param file its name, where the note is about files
 * @param first an example, of which the first that was noted is shown
 */
export function noteLeft(
  draft: Draft,
  what: string,
  count: number | null = null,
  { file, first = '' }: { file?: string; first?: string } = {},
): void {
  if (count === 0) return
  const left = draft.notes.left.get(what) ?? { count: null, files: new Set(), first }
  draft.notes.left.set(what, left)
  if (count !== null) left.count = (left.count ?? 0) + count
  if (file !== undefined) left.files.add(file)
}

/** Says what was assumed. @param file its name, where the note is about files */
export function noteAssumed(draft: Draft, sentence: string, file?: string): void {
  const files = draft.notes.assumed.get(sentence) ?? new Set()
  draft.notes.assumed.set(sentence, files)
  if (file !== undefined) files.add(file)
}

/** Says what a person should check, since it would change results if it were otherwise. */
export function noteDoubt(draft: Draft, sentence: string): void {
  draft.notes.doubts.add(sentence)
}

/** Counts a participant's tests from 1, where files say nothing but the order of their rows. */
export function nextDisplayOrder(draft: Draft, participant: number): number {
  const order = (draft.shownTo.get(participant) ?? 0) + 1
  draft.shownTo.set(participant, order)
  return order
}
