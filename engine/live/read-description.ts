import { placeAois } from '../exports/columns/drawn-aois.ts'
import { readStudy } from '../import/bundle/study-json.ts'
import { addProblem, newReport, throwReport } from '../model/bundle-problems.ts'
import { ServiceError } from '../model/errors.ts'
import type { Study } from '../model/study.ts'
import { type Renaming, renamed } from '../study/changes/items.ts'
import { checkJson, parse } from './arrivals/read-body.ts'

/**
 * Parses and validates a study's description, as in study.json.
 *
 * @param subject what messages say has the problems
 * @throws ServiceError invalid_bundle
 */
export function readDescription(bytes: Buffer, subject = 'the body'): Study {
  const report = newReport()
  const { study } = readStudy(bytes, report.study)
  throwReport(report, subject)
  return study!
}

const AOIS_MAX_DEPTH = 16
const AOIS_MAX_VALUES = 1_000_000

/**
 * Returns a study with the AOIs of one item replaced.
 *
 * @param bytes JSON list of AOIs, as in study.json; `itemId` may be omitted
 * @throws ServiceError invalid_bundle, not_found
 */
export function withAois(study: Study, itemId: string, bytes: Buffer): Study {
  if (!study.items.some(({ id }) => id === itemId)) throw new ServiceError('not_found', `there is no item ${itemId}`)
  checkJson(bytes, AOIS_MAX_DEPTH, AOIS_MAX_VALUES)
  const aois = parse(bytes.toString('utf8'), 'the body')
  const given = Array.isArray(aois) ? aois.map((aoi) => (isObject(aoi) ? { itemId, ...aoi } : aoi)) : aois
  const { aois: own } = readDescription(bytesOf({ ...study, aois: given }))
  const stray = own.findIndex((aoi) => aoi.itemId !== itemId)
  if (stray >= 0) {
    const report = newReport()
    const rule = 'must be the item of the path, or be left out'
    addProblem(report.study, {
      file: 'body',
      line: null,
      column: `aois[${stray}].itemId`,
      value: own[stray].itemId,
      rule,
    })
    throwReport(report, 'the body')
  }
  return readDescription(bytesOf(placeAois(study, itemId, own)))
}

const ABOUT_MAX_DEPTH = 4
const ABOUT_MAX_VALUES = 10_000

/**
 * Returns a study with another `about`.
 *
 * @param bytes its JSON, as in study.json; `{}` removes it
 * @param subject name of the JSON in messages
 * @throws ServiceError invalid_bundle
 */
export function withAbout(study: Study, bytes: Buffer, subject = 'the body'): Study {
  checkJson(bytes, ABOUT_MAX_DEPTH, ABOUT_MAX_VALUES, subject)
  const about = parse(bytes.toString('utf8'), subject)
  // Null would mean none, and is not an object.
  return readDescription(bytesOf({ ...study, about: about ?? 'null' }), subject)
}

/** Returns a study with changed names, order and number of items. @throws ServiceError invalid_bundle */
export function withRenaming(study: Study, renaming: Renaming): Study {
  return readDescription(bytesOf(renamed(study, renaming)))
}

const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value)
const bytesOf = (study: object) => Buffer.from(JSON.stringify(study))
