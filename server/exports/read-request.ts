import type { Request } from 'express'
import { LRUCache } from 'lru-cache'
import type { ExportEntry } from '../../engine/exports/columns/export-entry.ts'
import { makePlan } from '../../engine/exports/make-plan.ts'
import { type FileFormat, formatOf } from '../../engine/formats/formats.ts'
import { checkParameters } from '../../engine/model/check-parameters.ts'
import { type Fault, ServiceError } from '../../engine/model/errors.ts'
import { nearest } from '../../engine/model/nearest.ts'
import { defaultParameters, type Parameters, trimFilter, UUID } from '../../engine/model/parameters.ts'
import type { FilePlan } from '../../engine/model/plan.ts'
import type { Snapshot, Study } from '../../engine/model/study.ts'
import type { NamedAnalysis } from '../../engine/model/study-analysis.ts'
import { makePackagePlan, PACKAGE_FORMATS, readExports } from '../../engine/products/package/make-package-plan.ts'
import { findAnalysis } from '../../engine/snapshot/analyses/find-analysis.ts'
import { studyIdFaults } from '../access/readable-study.ts'
import { invalidParameters } from '../http/problems.ts'
import { queryOf } from '../http/query.ts'
import { OUTPUTS } from '../routes/parameters.ts'
import { chooseFormat } from './choose-format.ts'

/** A parsed request for an export. */
export type ParsedRequest<P extends FilePlan = FilePlan> = {
  plan: P
  parameters: Parameters
  fileName: string
  /** Which files are asked for: `one` that a job may make in parts, too, if the client prefers that. */
  output: 'one' | 'parts' | 'only one'
}

const CACHED_CHARACTERS_MAX = 1 << 18

/**
 * Returns a parser of requests for the exports of one path, with an LRU cache: platforms repeat the same requests, and
 * the result depends only on URL, Accept header and snapshot.
 *
 * @returns a function that throws ProblemError invalid_param, with all faults at once
 */
export function cachedParser(
  entries: ExportEntry[],
  formulaGuard: boolean,
): (req: Request, snapshot: Snapshot) => Promise<ParsedRequest> {
  const seen = new LRUCache<string, ParsedRequest>({
    maxSize: CACHED_CHARACTERS_MAX,
    sizeCalculation: (_understood, key) => key.length,
  })
  return async (req, snapshot) => {
    const named = req.url.includes('analysis=') ? await findAnalysis(snapshot, queryOf(req.url).get('analysis')) : null
    const key = [snapshot.id, named?.reference, req.get('accept') ?? '', req.url].join('\n')
    const known = seen.get(key)
    if (known) return known
    const understood = parseRequest(req, entries, snapshot, named, formulaGuard)
    seen.set(key, understood)
    return understood
  }
}

/**
 * Parses a request for a package into a plan: for the exports that `exports` names, or for all that have rows.
 *
 * @throws ProblemError invalid_param, with all faults at once
 */
export async function parsePackageRequest(
  req: Request,
  snapshot: Snapshot,
  formulaGuard: boolean,
): Promise<ParsedRequest> {
  const query = queryOf(req.url)
  const named = await findAnalysis(snapshot, query.get('analysis'))
  const faults: Fault[] = []
  const names = query.get('exports')?.[0]
  const exports = names === undefined ? null : readExports(names, faults)
  const asked = query.get('format')?.[0] ?? 'csv'
  const format = PACKAGE_FORMATS.find((name) => name === asked)
  if (format === undefined) {
    const rule = `must be one of ${PACKAGE_FORMATS.join(', ')} in a package`
    faults.push({ parameter: 'format', rule, value: asked, ...nearest(asked, PACKAGE_FORMATS) })
  }
  const own = ['studyId', 'exports', 'format']
  const { plan, parameters } = planRequest({ query, named, snapshot, own, faults }, (parameters) =>
    makePackagePlan({ snapshot, exports, parameters, formulaGuard, format: format ?? 'csv' }),
  )
  const fileName = fileNameOf(snapshot.study, { name: plan.export }, formatOf(plan))
  return { plan, parameters, fileName, output: 'only one' }
}

/** Parses a request for an export into a plan. @throws ProblemError invalid_param, with all faults at once */
export function parseRequest(
  req: Pick<Request, 'url' | 'accepts'>,
  entries: ExportEntry[],
  snapshot: Snapshot,
  named: NamedAnalysis | null,
  formulaGuard: boolean,
): ParsedRequest {
  const query = queryOf(req.url)
  const own = ['studyId', 'format', 'output', ...(entries[0].variant === null ? [] : ['variant'])]
  const faults: Fault[] = []
  const entry = chooseVariant(query, entries, faults)
  const format = chooseFormat(query, req, faults)
  const output = chooseOutput(query, entry, format, faults)
  const { plan, parameters } = planRequest({ query, named, snapshot, own, faults }, (asked) =>
    makePlan({ snapshot, exportName: entry.name, parameters: asked, formulaGuard, format: format.name }),
  )
  return { plan, parameters, fileName: fileNameOf(snapshot.study, entry, format), output }
}

