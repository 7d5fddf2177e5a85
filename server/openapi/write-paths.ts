import { ANALYSIS_NAME, ANALYSIS_REFERENCE } from '../../engine/model/study-analysis.ts'
import type { ProblemCode } from '../http/problems.ts'
import { PARTICIPANT_TYPES, PICTURE_TYPES } from '../schemas/media-types.ts'
import { headers, jsonAnswer } from './answers.ts'
import type { Json } from './json.ts'
import { ref } from './schemas.ts'

/** What a request that changes a study may meet besides what one that reads it may. */
const CHANGE: ProblemCode[] = ['forbidden', 'change_token_needed', 'busy', 'disk_full', 'overloaded', 'read_only']
const BODY: ProblemCode[] = ['invalid_body', 'unsupported_type', 'bound_reached', 'body_too_large']
const LIMITS = ['RateLimit', 'RateLimit-Policy']

type Guard = (operation: Json, codes: ProblemCode[]) => Json
type Names = (...names: string[]) => Json[]
type Guarded = (operation: Json, ...codes: ProblemCode[]) => Json
type Paths = Record<string, Json>

const inHeader = (name: string, description: string, required: boolean): Json => ({
  name,
  in: 'header',
  description,
  required,
  schema: { type: 'string' },
})
const IF_MATCH = inHeader('If-Match', 'The ETag of the study as it was read; `*` for any', true)
const IF_MATCH_PERHAPS = inHeader('If-Match', 'The ETag of the study as it was read', false)
const IDEMPOTENCY_KEY = inHeader(
  'Idempotency-Key',
  'Any text of up to 255 characters: the same request with the same key again gets the first answer, another one 409',
  false,
)
const pathId = (name: string, description: string): Json => ({
  name,
  in: 'path',
  description,
  required: true,
  schema: ref('Uuid'),
})
const ITEM = pathId('itemId', 'The item, in any case')
const PERSON = pathId('participantId', 'The participant, in any case')
const DRY_RUN: Json = {
  name: 'dryRun',
  in: 'query',
  description: '`true` reports what would change, and changes nothing',
  schema: { type: 'string', enum: ['true', 'false'], default: 'false' },
}

function body(schema: string, types = ['application/json']): Json {
  const content = Object.fromEntries(
    types.map((type) => [type, { schema: type === 'application/json' ? ref(schema) : { type: 'string' } }]),
  )
  return { required: true, content }
}

const gone = { 204: { description: 'Deleted', headers: headers(...LIMITS) } }
const changed = (schema: string) => ({
  200: jsonAnswer('The delivery attempt', schema, ...LIMITS, 'ETag', 'Content-Length'),
})

/**
 * Lists the operations that change studies, by path (docs/live.md).
 *
 * @param named problems of any request for a study
 */
export function describeWrites(guarded: Guard, parameters: Names, named: ProblemCode[]): Paths {
  const write: Guarded = (operation, ...codes) =>
    guarded({ tags: ['Writing'], ...operation }, [...named, ...CHANGE, ...codes])
  const read: Guarded = (operation, ...codes) => guarded(operation, [...named, ...codes])
  const studyId = parameters('studyId')
  const pages = parameters('limit', 'cursor')
  return {
    ...describeStudyWrites(write, read, studyId, pages),
    ...describeAnalyses(write, read, studyId),
    ...describeLinks(write, read, studyId),
    ...describeItemWrites(write, read, studyId, pages),
    ...describePeopleWrites(write, studyId),
  }
}

