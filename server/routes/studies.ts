import { z } from 'zod'
import { LINK_PAGES } from '../../engine/access/link.ts'
import { METHODS_FORMATS } from '../../engine/products/methods/print-methods.ts'
import { TableSchema } from '../schemas/catalog.ts'
import { Participants, PictureShown } from '../schemas/dashboard.ts'
import { Flow } from '../schemas/flow.ts'
import { PICTURE_TYPES } from '../schemas/media-types.ts'
import { Methods } from '../schemas/methods.ts'
import { DropRates, SearchResults, StudyDetails, StudyPage } from '../schemas/study.ts'
import { PastAois, StudyHistory } from '../schemas/writes.ts'
import {
  ALL_SETTINGS,
  cursor,
  LIMIT,
  LOSSES,
  OF_PROJECT,
  PARAMETERS,
  SAME_STUDY,
  SCHEMA_FORMAT,
  SEARCH_LIMIT,
  SEARCHED_STUDY,
  SEARCHED_TEXT,
} from './parameters.ts'
import { BINARY, empty, group, json, media, route, sent, TEXT } from './route.ts'

const { ifNoneMatch, acceptEncoding, range, ifRange } = PARAMETERS
const IMAGES = Object.fromEntries(PICTURE_TYPES.map((type) => [type, BINARY]))
const { json: methodsType, ...texts } = METHODS_FORMATS
const IMAGE_VERSION = {
  name: 'version',
  in: 'query',
  description: 'Any value, such as a time, to bypass the cache of the browser',
  schema: z.string(),
} as const
const isNumber = ([key]: string[]) => /^\d{1,9}$/.test(key)

/** Routes that read studies. */
export const STUDY_ROUTES = group({ tag: 'Study data' })({
  getFlow: route('get', '/studies/:studyId/flow', 'read', {
    links: ['study'],
    summary: 'Get the study flow: the ordered steps of a test',
    query: [SAME_STUDY],
    answers: { 200: json('The flow', Flow) },
  }),
  getDropRates: route('get', '/studies-all/drop-rate', 'read', {
    links: ['study'],
    summary: 'List drop rates: participants who started and completed each study',
    answers: { 200: json('Drop rates of the studies that the token may read', DropRates) },
  }),
  listStudies: route('get', '/studies', 'read', {
    summary: 'List studies that your token may read',
    query: [LIMIT, cursor(1), OF_PROJECT],
    answers: { 200: json('A page of studies', StudyPage) },
  }),
  getStudy: route('get', '/studies/:studyId', 'read', {
    links: 'study',
    summary: 'Get a study with its items, AOIs and counts',
    headers: [ifNoneMatch],
    answers: {
      200: sent('The study', StudyDetails, 'Content-Encoding?', 'Vary', 'ETag'),
      304: empty('Not modified', 'ETag'),
    },
  }),
})

/** Search over the names of all studies. */
export const SEARCH_ROUTES = group({ tag: 'Study data' })({
  search: route('get', '/search', 'read', {
    summary: 'List studies, items, AOIs and participants by name, for a search',
    description:
      'Of the studies that the token may read: those whose name contains all words of `q`, and their items and AOIs that do; with `studyId`, also participants of that study, by external id or display name. Case and accents do not matter. First come names that begin with the first word, then those with a word that does; once 2,000 items and AOIs fit, those of further studies are not looked at.',
    query: [SEARCHED_TEXT, SEARCHED_STUDY, SEARCH_LIMIT],
    answers: { 200: json('The best matches', SearchResults) },
    problems: ['not_found'],
  }),
})

/** Columns of an export, including those that only this study has. */
export const STUDY_SCHEMA_ROUTES = group({ tag: 'Study data' })({
  getStudyExportSchema: route('get', '/studies/:studyId/exports/:exportName/schema', 'read', {
    links: 'downloads',
    summary: 'Get the columns of an export of a study',
    description:
      'As `GET /api2/exports/{export}/schema`, with the columns that only this study has. `format=sps` returns SPSS syntax that reads the CSV with types, labels and missing values.',
    query: [SAME_STUDY, SCHEMA_FORMAT],
    answers: {
      200: media('The columns', { 'application/json': TableSchema, 'text/plain': TEXT }, 'Content-Length'),
    },
  }),
})

export const METHODS_ROUTES = group({ tag: 'Study data' })({
  getMethods: route('get', '/studies/:studyId/methods', 'read', {
    links: ['quality', 'report'],
    summary: 'Write the methods section of a study',
    description:
      'A paragraph for a paper: participants before and after each exclusion, apparatus, measured data quality, detection of fixations with every setting, areas of interest. It claims only known facts; `toAdd` lists missing ones.',
    planned: [PARAMETERS.methodsFormat, ...ALL_SETTINGS],
    headers: [ifNoneMatch, acceptEncoding],
    answers: {
      200: media(
        'The methods',
        { [methodsType]: Methods, ...Object.fromEntries(Object.values(texts).map((type) => [type, TEXT])) },
        'ETag',
        'Vary',
        'Content-Length',
        'Content-Encoding?',
      ),
      304: empty('Not modified: the client has this version', 'ETag', 'Vary'),
    },
    problems: ['overloaded', 'canceled'],
  }),
})

export const IMAGE_ROUTES = group({ tag: 'Study data' })({
  getItemImage: route('get', '/studies/:studyId/items/:itemId/image', 'read', {
    links: 'item',
    summary: 'Get the picture, or the video, of an item',
    // 404 for an unknown item comes first.
    planned: [IMAGE_VERSION],
    headers: [ifNoneMatch, range, ifRange],
    answers: {
      200: media(
        'The picture or the video, unchanged; an SVG is served so that it cannot run scripts or load anything',
        IMAGES,
        'ETag',
        'Content-Length',
        'Accept-Ranges',
      ),
      206: media('The requested range', IMAGES, 'ETag', 'Content-Length', 'Accept-Ranges', 'Content-Range'),
      304: empty('Not modified: the client has this version', 'ETag'),
    },
    problems: ['range_not_satisfiable'],
  }),
  getShown: route('get', '/studies/:studyId/items/:itemId/shown', 'read', {
    links: 'item',
    answers: { 200: json('Size at which the item was shown', PictureShown) },
  }),
})

export const PARTICIPANT_ROUTES = group({ tag: 'Study data' })({
  listParticipants: route('get', '/studies/:studyId/participants', 'read', {
    links: LINK_PAGES,
    planned: [LIMIT, PARAMETERS.cursor, LOSSES, ...ALL_SETTINGS],
    answers: { 200: json('A page of participants', Participants) },
  }),
})

export const HISTORY_ROUTES = group({ tag: 'Study data' })({
  getHistory: route('get', '/studies/:studyId/history', 'read', {
    summary: 'List changes made to a study over HTTP',
    query: [LIMIT, cursor(1, isNumber)],
    answers: { 200: json('Changes, newest first', StudyHistory) },
  }),
  getPastAois: route('get', '/studies/:studyId/items/:itemId/aois/history', 'read', {
    summary: 'List earlier AOIs of an item; restore a set with PUT',
    query: [LIMIT, cursor(1)],
    answers: { 200: json('Sets of AOIs, newest first', PastAois) },
  }),
})