/**
 * A request with its plan. `named` is the analysis that it names; `own` are parameters of this path only; `faults` are
 * those that the caller has already found.
 */
type Planned = {
  query: Map<string, string[]>
  named: NamedAnalysis | null
  snapshot: Snapshot
  own: string[]
  faults: Fault[]
}

/**
 * Validates the parameters of a request and makes its plan.
 *
 * @throws ProblemError invalid_param, with all faults at once
 */
export function planRequest<P extends FilePlan>(
  { query, named, snapshot, own, faults }: Planned,
  planOf: (parameters: Parameters) => P,
): { plan: P; parameters: Parameters } {
  const checked = checkParameters(query, own, named)
  const all = [...checked.faults, ...studyIdFaults(query, snapshot.study.id), ...faults]
  // Only the plan knows whether the item exists, and the columns of the filter. It is made even if there are faults, so
  // that all are reported at once.
  const itemId =
    query
      .get('itemId')
      ?.find((value) => UUID.test(value))
      ?.toLowerCase() ?? null
  const filters = query.get('filter') ?? []
  const filter = filters.length === 1 ? trimFilter(filters[0]) : null
  const parameters = checked.parameters ?? { ...defaultParameters(), itemId, filter }
  try {
    // Checked before it is joined with that of the analysis, so that positions of faults are those of the given text.
    if (named !== null) planOf({ ...defaultParameters(), itemId, filter })
    const plan = planOf(parameters)
    if (all.length > 0) throw invalidParameters(all)
    // As given, so that the same request gives the same plan.
    return { plan, parameters: { ...parameters, filter } }
  } catch (error) {
    if (error instanceof ServiceError && (error.code === 'invalid_param' || all.length > 0))
      throw invalidParameters([...all, ...error.faults])
    throw error
  }
}

function chooseVariant(query: Map<string, string[]>, entries: ExportEntry[], faults: Fault[]): ExportEntry {
  const values = query.get('variant') ?? []
  if (entries[0].variant === null || values.length === 0) return entries[0]
  const names = entries.map(({ variant }) => String(variant))
  const entry = entries.find(({ variant }) => variant === values[0])
  if (values.length === 1 && !entry)
    faults.push({
      parameter: 'variant',
      rule: `must be one of ${names.join(', ')}`,
      value: values[0],
      ...nearest(values[0], names),
    })
  return entry ?? entries[0]
}

/** Chooses one file or several, and refuses several of a table that has to be one. */
function chooseOutput(
  query: Map<string, string[]>,
  entry: ExportEntry,
  format: FileFormat,
  faults: Fault[],
): ParsedRequest['output'] {
  const values = query.get('output') ?? []
  const value = values[0] ?? OUTPUTS[0]
  const refusal = refusalOfParts(entry, format)
  const isKnown = OUTPUTS.some((output) => output === value)
  // A parameter given twice is reported with the other parameters.
  if (values.length === 1 && !isKnown) {
    const rule = `must be one of ${OUTPUTS.join(', ')}`
    faults.push({ parameter: 'output', rule, value, ...nearest(value, OUTPUTS) })
  }
  if (values.length === 1 && value === 'parts' && refusal !== null)
    faults.push({ parameter: 'output', rule: `must be file: ${refusal}`, value })
  if (value === 'parts') return 'parts'
  return refusal === null ? 'one' : 'only one'
}

/** Returns why an export in a format has no parts; null if it has. */
function refusalOfParts({ name, kind }: ExportEntry, format: FileFormat): string | null {
  if (kind === 'sums') return `${name} adds up all tests, so its rows have no parts`
  return format.hasParts ? null : `programs do not read several ${format.title} files as one table`
}

/**
 * Returns the file name of an export: `study-<slug>-<study id>-<export>.<extension>` (docs/export-formats.md, "File
 * names").
 */
export function fileNameOf(
  { id, name }: Pick<Study, 'id' | 'name'>,
  { name: exportName }: { name: string },
  { extension }: Pick<FileFormat, 'extension'>,
): string {
  const plain = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  const slug = plain
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-/, '')
    .slice(0, 60)
    .replace(/-$/, '')
  return `study-${slug}-${id}-${exportName}.${extension}`
}
