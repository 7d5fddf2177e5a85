import { z } from 'zod'
import { ITEM_VIEWS } from '../../isomorphic/pages.ts'
import { filterColumns } from '../filter/columns.ts'
import type { Condition } from '../filter/condition.ts'
import { filterFaults, JOINED, readFilter } from '../filter/read-filter.ts'
import { ServiceError } from '../model/errors.ts'
import { nearest } from '../model/nearest.ts'
import { NUMBER_PARAMETERS, trimFilter, UUID } from '../model/parameters.ts'
import type { Snapshot } from '../model/study.ts'

/** Pages of the dashboard to which a link may lead. */
export const LINK_PAGES = ['study', 'item', ...ITEM_VIEWS, 'groups', 'quality', 'report'] as const
export type LinkPage = (typeof LINK_PAGES)[number]
const ITEM_PATH = new RegExp(`^items/([^/]+)(?:/(${ITEM_VIEWS.join('|')}))?$`)
/** Things to which a link may lead: a page, or an export, which the link downloads. */
export const LINK_TARGETS = [...LINK_PAGES, 'export'] as const
export type LinkTarget = (typeof LINK_TARGETS)[number]

/** Permissions of a link's holder: one page, all pages of the study (`study`), or one export. */
export const Link = z.object({
  /** Target of the link: path and query of a page or an export. */
  path: z.string(),
  page: z.enum(LINK_TARGETS),
  /** Visible item; null for all. */
  itemId: z.string().nullable(),
  /** Condition of the visible tests; null for all. */
  filter: z.string().nullable(),
  /** Lowest grade of the visible tests. */
  gradeMin: z.number(),
  /** Analysis of the link, with its version; if absent, visitors may use any. */
  analysis: z.string().optional(),
  /** True if exports and packages of these tests may be downloaded. */
  hasDownloads: z.boolean(),
  /** Name of the creator, and the id of their token; null for a command. */
  madeBy: z.object({ name: z.string(), token: z.string().nullable() }),
})
export type Link = z.infer<typeof Link>

/** Largest number of links of one study. */
export const LINKS_MAX = 200

const PATH_MAX_CHARACTERS = 4000
const GRADE = 'participantQualityGradeItemMin'
/** Parameters of an address that bound what its link shows. */
const BOUNDS = ['item', 'filter', 'participant', 'analysis', GRADE]

/**
 * Derives a link's permissions from the address of a dashboard page, and checks that the study has what it names.
 *
 * @param address path and query, or the whole address
 * @param isWhole whether to show the whole study, starting at that page
 * @param analysis the analysis that the address names, with its version; null for none
 * @throws ServiceError usage for any other address
 */
export function readLinkAddress(
  address: string,
  isWhole: boolean,
  snapshot: Snapshot,
  analysis: string | null = null,
): Omit<Link, 'hasDownloads' | 'madeBy'> {
  const { studyId, ...link } = parseAddress(address, isWhole)
  const { itemId, filter } = link
  if (studyId !== snapshot.study.id) throw refused('a link must lead to the study for which it is made', studyId)
  if (itemId !== null && !snapshot.study.items.some(({ id }) => id === itemId))
    throw refused('a link must lead to an item of the study', itemId)
  const [fault] = filterFaults(filter, snapshot)
  if (fault !== undefined) throw refused(`the filter of a link ${fault.rule}`, fault.value)
  const asked = analysisOf(address)
  if (asked === null || isWhole) return link
  if (analysis === null) throw refused("a link's analysis must be one of the study", asked)
  return { ...link, path: withPinned(link.path, analysis), analysis }
}

/** Returns the error for an address: a sentence, and as a fault the rule without the value. */
function refused(rule: string, value: string): ServiceError {
  const faults = [{ parameter: 'path', rule, value }]
  return new ServiceError('usage', `${rule}, got ${JSON.stringify(value)}`, { faults })
}

/** Beginning of the secret in the path of a link to an export, by which logs know what to leave out. */
export const FILE_SECRET = 'dl-'

