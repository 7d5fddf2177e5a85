import { ServiceError } from '../../model/errors.ts'
import { type Draft, noteDoubt, noteLeft } from '../draft/draft.ts'
import type { Screen } from '../reader/reader.ts'
import type { SourceFile } from '../text/source-files.ts'
import { readJsonObject, sidecarsOf } from './bids-events.ts'
import { columnNamed, TIME_NAMES } from './bids-time.ts'

export const EYETRACK = /_eyetrack\.tsv(\.gz)?$/
/** Data of an eye in BIDS before 1.11, whose sidecar does not say that they are of eyes. */
export const OLDER_EYE = /_recording-(eye|gaze)[^_/]*_physio\.tsv(\.gz)?$/i
const RECORDING = /_(physio|eyetrack)\.tsv(\.gz)?$/
const COLUMN_NAMES = {
  x: ['x_coordinate', 'eye1_x_coordinate', 'eye2_x_coordinate', 'gaze_x', 'x'],
  y: ['y_coordinate', 'eye1_y_coordinate', 'eye2_y_coordinate', 'gaze_y', 'y'],
}

/** Returns the index of the column of x or y; -1 for none. */
export function bidsColumnOf({ Columns }: Sidecar, what: keyof typeof COLUMN_NAMES): number {
  return columnNamed(Columns, COLUMN_NAMES[what])
}

export type Sidecar = Record<string, unknown> & { Columns: string[] }
export type BidsSource = { sidecar: Sidecar; hasHeader: boolean; data: SourceFile; stem: string; eye: string }

/** Returns a recording with its sidecar; null if the file has no samples, or no eye tracking. */
export function bidsRecordingOf(data: SourceFile, all: SourceFile[], draft: Draft): BidsSource | null {
  const suffix = RECORDING.exec(data.name)?.[1]
  if (suffix === undefined) return null
  const name = data.name.replace(RECORDING, '')
  const sidecar: Record<string, unknown> = {}
  for (const file of sidecarsOf(name, suffix, all)) {
    const json = readJsonObject(file)
    if (json === null) throw new ServiceError('invalid_bundle', `${file.name} is not JSON`)
    draft.usedFiles.add(file.name)
    Object.assign(sidecar, json)
  }
  const isOlder = sidecar.PhysioType === undefined && OLDER_EYE.test(data.name)
  if (suffix === 'physio' && sidecar.PhysioType !== 'eyetrack' && !isOlder) return null
  const named = headerIn(data)
  if (named) sidecar.Columns = named
  if (!Array.isArray(sidecar.Columns))
    throw new ServiceError('invalid_bundle', `${data.name} has no sidecar that gives its Columns`)
  const eye = String(sidecar.RecordedEye ?? '').toLowerCase()
  const hasGaze = bidsColumnOf(sidecar as Sidecar, 'x') >= 0 && bidsColumnOf(sidecar as Sidecar, 'y') >= 0
  if ((suffix === 'eyetrack' || isOlder) && !hasGaze) {
    draft.usedFiles.add(data.name)
    noteLeft(draft, 'recordings without x and y, as of pupils or heads', 1, { file: data.name })
    return null
  }
  return {
    sidecar: sidecar as Sidecar,
    hasHeader: named !== null,
    data,
    stem: name.replace(/_recording-[^_]+$/, ''),
    eye,
  }
}

/** Returns the column names in the first row, which BIDS does not allow; null if that is a row of samples. */
function headerIn({ head }: SourceFile): string[] | null {
  const cells = head.slice(0, head.search(/\r?\n|$/)).split('\t')
  const hasNames = [...COLUMN_NAMES.x, ...TIME_NAMES].some((name) => cells.includes(name))
  return hasNames ? cells : null
}

/** Returns the screen size from the sidecar of the samples, as in drafts of BIDS. */
export function screenIn({ ScreenResolution: size }: Sidecar): Screen | null {
  return Array.isArray(size) && size[0] >= 1 && size[1] >= 1 ? { widthPx: size[0], heightPx: size[1] } : null
}

/**
 * Names the subjects of recordings. A label is unique only within its dataset, so if there are several datasets, their
 * folders are part of the names.
 */
export function nameSubjects(recordings: BidsSource[], draft: Draft): (recording: BidsSource) => string {
  const datasetOf = ({ stem }: BidsSource) => /^(?:(.*)\/)?sub-[^/]+\//.exec(stem)?.[1] ?? ''
  const isAlone = new Set(recordings.map(datasetOf)).size < 2
  if (!isAlone) noteDoubt(draft, 'participants of several datasets are prefixed with their folder')
  return (recording) => {
    const subject = /(?:^|\/|_)sub-([^_/]+)/.exec(recording.stem)?.[1] ?? recording.stem
    return isAlone ? `sub-${subject}` : `${datasetOf(recording)}/sub-${subject}`
  }
}

/** Recordings of a run: the first determines the sample times, and the others are read beside it. */
export type Run = { first: BidsSource; others: BidsSource[] }

/**
 * Groups recordings by run. A recording of both eyes together is the recorded gaze, if there is one; otherwise, the
 * recorded gaze is the mean of the eyes.
 */
export function groupRuns(recordings: BidsSource[], draft: Draft): Run[] {
  const byRun = new Map<string, BidsSource[]>()
  for (const one of recordings) byRun.set(one.stem, [...(byRun.get(one.stem) ?? []), one])
  return [...byRun.values()].map((eyes) => {
    const first = eyes.find(({ eye }) => eye === 'cyclopean') ?? eyes[0]
    const others = eyes.filter((one) => one !== first && (one.eye === 'left' || one.eye === 'right'))
    const further = others.filter(
      (one, i) => others.findIndex(({ eye }) => eye === one.eye) < i || one.eye === first.eye,
    )
    for (const { data } of eyes) draft.usedFiles.add(data.name)
    noteLeft(draft, 'further recordings of the same eye', eyes.length - 1 - others.length + further.length)
    return { first, others: others.filter((one) => !further.includes(one)) }
  })
}
