import { settingsNotes } from '../../../exports/columns/notes.ts'
import { authorName, doiUrl } from '../../../model/about.ts'
import type { Plan } from '../../../model/plan.ts'
import type { Participant, Recording, Snapshot, Study, Test } from '../../../model/study.ts'
import { VERSION } from '../../../model/version.ts'
import type { BidsEye, BidsRecording } from './bids-recordings.ts'
import { physioColumns, physioEventsColumns } from './bids-tables.ts'

/**
 * Sidecars that describe the files, as BIDS 1.11 requires: its schema's rules for physio, physioevents, events,
 * participants. BIDS itself defines onset and duration, in seconds; describing them again would redefine them, and its
 * validator warns about that.
 */

export const BIDS_VERSION = '1.11.0'

/** Distance and size of the screen, in m; null if unknown. */
export type BidsScreen = { distanceM: number | null; sizeM: [number, number] | null }

/** Returns the screen geometry that was given, otherwise the study's own. */
export function screenGiven({ distanceM, sizeM }: BidsScreen, { recording }: Study): BidsScreen {
  const { viewingDistanceCm, screenWidthCm, screenHeightCm } = recording ?? {}
  const metres = (cm: number) => Math.round(cm * 1e4) / 1e6
  const isSized = screenWidthCm !== undefined && screenHeightCm !== undefined
  return {
    distanceM: distanceM ?? (viewingDistanceCm === undefined ? null : metres(viewingDistanceCm)),
    sizeM: sizeM ?? (isSized ? [metres(screenWidthCm), metres(screenHeightCm)] : null),
  }
}

/** A study has one gaze per sample. BIDS requires left, right or cyclopean, even if the eye is unknown. */
const EYES: Record<BidsEye, { RecordedEye: string; RecordedEyeDescription: string }> = {
  left: { RecordedEye: 'left', RecordedEyeDescription: 'one gaze per sample, of the left eye, as the recordings say' },
  right: {
    RecordedEye: 'right',
    RecordedEyeDescription: 'one gaze per sample, of the right eye, as the recordings say',
  },
  both: {
    RecordedEye: 'cyclopean',
    RecordedEyeDescription: 'one gaze per sample: of both eyes, or of that which was not lost',
  },
  unknown: {
    RecordedEye: 'cyclopean',
    RecordedEyeDescription: 'one gaze per sample; of which eye, or of both, the study does not say',
  },
}
const WINDOW = 'the screen or window that positions are in'

/**
 * Nominal geometry. A CSS pixel is, by definition (CSS Values 4, section 6.2), the visual angle of 1/96 inch at an
 * arm's length of 28 inches. BIDS requires a screen size and distance, which these recordings lack; this pair gives the
 * angles for which the browser was designed.
 */
const CSS_PX_M = 0.0254 / 96
const CSS_DISTANCE_M = 0.7112

export function datasetDescription({ study, manifest }: Snapshot): object {
  return {
    Name: study.name || study.id,
    BIDSVersion: BIDS_VERSION,
    DatasetType: 'raw',
    ...aboutDataset(study),
    GeneratedBy: [
      {
        Name: 'Gazette',
        Version: VERSION,
        Description: `gazette export bids, from snapshot ${manifest.snapshotId} of study ${study.id}`,
      },
    ],
  }
}

/** Returns the study's authors and licence under BIDS' field names. */
export function aboutDataset({ about = {} }: Study): object {
  const { authors, license, doi, funding, ethics, references, keywords } = about
  const fields = {
    Keywords: keywords,
    License: license,
    Authors: authors?.map(authorName),
    Funding: funding,
    EthicsApprovals: ethics,
    ReferencesAndLinks: references,
    DatasetDOI: doi === undefined ? undefined : doiUrl(doi),
  }
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}