/** Lists those on a study as a whole, and the history of its changes. */
function describeStudyWrites(write: Guarded, read: Guarded, studyId: Json[], pages: Json[]): Paths {
  return {
    '/studies': {
      post: write(
        {
          operationId: 'createStudy',
          summary: 'Create a study without participants',
          requestBody: body('NewStudy'),
          responses: {
            201: jsonAnswer('Created', 'CreatedStudy', ...LIMITS, 'Location', 'ETag', 'Content-Length'),
          },
        },
        ...BODY,
        'conflict',
      ),
    },
    '/studies/{studyId}': {
      put: write(
        {
          operationId: 'putStudy',
          summary: 'Replace flow, items and AOIs, keeping all samples',
          parameters: [...studyId, IF_MATCH, DRY_RUN],
          requestBody: body('NewStudy'),
          responses: changed('ChangedDescription'),
        },
        ...BODY,
        'moved_on',
        'precondition_needed',
      ),
      delete: write({
        operationId: 'deleteStudy',
        summary: 'Delete a study and every file made from it',
        parameters: studyId,
        responses: gone,
      }),
    },
    '/studies/{studyId}/history': {
      get: read({
        tags: ['Study data'],
        operationId: 'getHistory',
        summary: 'List changes made to a study over HTTP',
        parameters: [...studyId, ...pages],
        responses: { 200: jsonAnswer('Changes, newest first', 'StudyHistory', ...LIMITS, 'Content-Length') },
      }),
    },
  }
}

const ANALYSIS_TAG = inHeader('If-Match', 'The ETag of the analysis as it was read; `*` for any', false)

/** Lists those on the analyses of a study: what was decided about it. */
function describeAnalyses(write: Guarded, read: Guarded, studyId: Json[]): Paths {
  const name = (description: string, pattern: RegExp): Json => ({
    name: 'name',
    in: 'path',
    required: true,
    description,
    schema: { type: 'string', pattern: pattern.source },
  })
  const stored = (description: string, ...more: string[]) =>
    jsonAnswer(description, 'StoredAnalysis', ...LIMITS, 'ETag', ...more, 'Content-Length')
  return {
    '/studies/{studyId}/analyses': {
      get: read({
        tags: ['Analyses'],
        operationId: 'listAnalyses',
        summary: 'List the analyses of a study: what was decided about it',
        parameters: studyId,
        responses: { 200: jsonAnswer('By name', 'AnalysisList', ...LIMITS, 'Content-Length') },
      }),
    },
    '/studies/{studyId}/analyses/{name}': {
      get: read({
        tags: ['Analyses'],
        operationId: 'getAnalysis',
        summary: 'Get an analysis, in its current version or in an earlier one',
        parameters: [...studyId, name('Its name, or `name@version`', ANALYSIS_REFERENCE)],
        responses: { 200: stored('The analysis') },
      }),
      put: write(
        {
          tags: ['Analyses'],
          operationId: 'putAnalysis',
          summary: 'Store an analysis under a name, as a version of its own',
          description:
            'No data changes, and no version does: `analysis=name@version` means the same for ever, until the analysis is deleted, or a participant whom it names is removed. `If-Match` is needed where there is an analysis of the name.',
          parameters: [...studyId, name('Its name', ANALYSIS_NAME), ANALYSIS_TAG],
          requestBody: body('Analysis'),
          responses: { 200: stored('Replaced'), 201: stored('Created', 'Location') },
        },
        'moved_on',
        'precondition_needed',
        'bound_reached',
        'body_too_large',
      ),
      delete: write(
        {
          tags: ['Analyses'],
          operationId: 'deleteAnalysis',
          summary: 'Delete an analysis with all its versions',
          parameters: [...studyId, name('Its name', ANALYSIS_NAME), ANALYSIS_TAG],
          responses: gone,
        },
        'moved_on',
      ),
    },
  }
}

/** Lists those on the links of a study. */
function describeLinks(write: Guarded, read: Guarded, studyId: Json[]): Paths {
  return {
    '/studies/{studyId}/links': {
      get: read(
        {
          tags: ['Links'],
          operationId: 'listLinks',
          summary: 'List the links of a study, without their secrets',
          parameters: studyId,
          responses: { 200: jsonAnswer('Newest first', 'LinkList', ...LIMITS, 'Content-Length') },
        },
        'forbidden',
      ),
      post: write({
        tags: ['Links'],
        operationId: 'createLink',
        summary: 'Create a link to a study or a page of it; its secret is shown only once',
        parameters: studyId,
        requestBody: body('LinkNew'),
        responses: { 201: jsonAnswer('The link', 'LinkMade', ...LIMITS, 'Content-Length') },
      }),
    },
    '/studies/{studyId}/links/{linkId}': {
      delete: write({
        tags: ['Links'],
        operationId: 'revokeLink',
        summary: 'Revoke a link and every session opened with it',
        parameters: [
          ...studyId,
          { name: 'linkId', in: 'path', required: true, description: 'The link', schema: ref('LinkId') },
        ],
        responses: gone,
      }),
    },
  }
}

