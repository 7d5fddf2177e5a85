import { ITEMS_MAX, PARTICIPANTS_MAX, TABLE_MAX_BYTES, TESTS_MAX } from '../../import/bundle/bundle-limits.ts'
import { ServiceError } from '../../model/errors.ts'
import type { Aoi, Item, Participant, Recording, Test } from '../../model/study.ts'
import type { PicturePlace } from './placed-at.ts'
import type { SeenMessage, SeenMessages } from './seen-messages.ts'

/**
 * A study under construction: a reader's findings so far. Names are the lab's own; ids are derived from them at the
 * end, unless the files have UUIDs. Unknown values are null or ''.
 */
export type DraftParticipant = Omit<Participant, 'id' | 'qualityGrade' | 'isCompleted' | 'tags' | 'externalData'> & {
  /** Identifies a participant within the draft. */
  key: string
  /** Names of the files that hold recordings of the participant. */
  files: string[]
  id: string | null
  qualityGrade: number | null
  isCompleted: boolean | null
  /** Requested columns and their texts; null if they differ between the participant's rows. `facts`: age and gender. */
  tags: Map<string, string | null>
  externalData: Map<string, string | null>
  facts: Map<string, string | null>
}

export type DraftItem = Omit<Item, 'id' | 'type'> & { key: string; id: string | null }

export type DraftTest = Pick<Test, 'createdAt' | 'displayOrder' | 'finishedOnKey' | 'display' | 'notes'> & {
  id: string | null
  participant: number
  item: number
  durationMs: number | null
  hasFinishedOnClick: boolean | null
  qualityGradeItem: number | null
  windowWidthPx: number | null
  windowHeightPx: number | null
  /** Position of the picture in the window, if the size is known only from the picture itself. */
  place: PicturePlace | null
  /** Onset of the item on the clock of the test's samples. */
  onsetMs: number
  /** Name of the file with its samples. */
  file: string
}

/** Pictures beside the recordings, and each item's picture; items by their names in the files. */
export type PictureMatches = { files: string[]; items: { name: string; picture: string | null }[] }

/** Names in the path of a file; those that it lacks are absent. */
export type PathNames = { participant?: string; item?: string; session?: string; trial?: string }

/** Eye of a gaze; both: the mean, or the one that was not lost. */
export type RecordedEye = 'left' | 'right' | 'both' | null

type DraftValidation = {
  participant: number
  targetXPx: number
  targetYPx: number
  gazeXPx: number
  gazeYPx: number
}

/** An event of a test: `--event-message` selects them among a format's messages, events or markers. */
export type DraftEvent = { test: number; tMs: number; name: string; value: string }

type DraftAoi = Omit<Aoi, 'id' | 'itemId'> & { id: string | null; item: number }

export type Draft = {
  studyId: string | null
  studyName: string
  participants: DraftParticipant[]
  items: DraftItem[]
  tests: DraftTest[]
  aois: DraftAoi[]
  /** Validation targets, in the order of the files, in px of the window. */
  validations: DraftValidation[]
  /** In the order of the files. */
  events: DraftEvent[]
  /** Messages that may be events, if no pattern selects events. */
  messages: SeenMessages
  /** Messages that may begin, end or name a trial, in formats whose trials are delimited by messages. */
  trialMessages: SeenMessage[]
  /** True once a doubt lists the messages. */
  areMessagesListed: boolean
  /** True if a reader reports gaps in tests itself. */
  areHolesNoted: boolean
  /** Facts about tracker and screen; null if recordings differ. */
  recording: Map<keyof Recording, string | number | null>
  notes: Notes
  /** Names of files that are not recordings but contributed facts about them. */
  usedFiles: Set<string>
  /** Set once the pictures are copied; null without any. */
  pictures: PictureMatches | null
  /** Name of the file of which a participant was named last: that of the next test. */
  file: string
  /** Number of tests with a display order so far, by participant. */
  shownTo: Map<number, number>
  participantByKey: Map<string, number>
  /** Files left out since another one has the same bytes, each with that one. */
  copies: Map<string, string>
  /** Names in the paths of files, by file. */
  pathNames: Map<string, PathNames>
  /** Originals from which files were converted, as far as the files name them. */
  origins: Map<string, string>
  /** Names of participants that are only file names. */
  fileNames: Set<string>
  /** Recorded eyes, as far as files name them. */
  eyes: Set<RecordedEye>
  itemByKey: Map<string, number>
  /** Total length of all texts above. */
  textLength: number
}

/** Ids of a draft's study, and of its participants, items and tests by index. */
export type Ids = { study: string; participants: string[]; items: string[]; tests: string[] }

/**
 * Notes for the user: omissions, assumptions, and doubts to check before trusting the result. A note that applies to
 * many files appears once.
 */
export type Notes = { left: Map<string, Left>; assumed: Map<string, Set<string>>; doubts: Set<string> }

/** Amount left out (null if not counted), the source files, and the first case. */
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
    areMessagesListed: false,
    areHolesNoted: false,
    recording: new Map(),
    notes: { left: new Map(), assumed: new Map(), doubts: new Set() },
    usedFiles: new Set(),
    pictures: null,
    file: '',
    shownTo: new Map(),
    participantByKey: new Map(),
    copies: new Map(),
    pathNames: new Map(),
    origins: new Map(),
    fileNames: new Set(),
    eyes: new Set(),
    itemByKey: new Map(),
    textLength: 0,
  }
}

/** Returns the participant of this name, created if new, and notes that the file holds a recording of them. */
export function participantOf(
  draft: Draft,
  file: { name: string },
  key: string,
  facts: Partial<DraftParticipant> = {},
): number {
  const known = draft.participantByKey.get(key)
  draft.file = file.name
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
      facts: new Map(),
      ...facts,
    }) - 1
  )
}

/** Returns the display name of a participant. */
export function participantName({ externalId, key }: DraftParticipant): string {
  return externalId || key
}

/** Returns the item of this name, created if new. */
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
      file: draft.file,
      ...facts,
    }) - 1
  )
}

const COUNTS_MAX = { participants: PARTICIPANTS_MAX, items: ITEMS_MAX, tests: TESTS_MAX }
const KEY_MAX = 2000

/**
 * Reserves room for one more entry.
 *
 * @throws ServiceError invalid_bundle if a bundle could not hold it, or memory its names
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

/** Counts characters held in memory. @throws ServiceError invalid_bundle for too many */
export function holdText(draft: Draft, letters: number): void {
  draft.textLength += letters
  if (draft.textLength > TABLE_MAX_BYTES)
    throw new ServiceError('invalid_bundle', 'the names and notes of the recordings are too long to be held together')
}

/**
 * Reports an omission; counts of the same kind add up over files.
 *
 * @param file its name, if the note is about files
 * @param first an example; only the first one is shown
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

/** Reports an assumption. @param file its name, if the note is about files */
export function noteAssumed(draft: Draft, sentence: string, file?: string): void {
  const files = draft.notes.assumed.get(sentence) ?? new Set()
  draft.notes.assumed.set(sentence, files)
  if (file !== undefined) files.add(file)
}

/** Reports a doubt: something to check, since results would change if it were otherwise. */
export function noteDoubt(draft: Draft, sentence: string): void {
  draft.notes.doubts.add(sentence)
}

/** Numbers a participant's tests from 1, for files whose only order is that of their rows. */
export function nextDisplayOrder(draft: Draft, participant: number): number {
  const order = (draft.shownTo.get(participant) ?? 0) + 1
  draft.shownTo.set(participant, order)
  return order
}
