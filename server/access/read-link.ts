import { type Link, readLinkAddress } from '../../engine/access/link.ts'
import { makePlan } from '../../engine/exports/make-plan.ts'
import { EXPORTS } from '../../engine/exports/registry.ts'
import { checkParameters } from '../../engine/model/check-parameters.ts'
import { type Fault, ServiceError } from '../../engine/model/errors.ts'
import { FORMAT_NAMES, type FormatName } from '../../engine/model/format-names.ts'
import type { Snapshot } from '../../engine/model/study.ts'
import type { NamedAnalysis } from '../../engine/model/study-analysis.ts'
import { queryOf } from '../http/query.ts'
import { exportPath } from '../routes/exports.ts'

/**
 * Derives what a link shows from the address of a page of the dashboard or of an export, whose parameters are checked
 * now, so that nobody gets a link that only refuses.
 *
 * @throws ServiceError usage
 */
export function readLink(
  address: string,
  isWhole: boolean,
  snapshot: Snapshot,
  named: NamedAnalysis | null,
): Omit<Link, 'hasDownloads' | 'madeBy'> & { hasDownloads?: true } {
  const shown = readLinkAddress(address, isWhole, snapshot, named?.reference ?? null)
  if (shown.page !== 'export') return shown
  checkExport(shown.path, snapshot, named)
  return { ...shown, hasDownloads: true }
}

function checkExport(address: string, snapshot: Snapshot, named: NamedAnalysis | null): void {
  const [path, ...more] = address.slice('/api2'.length).split('?')
  const query = queryOf(`?${more.join('?')}`)
  const entries = EXPORTS.filter((each) => exportPath(each.path).replace(':studyId', path.split('/')[2]) === path)
  const variant = query.get('variant')?.[0] ?? entries[0]?.variant ?? null
  const entry = entries.find((each) => each.variant === variant)
  if (entry === undefined) throw refused([{ parameter: 'path', rule: 'must be that of an export', value: address }])
  const format = FORMAT_NAMES.find((name) => name === query.get('format')?.[0])
  const { parameters, faults } = checkParameters(
    query,
    entry.variant === null ? ['format'] : ['format', 'variant'],
    named,
  )
  if (format === undefined)
    faults.push({
      parameter: 'format',
      rule: `must be one of ${FORMAT_NAMES.join(', ')}`,
      value: query.get('format')![0],
    })
  if (parameters === null || faults.length > 0) throw refused(faults)
  try {
    makePlan({ snapshot, exportName: entry.name, parameters, formulaGuard: true, format: format as FormatName })
  } catch (error) {
    throw error instanceof ServiceError && error.code !== 'corrupt' ? new ServiceError('usage', error.message) : error
  }
}

function refused(faults: Fault[]): ServiceError {
  const sentences = faults.map(({ parameter, rule, value }) => `${parameter} ${rule}, got ${JSON.stringify(value)}`)
  return new ServiceError('usage', sentences.join('; '))
}
