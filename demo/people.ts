import type { Participant } from '../engine/model/study.ts'
import { between, chance, pick, type Random, wholeBetween } from './random.ts'

type Told = 'externalId' | 'displayName' | 'age' | 'gender' | 'displayGender' | 'notes' | 'tags'

/** A made-up participant: what the bundle says about them, and how well their eyes are tracked. */
export type Person = Pick<Participant, Told> & {
  /** First second of the session, ms since 1970, and the offset of their clock. */
  startMs: number
  offsetMinutes: number
  /** Items that they saw before they left. */
  itemsSeen: number
  hasMouse: boolean
  windowWidthPx: number
  windowHeightPx: number
  /** Their browser reported where the item lay, but not its own size. */
  reportsDisplayOnly: boolean
  /** The task that they were given, `free` or `search`, and how long they look at a thing because of it. */
  condition: (typeof CONDITIONS)[number]['name']
  dwellShare: number
  pxPerDegree: number
  biasXPx: number
  biasYPx: number
} & Tracking

/**
 * Parameters of the quality grade: shares of frames made, time lost and looks off the screen, and the noise of the
 * gaze.
 */
type Tracking = {
  grade: number
  rateShare: number
  missingShare: number
  offScreenShare: number
  noisePx: number
}

/** Aimed at the middle of each grade's range, so that the import finds these grades in the samples. */
const TRACKING: Tracking[] = [
  { grade: 6, rateShare: 1, missingShare: 0.009, offScreenShare: 0, noisePx: 7 },
  { grade: 5, rateShare: 0.97, missingShare: 0.042, offScreenShare: 0.02, noisePx: 10 },
  { grade: 4, rateShare: 0.94, missingShare: 0.1, offScreenShare: 0.05, noisePx: 14 },
  { grade: 3, rateShare: 0.9, missingShare: 0.22, offScreenShare: 0.12, noisePx: 19 },
  { grade: 2, rateShare: 0.86, missingShare: 0.44, offScreenShare: 0.22, noisePx: 26 },
  { grade: 1, rateShare: 0.8, missingShare: 0.76, offScreenShare: 0.3, noisePx: 34 },
]
/** The first dozen have all six grades; after them chance decides, by the same shares. */
const FIRST_GRADES = [6, 5, 4, 3, 6, 5, 2, 4, 1, 5, 6, 3]

const WINDOWS = [
  [1920, 969],
  [1536, 730],
  [1440, 789],
  [1366, 657],
  [1280, 633],
  [2560, 1297],
  [1680, 939],
  [1512, 857],
]
const TABLETS = [
  [820, 1106],
  [1024, 698],
  [768, 954],
]

const GIVEN = 'Anna Björn Chloé Dmitri Eleni Farid Grace Hiro Inés Jun Kwame Liv Mateo Noor Olu Priya'.split(' ')
const FAMILY = 'Andersson Baker Costa Dvořák Eriksen Fischer García Haddad Ito Jansen Kaya Lopez Mbeki Nguyen'.split(
  ' ',
)
/** Free-form labels as people type them: commas, quotes, other scripts, what a spreadsheet takes for a formula. */
const LABELS = [
  'Åsa Lindqvist',
  '',
  'O’Neill, Maeve',
  'Dwayne "Rocky" Diaz',
  '田中 さくら',
  'Anonymous',
  'Мария Иванова',
  '',
  'محمد علي',
  'Panel 7, seat "B"',
  'Ελένη Παππά',
  'नेहा शर्मा',
  '',
  '김민준',
  '@sam_k',
  'Zoë; tester',
  '',
  '=first run',
  'Nguyễn Thị Hoa',
  'Ms. Smith-Jones, PhD',
]
const NOTES = [
  '',
  '',
  '',
  '',
  'wears glasses',
  'contact lenses',
  'left-handed, moved the "mouse" a lot',
  'dim room; window behind',
  'calibrated twice, 2nd run kept',
  '',
]