/** Lists those on AOIs and pictures of items. */
function describeItemWrites(write: Guarded, read: Guarded, studyId: Json[], pages: Json[]): Paths {
  return {
    '/studies/{studyId}/about': {
      put: write(
        {
          operationId: 'putAbout',
          summary: 'Replace authors, licence, DOI, funding, ethics and references; `{}` removes them',
          parameters: [...studyId, IF_MATCH, DRY_RUN],
          requestBody: body('About'),
          responses: changed('ChangedDescription'),
        },
        ...BODY,
        'moved_on',
        'precondition_needed',
      ),
    },
    '/studies/{studyId}/items/{itemId}/aois': {
      put: write(
        {
          operationId: 'putAois',
          summary: 'Replace the AOIs of one item',
          parameters: [...studyId, ITEM, IF_MATCH, DRY_RUN],
          requestBody: body('NewAois'),
          responses: changed('ChangedDescription'),
        },
        ...BODY,
        'moved_on',
        'precondition_needed',
      ),
    },
    '/studies/{studyId}/items/{itemId}/aois/history': {
      get: read({
        tags: ['Study data'],
        operationId: 'getPastAois',
        summary: 'List earlier AOIs of an item; restore a set with PUT',
        parameters: [...studyId, ITEM, ...pages],
        responses: { 200: jsonAnswer('Sets of AOIs, newest first', 'PastAois', ...LIMITS, 'Content-Length') },
      }),
    },
    '/studies/{studyId}/items/{itemId}/image': {
      put: write(
        {
          operationId: 'putItemImage',
          summary: 'Upload the picture of an item; its type must match the file name',
          parameters: [...studyId, ITEM, IF_MATCH_PERHAPS],
          requestBody: body('', PICTURE_TYPES),
          responses: changed('ChangedStudy'),
        },
        ...BODY,
        'moved_on',
      ),
    },
  }
}

/** Lists those on participants. */
function describePeopleWrites(write: Guarded, studyId: Json[]): Paths {
  return {
    '/studies/{studyId}/participants': {
      post: write(
        {
          operationId: 'addParticipant',
          summary: 'Add one participant with tests and samples',
          description:
            'JSON as described, or NDJSON: a line with `participant`, then for each test a line with `test` and its samples, `sample` a row or `samples` all at once, and lines with `validation`. A token with the role `collect` may do this, and nothing else.',
          parameters: [...studyId, IDEMPOTENCY_KEY],
          requestBody: body('NewParticipant', PARTICIPANT_TYPES),
          responses: {
            201: jsonAnswer(
              'It is on the disk, and in every export from now on',
              'AddedParticipant',
              ...LIMITS,
              'Location',
              'Content-Length',
            ),
          },
        },
        ...BODY,
        'conflict',
      ),
    },
    '/studies/{studyId}/participants/{participantId}': {
      patch: write(
        {
          operationId: 'changeParticipant',
          summary: 'Change attributes of a participant',
          parameters: [...studyId, PERSON, IF_MATCH_PERHAPS],
          requestBody: body('ParticipantAttributes'),
          responses: changed('ChangedStudy'),
        },
        ...BODY,
        'moved_on',
      ),
      delete: write({
        operationId: 'deleteParticipant',
        summary: 'Delete a participant and every file that holds their data',
        parameters: [...studyId, PERSON],
        responses: gone,
      }),
    },
  }
}