/** Returns the address to share: its secret is behind `#`, which browsers send to no server, or names an export. */
export function linkAddress({ page, path }: Pick<Link, 'page' | 'path'>, secret: string): string {
  return page === 'export' ? `/api2/shared/${FILE_SECRET}${secret}` : `${path}#link=${secret}`
}

/** Returns the parameter `analysis` of a page's address; null if there is none. */
export function analysisOf(address: string): string | null {
  return URL.canParse(address, 'http://localhost')
    ? new URL(address, 'http://localhost').searchParams.get('analysis')
    : null
}

/** Adds the version to the analysis in a path, so the link keeps showing that version. */
function withPinned(path: string, analysis: string): string {
  const url = new URL(path, 'http://localhost')
  url.searchParams.set('analysis', analysis)
  return url.pathname + url.search
}

/** Parses the address of a page. @throws ServiceError usage */
function parseAddress(address: string, isWhole: boolean): Omit<Link, 'hasDownloads' | 'madeBy'> & { studyId: string } {
  if (address.length > PATH_MAX_CHARACTERS)
    throw new ServiceError('usage', `a link's address must have at most ${PATH_MAX_CHARACTERS} characters`)
  const url = URL.canParse(address, 'http://localhost') ? new URL(address, 'http://localhost') : null
  const ofExport = /^\/api2\/studies\/([^/]+)\/collected-data\/[a-z/-]+$/.exec(url?.pathname ?? '')
  if (url !== null && ofExport !== null) return parseExport(url, ofExport[1], isWhole)
  const [, studyId = '', rest = ''] = /^\/studies\/([^/]+)\/?(.*)$/.exec(url?.pathname ?? '') ?? []
  const [, ofPath, page = 'item'] = ITEM_PATH.exec(rest) ?? []
  const known = ofPath !== undefined ? page : rest === '' ? 'study' : rest
  const place = LINK_PAGES.find((each) => each === known)
  if (url === null || place === undefined || !UUID.test(studyId) || (ofPath !== undefined && !UUID.test(ofPath)))
    throw refused(
      `a link must lead to a study, to one of its exports, or to its page of an item, ${ITEM_VIEWS.join(', ')}, groups, quality or report`,
      address,
    )
  const path = url.pathname + url.search
  const whole = {
    studyId: studyId.toLowerCase(),
    path,
    page: 'study' as const,
    itemId: null,
    filter: null,
    gradeMin: 1,
  }
  if (isWhole) return whole
  if (place === 'study')
    throw new ServiceError('usage', "a study's own page shows all of it: make a link to the whole study")
  const itemId = (ofPath ?? url.searchParams.get('item'))?.toLowerCase() || null
  if (itemId !== null && !UUID.test(itemId)) throw refused('the item must be a UUID', itemId)
  refuseSlips(url.searchParams)
  const participantId = url.searchParams.get('participant') || null
  return { ...whole, page: place, itemId, ...testsOf(url.searchParams, participantId) }
}

/** Parses the address of an export. @throws ServiceError usage */
function parseExport(url: URL, studyId: string, isWhole: boolean): ReturnType<typeof parseAddress> {
  if (isWhole) throw new ServiceError('usage', 'a link to an export shows nothing else: it cannot show the whole study')
  if (!UUID.test(studyId)) throw refused('a link must lead to a study by its id', studyId)
  const { searchParams } = url
  // Chosen once, since clients ask for formats in different ways.
  if (!searchParams.has('format')) searchParams.set('format', 'csv')
  const itemId = searchParams.get('itemId')?.toLowerCase() ?? ''
  return {
    studyId: studyId.toLowerCase(),
    path: url.pathname + url.search,
    page: 'export',
    itemId: UUID.test(itemId) ? itemId : null,
    ...testsOf(searchParams, null),
  }
}

/**
 * Refuses a misspelt or doubled parameter, without which the link would show more than was meant.
 *
 * @throws ServiceError usage
 */
