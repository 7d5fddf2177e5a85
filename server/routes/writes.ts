import { PARTICIPANT_TYPES, PICTURE_TYPES } from '../schemas/media-types.ts'
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
/** What any change of a study may meet. */
export const CHANGE = ['busy', 'disk_full', 'overloaded'] as const
/** And what one with a body that is read piece by piece may. */
const SENDING = [...CHANGE, 'invalid_body', 'unsupported_type', 'bound_reached'] as const

/** Returns the route that replaces a part of a study's description. */
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

/** Studies as they are changed: docs/live.md. */
export const STUDY_WRITES = group({ tag: 'Writing', needsFiles: true })({
  createStudy: route('post', '/studies', 'write', {
    summary: 'Create a study without participants',
    body: { schema: NewStudy },
    answers: { 201: json('Created', CreatedStudy, 'Location', 'ETag') },
    problems: [...SENDING, 'conflict'],
  }),
  putStudy: replacing(STUDY, 'Replace flow, items and AOIs, keeping all samples', { schema: NewStudy }),
  renameStudy: route('patch', STUDY, 'write', {
    summary: 'Rename a study or its items, reorder items, or remove some',
    description:
      'Pictures follow the items that have them. Without `removesTests`, an item that tests show cannot be removed.',
    query: [DRY_RUN],
    headers: [IF_MATCH],
    body: { schema: StudyRenaming, maxBytes: RENAMING_MAX_BYTES },
    answers: { 200: json('The effect of the change', ChangedDescription, 'ETag') },
    problems: CHANGE,
  }),
  undoChange: route('post', `${STUDY}/undo`, 'write', {
    summary: 'Undo the newest change of a study',
    description:
      'For a day, the study gets back what it had before the change that `If-Match` names: flow, items, AOIs, pictures, attributes, imported data. Participants who were added or removed one by one, and deleted studies, do not come back.',
    headers: [IF_MATCH],
    answers: { 200: json('The study as it was', ChangedStudy, 'ETag') },
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
  putAois: replacing(`${STUDY}/items/:itemId/aois`, 'Replace the AOIs of one item', { schema: NewAois }),
  putItemImage: route('put', `${STUDY}/items/:itemId/image`, 'write', {
    summary: 'Upload the picture of an item; its type must match the file name',
    query: [PICTURE_RENAMES, PICTURE_SIZES],
    headers: [IF_MATCH_PERHAPS],
    body: { types: PICTURE_TYPES },
    answers: { 200: json('The study as changed', ChangedStudy, 'ETag') },
    problems: [...SENDING, 'conflict'],
  }),
})

const IDEMPOTENCY_KEY = inHeader(
  'Idempotency-Key',
  'Any text of up to 255 characters: the same request with the same key again gets the first answer, another one 409',
)
const PERSON = `${STUDY}/participants/:participantId` as const

/** Participants as they come, change and go. */
export const PARTICIPANT_WRITES = group({ tag: 'Writing', needsFiles: true })({
  addParticipant: route('post', `${STUDY}/participants`, 'collect', {
    isForOtherSites: true,
    summary: 'Add one participant with tests and samples',
    description:
      'JSON as described, or NDJSON: a line with `participant`, then for each test a line with `test` and its samples, `sample` a row or `samples` all at once, and lines with `validation`. A token with the role `collect` may do this, and nothing else.',
    headers: [IDEMPOTENCY_KEY],
    body: { schema: NewParticipant, types: PARTICIPANT_TYPES },
    answers: { 201: json('It is on the disk, and in every export from now on', AddedParticipant, 'Location') },
    problems: [...SENDING, 'conflict'],
  }),
  changeParticipant: route('patch', PERSON, 'write', {
    summary: 'Change attributes of a participant',
    headers: [IF_MATCH_PERHAPS],
    body: { schema: ParticipantAttributes },
    answers: { 200: json('The study as changed', ChangedStudy, 'ETag') },
    problems: SENDING,
  }),
  deleteParticipant: route('delete', PERSON, 'write', {
    ...deleting,
    summary: 'Delete a participant and every file that holds their data',
  }),
})