export const PARTICIPANTS_JSON = {
  participant_id: { Description: 'The label of the participant in this dataset' },
  age: { Description: 'Age of the participant; 89+ from 89 on', Units: 'year' },
  sex: { Description: 'Gender as it was given', Levels: { F: 'female', M: 'male', O: 'other' } },
  quality_grade: {
    Description: "Quality of all the participant's data",
    Levels: { 1: 'Very Low', 2: 'Low', 3: 'Average', 4: 'High', 5: 'Very High', 6: 'Perfect' },
  },
  gazette_id: { Description: "The participant's id in every other export of Gazette" },
}

export const SCANS_JSON = {
  display_order: { Description: 'Position of the item in the order in which the participant saw the items, from 1' },
}

const SEXES = ['F', 'M', 'O']
/** Age from which BIDS recommends a cap: older people are too few to stay anonymous. */
const AGE_MAX = 89

export function participantsTsv(participants: Participant[], labels: Map<string, string>): string {
  const rows = participants.map(({ id, age, gender, qualityGrade }) => [
    `sub-${labels.get(id)}`,
    age === null ? 'n/a' : age >= AGE_MAX ? `${AGE_MAX}+` : String(age),
    gender === null ? 'n/a' : SEXES[gender],
    String(qualityGrade),
    id,
  ])
  return [Object.keys(PARTICIPANTS_JSON), ...rows].map((cells) => `${cells.join('\t')}\n`).join('')
}

export function physioSidecar(
  name: string,
  { startS, hz }: { startS: number; hz: number },
  screen: BidsScreen,
  recording: BidsRecording,
  { manufacturer, model }: Recording = {},
): object {
  const assumed = [...(screen.sizeM ? [] : ['ScreenSize']), ...(screen.distanceM === null ? ['ScreenDistance'] : [])]
  const geometry = `${assumed.join(' and ')} of the events: not recorded, the nominal ones of CSS pixels`
  return {
    TaskName: name,
    TaskDescription: `Looking at ${name}`,
    ...(assumed.length > 0 ? { ScreenGeometry: geometry } : {}),
    ...(manufacturer === undefined ? {} : { Manufacturer: manufacturer }),
    ...(model === undefined ? {} : { ManufacturersModelName: model }),
    PhysioType: 'eyetrack',
    ...(recording.isRecordedGaze ? EYES[recording.eye] : { RecordedEye: recording.eye }),
    SampleCoordinateSystem: 'gaze-on-screen',
    SamplingFrequency: hz,
    StartTime: startS,
    Columns: physioColumns(recording),
    timestamp: { Description: "When the sample was taken, from the item's onset", Units: 's', Origin: 'item onset' },
    x_coordinate: {
      LongName: 'Gaze position (x)',
      Description: `From the left edge of ${WINDOW}, as recorded`,
      Units: 'pixel',
    },
    y_coordinate: {
      LongName: 'Gaze position (y)',
      Description: `From the top edge of ${WINDOW}, as recorded, scrolling not added`,
      Units: 'pixel',
    },
    ...Object.fromEntries(
      recording.further.map(({ name: column, description, units }) => [
        column,
        { Description: description, Units: units },
      ]),
    ),
    scroll_y: { Description: 'How far the page was scrolled down', Units: 'pixel' },
  }
}

export function physioEventsSidecar(name: string, plan: Plan, hasMessages: boolean): object {
  const percent = 'percent of the displayed item'
  return {
    TaskName: name,
    TaskDescription: `Looking at ${name}`,
    Columns: physioEventsColumns(hasMessages),
    Description: `Fixations and saccades, detected in the samples with ${settingsNotes(plan)}${hasMessages ? ', and events of the experiment' : ''}`,
    OnsetSource: 'timestamp',
    trial_type: {
      Description: 'What the eye did',
      Levels: { fixation: 'Gaze slower than the threshold', saccade: 'From one fixation to the next' },
    },
    x_percent: { Description: `Mean position of a fixation, from the left, in ${percent}` },
    y_percent: { Description: `Mean position of a fixation, from the top, in ${percent}, scrolling added` },
    amplitude_percent: { Description: `How far a saccade went, in ${percent}` },
    ...(hasMessages
      ? {
          message: { Description: 'Name of an event of the experiment, such as a message or a trigger' },
          value: { Description: 'Value of the event' },
        }
      : {}),
  }
}

