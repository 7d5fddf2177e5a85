import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { toUs } from '../../model/microseconds.ts'
import type { Study } from '../../model/study.ts'
import type { RecordedChoices, RecordedFiles } from '../../snapshot/recordings-file.ts'
import { RECORDINGS_FILE } from '../../snapshot/table-columns.ts'
import { quote } from '../../text/cells.ts'
import { nameUuid } from '../../text/name-uuid.ts'
import { createTextFile } from '../../text/text-file.ts'
import { type Draft, type Ids, participantName } from '../draft/draft.ts'
import { externalName, tagOf } from '../draft/kept-facts.ts'
import { assumedTexts, leftTexts } from '../draft/note-texts.ts'
import { recordingOf } from '../draft/recording-facts.ts'
import type { ContinuedStudy } from './continued-study.ts'

/** Writes study.json. Foreign files contain no flow, so there are no steps, and items keep their order in the draft. */
export function writeStudy(directory: string, draft: Draft, ids: Ids, continued: ContinuedStudy | null): void {
  const drafted = studyOf(draft, ids)
  const study = continued === null ? drafted : extended(continued.study, drafted)
  writeFileSync(join(directory, 'study.json'), `${JSON.stringify(study, null, 2)}\n`)
}

/** Adds to a study its new items and their AOIs. */
function extended(study: Study, drafted: Pick<Study, 'items' | 'aois'>): Study {
  const known = new Set(study.items.map(({ id }) => id))
  const items = [...study.items, ...drafted.items.filter(({ id }) => !known.has(id))]
  return { ...study, items, aois: [...study.aois, ...drafted.aois.filter(({ itemId }) => !known.has(itemId))] }
}

function studyOf(draft: Draft, ids: Ids): Study {
  const recording = recordingOf(draft)
  return {
    id: ids.study,
    name: draft.studyName,
    isServiceBasicSurveyEnabled: false,
    steps: [],
    items: draft.items.map(({ filename, cdnUrl, stimuliDurationMs, widthPx, heightPx }, i) => ({
      id: ids.items[i],
      filename,
      cdnUrl,
      type: 'images',
      stimuliDurationMs,
      widthPx,
      heightPx,
    })),
    aois: draft.aois.map(({ id, item, name, parts }, i) => ({
      id: id ?? nameUuid(ids.study, 'aoi', draft.items[item].key, name, String(i)),
      itemId: ids.items[item],
      name,
      parts,
    })),
    ...(recording ? { recording } : {}),
  }
}

type Cell = string | number | boolean | null

function csvRow(cells: Cell[]): string {
  return `${cells.map((cell) => quote(cell === null ? '' : String(cell))).join(',')}\n`
}

/** Writes participants.csv. @param known ids of participants already in the study */
export function writeParticipantsCsv(directory: string, { participants }: Draft, ids: Ids, known: Set<string>): void {
  const hasTags = participants.some(({ tags }) => tags.size > 0)
  const columns = [...new Set(participants.flatMap(({ externalData }) => [...externalData.keys()]))].sort()
  const more = [...(hasTags ? ['tags'] : []), ...columns.map((name) => `external_data_${externalName(name)}`)]
  const header =
    'participant_id,external_id,created_at,display_name,age,gender,display_gender,quality_grade,is_completed,notes'
  const file = createTextFile(join(directory, 'participants.csv'), `${[header, ...more].join(',')}\n`)
  try {
    for (const [i, one] of participants.entries()) {
      if (known.has(ids.participants[i])) continue
      const { externalId, createdAt, displayName, age, gender, displayGender, qualityGrade, isCompleted, notes } = one
      const facts = [externalId, createdAt, displayName, age, gender, displayGender, qualityGrade, isCompleted, notes]
      const tags = [...one.tags].flatMap(([name, value]) => (value === null ? [] : [tagOf(name, value)]))
      const further = columns.map((name) => one.externalData.get(name) ?? null)
      file.write(csvRow([ids.participants[i], ...facts, ...(hasTags ? [tags.join(',')] : []), ...further]))
    }
  } finally {
    file.close()
  }
}

