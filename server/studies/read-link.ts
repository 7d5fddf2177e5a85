import { type Link, readLinkAddress } from '../../engine/access/link.ts'
import { EXPORTS } from '../../engine/exports/registry.ts'
import { ServiceError } from '../../engine/model/errors.ts'
import type { Snapshot } from '../../engine/model/study.ts'
import type { NamedAnalysis } from '../../engine/model/study-analysis.ts'
import { parseRequest } from '../exports/read-request.ts'
import { ProblemError } from '../http/problems.ts'
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
  const path = address.slice('/api2'.length).replace(/\?.*/, '')
  const entries = EXPORTS.filter((each) => exportPath(each.path).replace(':studyId', path.split('/')[2]) === path)
  if (entries.length === 0)
    throw new ServiceError('usage', `path must be that of an export, got ${JSON.stringify(address)}`)
  try {
    // It names its format, so that nothing else is asked for one.
    parseRequest({ url: address, accepts: () => false as never }, entries, snapshot, named, true)
  } catch (error) {
    throw error instanceof ProblemError ? new ServiceError('usage', error.message) : error
  }
}