/** Returns the sidecar of `_events.tsv`. @param name task name */
export function eventsSidecar(name: string, test: Test, { distanceM, sizeM }: BidsScreen, hasPicture: boolean): object {
  const resolution = windowOf(test)
  const nominal = resolution.map((px) => Math.round(px * CSS_PX_M * 1e6) / 1e6)
  return {
    TaskName: name,
    StimulusPresentation: {
      ScreenDistance: distanceM ?? CSS_DISTANCE_M,
      ScreenOrigin: ['top', 'left'],
      ScreenResolution: resolution,
      ScreenSize: sizeM ?? nominal,
    },
    trial_type: { Description: "The item's file name, or click" },
    ...(hasPicture ? { stim_file: { Description: "The item's picture, below stimuli/" } } : {}),
    mouse_x: { Description: `Where the click was, from the left edge of ${WINDOW}`, Units: 'pixel' },
    mouse_y: { Description: `Where the click was, from the top edge of ${WINDOW}`, Units: 'pixel' },
  }
}

/** Returns the size of the screen, or of the window in its place; if unknown, the extent of the displayed item. */
function windowOf({ browserWidthPx, browserHeightPx, display }: Test): [number, number] {
  const width = browserWidthPx ?? (display ? display.leftPx + display.widthPx : 1)
  const height = browserHeightPx ?? (display ? display.topPx + display.heightPx : 1)
  return [Math.max(1, Math.round(width)), Math.max(1, Math.round(height))]
}

function trackerOf({ recording }: Study): string {
  const tracker = [recording?.manufacturer, recording?.model].filter((name) => name !== undefined).join(' ')
  const where = recording?.environment === undefined ? '' : ` (${recording.environment})`
  return `${tracker === '' ? '' : ` with ${tracker}`}${where}`
}

export function bidsReadme(
  { study, manifest }: Snapshot,
  plan: Plan,
  { distanceM, sizeM }: BidsScreen,
  recordings: BidsRecording[],
  hasMessages: boolean,
): string {
  const { label, eye } = recordings.find(({ isRecordedGaze }) => isRecordedGaze)!
  const others = recordings.filter(({ isRecordedGaze }) => !isRecordedGaze)
  const geometry =
    distanceM !== null && sizeM
      ? ''
      : `
Where people sat and how large their screens were was not recorded, at least in part. BIDS demands both, so that \`ScreenDistance\` or
\`ScreenSize\`, where \`ScreenGeometry\` of a recording says so, are the nominal ones of CSS pixels: 1/96 inch each, seen from 28 inches. Visual
angles worked out from them are nominal too, and not what was measured.
`
  const described = study.about?.description ? `\n${study.about.description}\n` : ''
  return `# ${study.name || study.id}
${described}
Eye tracking${trackerOf(study)}, written by Gazette ${VERSION} (study ${study.id}, snapshot ${manifest.snapshotId}).

One task is one item that was looked at; a participant who saw it more than once has runs. Times are in seconds from the item's onset,
gaze in pixels of ${WINDOW}, from its top left corner.

- \`_recording-${label}_physio\`: every recorded sample, lost ones as \`n/a\`, in order of time. \`RecordedEye\`
  is \`${EYES[eye].RecordedEye}\`${eye === 'unknown' ? ' for want of a better word' : ''}: ${EYES[eye].RecordedEyeDescription}.
${others.map((one) => `- \`_recording-${one.label}_physio\`: the same of the ${one.eye} eye.\n`).join('')}\
- \`_recording-${label}_physioevents\`: fixations and saccades, detected with ${settingsNotes(plan)}${hasMessages ? ', and events of the experiment' : ''}.
- \`_events\`: the item, and every click.
${geometry}`
}

/** Formats CHANGES as a CPAN changelog, as BIDS requires. */
export function changes({ manifest }: Snapshot): string {
  return `1.0.0 ${manifest.createdAt.slice(0, 10)}\n  - Written by Gazette ${VERSION}.\n`
}
