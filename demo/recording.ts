import { type SampleColumns, uuidWords } from '../engine/store/samples-parquet.ts'
import type { TextFile } from '../engine/store/textfile.ts'
import type { DemoIds } from './ids.ts'
import { makePerson, type Person, printTime } from './people.ts'
import type { DemoItem } from './pictures.ts'
import { createRandom } from './random.ts'
import { type Sampler, sampleTrial } from './samples.ts'
import { planTrial, type Trial } from './trial.ts'

/** Streams of chance, each followed by an index. */
const PERSON = 0x2b01
const TRIAL = 0x2b02
const SAMPLES = 0x2b03

export type Recording = {
  /** Writes the next rows; returns how many, which is fewer than asked for only at the end. */
  fill: (columns: SampleColumns, wanted: number) => number
  samplesDone: () => number
}

export const PARTICIPANTS_HEADER =
  'participant_id,external_id,created_at,display_name,age,gender,display_gender,quality_grade,is_completed,notes\n'
export const TESTS_HEADER =
  'test_id,participant_id,item_id,created_at,display_order,duration_ms,finished_on_key,has_finished_on_click,click_count,quality_grade_item,browser_width_px,browser_height_px,item_display_left_px,item_display_top_px,item_display_width_px,item_display_height_px,notes\n'

/** The session of one participant after the other: rows of both CSV files as it goes, samples as they are asked for. */
export function record({
  seed,
  participants,
  items,
  ids,
  hz,
  stimuliDurationMs,
  participantsCsv,
  testsCsv,
}: {
  seed: number
  participants: number
  items: DemoItem[]
  ids: DemoIds
  hz: number
  stimuliDurationMs: number
  participantsCsv: TextFile
  testsCsv: TextFile
}): Recording {
  let samples = 0
  let person: Person | null = null
  let sampler: Sampler | null = null
  let [personIndex, itemIndex] = [-1, items.length]

  /** Goes on to the next test, writing what the tables say of it; false at the end. */
  const next = (): boolean => {
    while (person === null || itemIndex >= person.itemsSeen) {
      if (++personIndex >= participants) return false
      person = makePerson(createRandom(seed, PERSON, personIndex), personIndex, items.length)
      itemIndex = 0
      participantsCsv.write(participantRow(ids.participant(personIndex), person, items.length))
    }
    const item = items[itemIndex]
    const testIndex = personIndex * items.length + itemIndex
    const random = createRandom(seed, TRIAL, testIndex)
    const place = (itemIndex + personIndex) % Math.max(2, items.length)
    const trial = planTrial({ random, person, item, hz, stimuliDurationMs, place })
    const id = ids.test(testIndex)
    const startMs = person.startMs + 45_000 + itemIndex * (stimuliDurationMs + 9000)
    testsCsv.write(
      testRow([id, ids.participant(personIndex), ids.item(itemIndex)], itemIndex, startMs, person, trial, item),
    )
    sampler = sampleTrial([seed, SAMPLES, testIndex], trial, person, uuidWords(id))
    itemIndex++
    return true
  }

  const fill = (columns: SampleColumns, wanted: number): number => {
    let row = 0
    while (row < wanted) {
      if (sampler === null && !next()) break
      row = sampler!(columns, row, wanted)
      if (row < wanted) sampler = null
    }
    samples += row
    return row
  }
  return { fill, samplesDone: () => samples }
}

/** Grades stay empty: import computes them from the samples. */
function participantRow(id: string, person: Person, itemCount: number): string {
  const { externalId, startMs, offsetMinutes, displayName, age, gender, displayGender, itemsSeen, notes } = person
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
  ])
}

/** The item's place is left out where the window is known, since import lays it out by itself. */
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