function refuseSlips(query: URLSearchParams): void {
  for (const name of query.keys()) {
    const near = BOUNDS.includes(name) ? undefined : nearest(name, BOUNDS).nearest
    if (near !== undefined) throw refused(`the address of a link must spell its parameter ${near}`, name)
    const given = query.getAll(name)
    if (BOUNDS.includes(name) && given.length > 1)
      throw refused(`the address of a link must give ${name} once`, given.join(' and '))
  }
}

/** Returns the tests that an address selects. @throws ServiceError usage */
function testsOf(query: URLSearchParams, participantId: string | null): Pick<Link, 'filter' | 'gradeMin'> {
  const { min, max } = NUMBER_PARAMETERS[GRADE]
  const grade = query.get(GRADE) ?? String(min)
  const gradeMin = /^\d$/.test(grade) ? Number(grade) : 0
  if (gradeMin < min || gradeMin > max) throw refused(`${GRADE} must be ${min} to ${max}`, grade)
  if (participantId !== null && !UUID.test(participantId))
    throw refused('the participant must be a UUID', participantId)
  return { filter: withParticipant(query.get('filter') ?? '', participantId), gradeMin }
}

/** Restricts a filter to one participant. */
function withParticipant(filter: string, participantId: string | null): string | null {
  const text = trimFilter(filter)
  if (participantId === null) return text
  const ofOne = `participant_id = '${participantId.toLowerCase()}'`
  return text === null ? ofOne : `(${text}) AND ${ofOne}`
}

/** Returns whether the address or filter of a link names a participant. @param names ids and names, in any case */
export function leadsTo({ path, filter }: Pick<Link, 'path' | 'filter'>, names: string[]): boolean {
  const texts = [...new URL(path, 'http://localhost').searchParams.values(), filter ?? '']
  const literals = texts.flatMap((text) => [text, ...text.matchAll(/'((?:[^']|'')*)'/g)].map(literalOf))
  const known = new Set(literals.map((each) => each.toLowerCase()))
  return names.some((name) => known.has(name.toLowerCase()))
}

/** Unquotes a text of a filter; from a pattern, it also removes the wildcards. */
function literalOf(found: string | RegExpMatchArray): string {
  const text = typeof found === 'string' ? found : found[1].replaceAll("''", "'")
  return text.replace(/^%+|%+$/g, '')
}

/** Raw parameters of a request; null for absent ones. */
export type LinkRequest = {
  itemId: string | null
  filter: string | null
  gradeMin: string | number | null
  participantId: string | null
  analysis: string | null
}

/**
 * Returns whether a request is restricted to the item and tests of a link: its filter must contain all conditions of
 * the link's filter, joined by AND; further conditions are allowed.
 *
 * @param externalDataNames of the study
 */
export function isCoveredBy(link: Link, asked: LinkRequest, externalDataNames: string[]): boolean {
  if (link.itemId !== null && asked.itemId?.toLowerCase() !== link.itemId) return false
  if (link.gradeMin > 1 && !(Number(asked.gradeMin ?? 1) >= link.gradeMin)) return false
  if (link.analysis !== undefined && asked.analysis !== link.analysis) return false
  if (link.filter === null) return true
  if (asked.participantId !== null && !UUID.test(asked.participantId)) return false
  const columns = filterColumns(externalDataNames)
  const needed = conditionsOf(link.filter, columns)
  const given = conditionsOf(withParticipant(asked.filter ?? '', asked.participantId) ?? '', columns)
  return needed !== null && given !== null && needed.every((condition) => given.includes(condition))
}

/** Returns the conditions that must all be true, each in a canonical form; null for an invalid filter. */
function conditionsOf(filter: string, columns: Parameters<typeof readFilter>[1]): string[] | null {
  const { condition } = readFilter(filter, columns, JOINED)
  const parts = (each: Condition): string[] =>
    each.kind === 'and' ? each.conditions.flatMap(parts) : [JSON.stringify(each)]
  return condition === null ? null : parts(condition)
}
