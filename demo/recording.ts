import { type SampleColumns, uuidWords } from '../engine/import/samples/samples-parquet.ts'
import type { TextFile } from '../engine/text/text-file.ts'
import type { DemoIds } from './ids.ts'
import { makePerson, type Person, printTime } from './people.ts'
import type { DemoItem } from './pictures.ts'
import { chance, createRandom, type Random } from './random.ts'
import { type Sampler, sampleTrial } from './samples.ts'
import { planTrial, type Trial } from './trial.ts'

/** Ids of random streams; an index distinguishes the streams of one kind. */
const PERSON = 0x2b01
const TRIAL = 0x2b02
const SAMPLES = 0x2b03
const VALIDATION = 0x2b04

export type DemoRecording = {
  /** Writes the next rows; returns their number, which is lower than requested only at the end. */
  fill: (columns: SampleColumns, wanted: number) => number
  samplesDone: () => number
}

export const PARTICIPANTS_HEADER =
  'participant_id,external_id,created_at,display_name,age,gender,display_gender,quality_grade,is_completed,notes,tags,external_data_condition\n'
export const VALIDATIONS_HEADER = 'participant_id,created_at,target_x_px,target_y_px,gaze_x_px,gaze_y_px\n'
export const TESTS_HEADER =
  'test_id,participant_id,item_id,created_at,display_order,duration_ms,finished_on_key,has_finished_on_click,click_count,quality_grade_item,browser_width_px,browser_height_px,item_display_left_px,item_display_top_px,item_display_width_px,item_display_height_px,notes\n'

/** Requested demo study, and the files whose rows are written while its samples are generated. */
type Demo = {
  seed: number
  participants: number
  items: DemoItem[]
  ids: DemoIds
  hz: number
  stimuliDurationMs: number
  participantsCsv: TextFile
  testsCsv: TextFile
  validationsCsv: TextFile
}

/** Records all participants, one after the other, lazily: only as far as samples are requested. */
export function record(demo: Demo): DemoRecording {
  const samplers = recordTests(demo)
  let sampler = samplers.next()
  let samples = 0
  const fill = (columns: SampleColumns, wanted: number): number => {
    let row = 0
    while (row < wanted && !sampler.done) {
      row = sampler.value(columns, row, wanted)
      if (row < wanted) sampler = samplers.next()
    }
    samples += row
    return row
  }
  return { fill, samplesDone: () => samples }
}

/** Writes the rows of participants and tests, and yields a sampler for each test. */
function* recordTests(demo: Demo): Generator<Sampler, void> {
  const { seed, participants, items, ids, participantsCsv, validationsCsv } = demo
  for (let personIndex = 0; personIndex < participants; personIndex++) {
    const person = makePerson(createRandom(seed, PERSON, personIndex), personIndex, items.length)
    const id = ids.participant(personIndex)
    participantsCsv.write(participantRow(id, person, items.length))
    if (person.itemsSeen > 0)
      for (const row of validationRows(id, person, createRandom(seed, VALIDATION, personIndex)))
        validationsCsv.write(row)
    for (let itemIndex = 0; itemIndex < person.itemsSeen; itemIndex++)
      yield recordTest(demo, person, personIndex, itemIndex)
  }
}

function recordTest(demo: Demo, person: Person, personIndex: number, itemIndex: number): Sampler {
  const { seed, items, ids, hz, stimuliDurationMs, testsCsv } = demo
  const item = items[itemIndex]
  const testIndex = personIndex * items.length + itemIndex
  const random = createRandom(seed, TRIAL, testIndex)
  const place = (itemIndex + personIndex) % Math.max(2, items.length)
  const trial = planTrial({ random, person, item, hz, stimuliDurationMs, place })
  const testIds = [ids.test(testIndex), ids.participant(personIndex), ids.item(itemIndex)]
  const startMs = person.startMs + 45_000 + itemIndex * (stimuliDurationMs + 9000)
  testsCsv.write(testRow(testIds, itemIndex, startMs, person, trial, item))
  return sampleTrial([seed, SAMPLES, testIndex], trial, person, uuidWords(testIds[0]))
}

/** Returns a row of participants.csv; its grade stays empty, since the import computes it from the samples. */
function participantRow(id: string, person: Person, itemCount: number): string {
  const { externalId, startMs, offsetMinutes, displayName, age, gender, displayGender } = person
  const { itemsSeen, notes, tags, condition } = person
  const createdAt = printTime(startMs, offsetMinutes)
  return csvRow([
    id,
    externalId,
    createdAt,
    displayName,
    age,
    gender,
    displayGender,
    null,
    itemsSeen === itemCount,
    notes,
    tags.join(','),
    condition,
  ])
}

/** Places of the targets, as shares of the window. */
const TARGETS = [
  [0.5, 0.5],
  [0.1, 0.1],
  [0.9, 0.1],
  [0.1, 0.9],
  [0.9, 0.9],
]
const VALIDATED_AFTER_MS = 30_000
const TARGET_MS = 1500

/**
 * Returns rows of validations.csv: the mean gaze at each target, which is as far off as in the tests; lost as often.
 */
function validationRows(id: string, person: Person, random: Random): string[] {
  const { windowWidthPx, windowHeightPx, biasXPx, biasYPx, noisePx, missingShare, startMs, offsetMinutes } = person
  return TARGETS.map(([x, y], i) => {
    const target = [x * windowWidthPx, y * windowHeightPx].map(thousandths)
    const [errorX, errorY] = [biasXPx, biasYPx].map((bias) => bias + (noisePx / 3) * random.normal())
    const gaze = chance(random, missingShare) ? [null, null] : [target[0] + errorX, target[1] + errorY].map(thousandths)
    const createdAt = printTime(startMs + VALIDATED_AFTER_MS + i * TARGET_MS, offsetMinutes)
    return csvRow([id, createdAt, ...target, ...gaze])
  })
}

/** Returns a row of tests.csv, without the item's place where the window is known: the import lays it out by itself. */
function testRow(
  ids: string[],
  itemIndex: number,
  startMs: number,
  person: Person,
  trial: Trial,
  item: DemoItem,
): string {
  const { screen } = trial
  const window = person.reportsDisplayOnly ? [null, null] : [person.windowWidthPx, person.windowHeightPx]
  const sizes = [item.widthPx * screen.scale, item.heightPx * screen.scale]
  const display = person.reportsDisplayOnly
    ? [screen.leftPx, screen.topPx, ...sizes].map(thousandths)
    : [null, null, null, null]
  return csvRow([
    ...ids,
    printTime(startMs, person.offsetMinutes),
    itemIndex + 1,
    trial.durationMs,
    trial.finishedOnKey,
    trial.hasFinishedOnClick,
    null,
    null,
    ...window,
    ...display,
    trial.notes,
  ])
}

function csvRow(cells: (string | number | boolean | null)[]): string {
  const quoted = cells.map((cell) => {
    const text = cell === null ? '' : String(cell)
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
  })
  return `${quoted.join(',')}\n`
}

const thousandths = (value: number) => Math.round(value * 1000) / 1000
