import { AOI_TYPES, PARTICIPANT_TYPES, PICTURE_TYPES } from '../schemas/media-types.ts'
import { About } from '../schemas/study.ts'
import {
  AddedParticipant,
  ChangedDescription,
  ChangedStudy,
  CreatedStudy,
  NewAois,
  NewParticipant,
  NewStudy,
  ParticipantAttributes,
  StudyRenaming,
} from '../schemas/writes.ts'
import { DRY_RUN, IF_MATCH, IF_MATCH_PERHAPS, inHeader, PICTURE_RENAMES, PICTURE_SIZES } from './parameters.ts'
import { empty, group, json, type Route, type RouteBody, route } from './route.ts'

const STUDY = '/studies/:studyId'
const RENAMING_MAX_BYTES = 2 ** 24
/** Problems of any change of a study. */
export const CHANGE = ['busy', 'disk_full', 'overloaded'] as const
/** Problems of changes whose body is streamed. */
const SENDING = [...CHANGE, 'invalid_body', 'unsupported_type', 'bound_reached'] as const

/** Returns a route that replaces a part of a study's description. */
function replacing<const Path extends string>(path: Path, summary: string, body: RouteBody) {
  return route('put', path, 'write', {
    summary,
    query: [DRY_RUN],
    headers: [IF_MATCH],
    body,
    answers: { 200: json('The effect of the change', ChangedDescription, 'ETag') },
    problems: SENDING,
  })
}

const deleting = {
  answers: { 204: empty('Deleted') },
  problems: CHANGE,
} as const satisfies Partial<Route>

/** Routes that change studies: docs/live.md. */
export const STUDY_WRITES = group({ tag: 'Writing' })({
  createStudy: route('post', '/studies', 'write', {
    summary: 'Create a study without participants',
    body: { schema: NewStudy },
    answers: { 201: json('Created', CreatedStudy, 'Location', 'ETag') },
    problems: [...SENDING, 'conflict'],
  }),
  putStudy: replacing(STUDY, 'Replace flow, items and AOIs, keeping all samples', { schema: NewStudy }),
  renameStudy: route('patch', STUDY, 'write', {
    summary: 'Rename or archive a study; rename, reorder or remove items',
    description: 'Pictures stay with their items. An item with tests can be removed only with `removesTests`.',
    query: [DRY_RUN],
    headers: [IF_MATCH],
    body: { schema: StudyRenaming, maxBytes: RENAMING_MAX_BYTES },
    answers: { 200: json('The effect of the change', ChangedDescription, 'ETag') },
    problems: CHANGE,
  }),
  undoChange: route('post', `${STUDY}/undo`, 'write', {
    summary: 'Undo the newest change of a study',
    description:
      'Restores the study as it was before the change that `If-Match` names, within a day: flow, items, AOIs, pictures, attributes, imported data. Adding or removing single participants, and deleting a study, cannot be undone.',
    headers: [IF_MATCH],
    answers: { 200: json('The restored study', ChangedStudy, 'ETag') },
    problems: [...CHANGE, 'conflict'],
  }),
  deleteStudy: route('delete', STUDY, 'write', {
    ...deleting,
    summary: 'Delete a study and every file made from it',
  }),
  putAbout: replacing(
    `${STUDY}/about`,
    'Replace authors, licence, DOI, funding, ethics and references; `{}` removes them',
    { schema: About },
  ),
  putAois: {
    ...replacing(`${STUDY}/items/:itemId/aois`, 'Replace the AOIs of one item', { schema: NewAois, types: AOI_TYPES }),
    description:
      'Send the AOIs as JSON, or the words of a text as CSV: a row per word with `text`, `line`, and `left`, `top`, `right`, `bottom` or `x`, `y`, `width`, `height` in px of the item ([reading](/docs/reading/#files-of-boxes)).',
  },
  putItemImage: route('put', `${STUDY}/items/:itemId/image`, 'write', {
    summary: 'Upload the picture, or the video, of an item; its type must match the file name',
    query: [PICTURE_RENAMES, PICTURE_SIZES],
    headers: [IF_MATCH_PERHAPS],
    body: { types: PICTURE_TYPES },
    answers: { 200: json('The changed study', ChangedStudy, 'ETag') },
    problems: [...SENDING, 'conflict'],
  }),
})

const IDEMPOTENCY_KEY = inHeader(
  'Idempotency-Key',
  'Makes the request idempotent: the same request with the same key gets the first answer again; another request with that key gets 409. Up to 255 characters',
)
const PERSON = `${STUDY}/participants/:participantId` as const

/** Routes that add, change and delete participants. */
export const PARTICIPANT_WRITES = group({ tag: 'Writing' })({
  addParticipant: route('post', `${STUDY}/participants`, 'collect', {
    isForOtherSites: true,
    summary: 'Add one participant with tests and samples',
    description:
      'Send JSON as described, or NDJSON: a line with `participant`, then for each test a line with `test` and lines with its samples (`sample` for one row, `samples` for all), and lines with `validation`. A token with the role `collect` can send only this request.',
    headers: [IDEMPOTENCY_KEY],
    body: { schema: NewParticipant, types: PARTICIPANT_TYPES },
    answers: {
      201: json('Created: the participant is on disk and in every later export', AddedParticipant, 'Location'),
    },
    problems: [...SENDING, 'conflict'],
  }),
  changeParticipant: route('patch', PERSON, 'write', {
    summary: 'Change attributes of a participant',
    headers: [IF_MATCH_PERHAPS],
    body: { schema: ParticipantAttributes },
    answers: { 200: json('The changed study', ChangedStudy, 'ETag') },
    problems: SENDING,
  }),
  deleteParticipant: route('delete', PERSON, 'write', {
    ...deleting,
    summary: 'Delete a participant and every file that holds their data',
  }),
})
