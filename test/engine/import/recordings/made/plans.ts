import type { Plan } from './recording-maker.ts'

const SCREEN = { widthPx: 1920, heightPx: 1080 }
const PEOPLE = ['kim', 'lee', 'max']
const ITEMS = ['a.png', 'b.png', 'c.png', 'd.png']
const BASE: Omit<Plan, 'name'> = {
  ...{ hz: 120, unit: 'px', time: 'ms', clock: 'on', eyes: 'one', people: PEOPLE, items: ITEMS, itemMs: 3000 },
  ...{ lost: '', beside: [], screen: SCREEN, noisePx: 2 },
}

/** Recordings as different trackers and labs write them. */
export const PLANS: Plan[] = [
  { ...BASE, name: 'one eye, a clock that runs on' },
  { ...BASE, name: 'two eyes at 250 Hz, lost as -9999', hz: 250, eyes: 'both', lost: '-9999' },
  { ...BASE, name: 'times from onset beside a clock', clock: 'both', hz: 60, beside: ['trial', 'count'] },
  { ...BASE, name: 'times from onset, in s', clock: 'onset', time: 's', beside: ['trial'], lost: 'NaN' },
  {
    ...BASE,
    name: 'fractions in µs, with the validity of each eye',
    unit: 'fraction',
    time: 'us',
    eyes: 'both',
    validity: 'tobii',
    lost: '-1',
    beside: ['pupil'],
  },
  { ...BASE, name: 'ISO times, lost as 0', time: 'iso', hz: 60, lost: '0', beside: ['na'] },
  {
    ...BASE,
    name: 'a target beside both eyes at 500 Hz',
    hz: 500,
    eyes: 'both',
    beside: ['target'],
    itemMs: 4000,
    lost: '1e8',
  },
  { ...BASE, name: 'a mouse and a head', beside: ['mouse', 'head'], itemMs: 6000 },
  { ...BASE, name: 'raw pupils in the picture of the camera', beside: ['raw', 'camera'], eyes: 'both', hz: 300 },
  {
    ...BASE,
    name: 'a mean and both eyes, stale where invalid',
    eyes: 'mean and both',
    hz: 300,
    lost: '0',
    beside: ['trackbox', 'pupil'],
  },
  { ...BASE, name: 'stale gaze that only a column calls invalid', validity: 'stale', hz: 250 },
  { ...BASE, name: 'percent, one person', unit: 'percent', people: ['kim'], itemMs: 5000, beside: ['trial'] },
  { ...BASE, name: 'from the middle of the screen', unit: 'centred px', hz: 60, itemMs: 5000 },
  { ...BASE, name: 'a webcam at 30 Hz', hz: 30, noisePx: 14, screen: { widthPx: 1366, heightPx: 768 }, itemMs: 8000 },
  {
    ...BASE,
    name: 'nanoseconds at 1000 Hz, words of validity',
    time: 'ns',
    hz: 1000,
    validity: 'words',
    people: ['kim', 'lee'],
    items: ['a.png', 'b.png'],
    beside: ['count'],
  },
]

/** Recordings in which something looks like gaze, or nothing tells names apart. */
export const HARD_PLANS: Plan[] = [
  {
    ...BASE,
    name: 'conditions of people, pictures without an ending',
    items: ['cat', 'dog', 'owl'],
    people: ['P1', 'P2', 'P3', 'P4'],
    beside: ['condition', 'trial'],
  },
  { ...BASE, name: 'velocities beside gaze', beside: ['velocity'], hz: 250 },
  { ...BASE, name: 'smoothed beside raw gaze', beside: ['smoothed'], hz: 60 },
  { ...BASE, name: 'gaze on the picture beside gaze on the screen', beside: ['relative'], hz: 120 },
  { ...BASE, name: 'raw pupils that follow the gaze', beside: ['raw of gaze'], hz: 250 },
  { ...BASE, name: 'px and fractions', beside: ['other unit'], hz: 120 },
  {
    ...BASE,
    name: 'two blocks of one person',
    people: ['kim'],
    items: ['a', 'b', 'c', 'd', 'a', 'b', 'c', 'd'].map((name) => `${name}.png`),
    beside: ['block', 'trial'],
    clock: 'onset',
  },
  {
    ...BASE,
    name: 'reading on 1280 × 1024',
    scan: 'reading',
    screen: { widthPx: 1280, heightPx: 1024 },
    itemMs: 9000,
    hz: 500,
    people: ['kim', 'lee'],
    eyes: 'both',
  },
  { ...BASE, name: 'a baseline before onset', clock: 'both', baselineMs: 200, hz: 250 },
  { ...BASE, name: 'items without a pause', isGapless: true, people: ['kim'] },
  { ...BASE, name: 'clicks', beside: ['click', 'mouse'], people: ['kim', 'lee'] },
  {
    ...BASE,
    name: 'fractions of 1024 × 768, one eye',
    unit: 'fraction',
    screen: { widthPx: 1024, heightPx: 768 },
    noisePx: 4,
  },
  { ...BASE, name: 'degrees', unit: 'deg', hz: 500 },
]