/** The study's two conditions: who searches looks at a thing for a shorter time. */
const CONDITIONS = [
  { name: 'free', dwellShare: 1 },
  { name: 'search', dwellShare: 0.72 },
] as const

/** Monday morning: a fixed date, since a demo must not depend on the clock. */
const BASE_MS = Date.UTC(2024, 2, 4, 8, 0, 0)
const OFFSETS = [60, 60, 0, -300, 330, 540, 120, -480]

/**
 * Makes a participant. Every eighth leaves early (now and then before the first item), every sixth has no mouse, every
 * sixteenth no known window.
 *
 * @param random their own stream
 */
export function makePerson(random: Random, index: number, itemCount: number): Person {
  const grade = index < FIRST_GRADES.length ? FIRST_GRADES[index] : pick(random, FIRST_GRADES)
  const tracking = TRACKING.find((level) => level.grade === grade)!
  const hasMouse = index % 6 !== 3
  const [windowWidthPx, windowHeightPx] = pick(random, hasMouse ? WINDOWS : TABLETS)
  const gender = pick(random, [0, 0, 0, 1, 1, 1, 2, null] as const)
  const leaves = index % 8 === 5 && itemCount > 1
  const biasPx = tracking.noisePx * 0.9
  // In turn, the other way round in every second eight, so that neither those without a mouse nor those who leave share
  // a condition.
  const { name: condition, dwellShare } = CONDITIONS[(index + Math.floor(index / 8)) % CONDITIONS.length]
  const person = {
    ...tracking,
    noisePx: tracking.noisePx * between(random, 0.85, 1.2),
    externalId: index % 5 === 4 ? '' : `${pick(random, ['P', 'P', 'panel/'])}${String(index + 1).padStart(4, '0')}`,
    displayName:
      index < LABELS.length
        ? LABELS[index]
        : chance(random, 0.3)
          ? ''
          : `${pick(random, GIVEN)} ${pick(random, FAMILY)}`,
    age: chance(random, 0.12) ? null : wholeBetween(random, 18, 71),
    gender,
    displayGender: gender === 2 && chance(random, 0.6) ? 'non-binary' : '',
    notes: leaves ? 'left early, no reason given' : pick(random, NOTES),
    startMs: BASE_MS + index * 17 * 60_000 + wholeBetween(random, 0, 600_000),
    offsetMinutes: pick(random, OFFSETS),
    itemsSeen: !leaves ? itemCount : index % 32 === 21 ? 0 : wholeBetween(random, 1, itemCount - 1),
    hasMouse,
    windowWidthPx,
    windowHeightPx,
    reportsDisplayOnly: index % 16 === 10,
    pxPerDegree: between(random, 34, 44) * (windowWidthPx / 1536) ** 0.5,
    biasXPx: random.normal() * biasPx * 0.7,
    biasYPx: random.normal() * biasPx,
    condition,
    dwellShare,
  }
  return { ...person, tags: tagsOf(person, index) }
}

const PILOTS = 3

function tagsOf({ notes, hasMouse }: { notes: string; hasMouse: boolean }, index: number): string[] {
  const tags = {
    pilot: index < PILOTS,
    tablet: !hasMouse,
    glasses: notes === 'wears glasses',
    'contact lenses': notes === 'contact lenses',
  }
  return Object.entries(tags).flatMap(([tag, isGiven]) => (isGiven ? [tag] : []))
}

/** Prints a time as RFC 3339 with its offset; UTC as Z. */
export function printTime(ms: number, offsetMinutes: number): string {
  const local = new Date(ms + offsetMinutes * 60_000).toISOString().slice(0, -1)
  if (offsetMinutes === 0) return `${local}Z`
  const [hours, minutes] = [Math.floor(Math.abs(offsetMinutes) / 60), Math.abs(offsetMinutes) % 60]
  return `${local}${offsetMinutes < 0 ? '-' : '+'}${String(hours).padStart(2, '0')}:${String(minutes).padStart(2, '0')}`
}