/** Writes validations.csv, if there are any. */
export function writeValidationsCsv(directory: string, { validations }: Draft, ids: Ids): void {
  if (validations.length === 0) return
  const header = 'participant_id,created_at,target_x_px,target_y_px,gaze_x_px,gaze_y_px\n'
  const file = createTextFile(join(directory, 'validations.csv'), header)
  const px = (value: number) => Math.round(value * 1e6) / 1e6
  try {
    for (const { participant, targetXPx, targetYPx, gazeXPx, gazeYPx } of validations)
      file.write(csvRow([ids.participants[participant], '', ...[targetXPx, targetYPx, gazeXPx, gazeYPx].map(px)]))
  } finally {
    file.close()
  }
}

/** Writes events.csv, if there are any: times from item onset, in whole µs as in an import. */
export function writeEventsCsv(directory: string, { events, tests }: Draft, ids: Ids): void {
  if (events.length === 0) return
  const file = createTextFile(join(directory, 'events.csv'), 'test_id,t_ms,name,value\n')
  try {
    for (const { test, tMs, name, value } of events) {
      const us = toUs(tMs - tests[test].onsetMs)
      file.write(csvRow([ids.tests[test], us / 1000, name, value]))
    }
  } finally {
    file.close()
  }
}

export function writeTestsCsv(directory: string, { tests }: Draft, ids: Ids): void {
  const file = createTextFile(
    join(directory, 'tests.csv'),
    'test_id,participant_id,item_id,created_at,display_order,duration_ms,finished_on_key,has_finished_on_click,click_count,quality_grade_item,browser_width_px,browser_height_px,item_display_left_px,item_display_top_px,item_display_width_px,item_display_height_px,notes\n',
  )
  try {
    for (const [i, test] of tests.entries()) {
      const { leftPx, topPx, widthPx, heightPx } = test.display ?? {}
      const place = [leftPx, topPx, widthPx, heightPx].map((value) => value ?? null)
      const window = [test.windowWidthPx, test.windowHeightPx]
      const keys = [ids.tests[i], ids.participants[test.participant], ids.items[test.item]]
      const end = [test.finishedOnKey, test.hasFinishedOnClick, null, test.qualityGradeItem]
      file.write(
        csvRow([...keys, test.createdAt, test.displayOrder, test.durationMs, ...end, ...window, ...place, test.notes]),
      )
    }
  } finally {
    file.close()
  }
}

/**
 * Writes recordings.json, which identifies files that come again, and records how they were read.
 *
 * @param hashes SHA-256 of the recording files, by name
 */
export function writeRecordings(
  directory: string,
  draft: Draft,
  ids: Ids,
  { name: format, choices }: { name: string; choices: RecordedChoices },
  hashes: Map<string, string>,
): void {
  const files = [...hashes].map(([name, sha256]) => ({
    sha256,
    participants: ids.participants.filter((_, i) => draft.participants[i].files.includes(name)),
  }))
  const eye = draft.eyes.size === 1 ? [...draft.eyes][0] : null
  const recordings: RecordedFiles = { format, eye, choices, files }
  writeFileSync(join(directory, RECORDINGS_FILE), `${JSON.stringify(recordings)}\n`)
}

/**
 * Writes conversion.json, which keeps the report with the data: participants, findings, omissions, assumptions and
 * doubts.
 */
export function writeConversion(
  directory: string,
  { notes, participants }: Draft,
  format: string,
  counts: Record<string, string | number>,
): void {
  const conversion = {
    format,
    counts,
    participants: participants.map((one) => ({ name: participantName(one), files: one.files })),
    left: leftTexts(notes),
    assumed: assumedTexts(notes),
    check: [...notes.doubts],
  }
  writeFileSync(join(directory, 'conversion.json'), `${JSON.stringify(conversion, null, 2)}\n`)
}
