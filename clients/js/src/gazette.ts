import { download, type Following, requestParts, type Sink } from './download.ts'
import { openRequest, type Server } from './request.ts'
import type {
  AnalysisList,
  Clusters,
  Comparisons,
  DescribedParticipants,
  Export,
  ExportList,
  ExportName,
  FormatDescription,
  Job,
  JobPart,
  Looks,
  Loss,
  Microsaccades,
  Mixed,
  Offsets,
  ParameterDescription,
  Pupils,
  Quality,
  Reading,
  Scanpaths,
  StoredAnalysis,
  StudyDetails,
  StudyPage,
  StudySummary,
  TableSchema,
  Tags,
  Transitions,
  Within,
} from './types.ts'

export type { Following, Sink } from './download.ts'
export { GazetteError, type Server } from './request.ts'
export type * from './types.ts'

export type Format = FormatDescription['name']
/** A study, by its id or as an object from the server. */
export type StudyOrId = string | { id: string }
/** Parameters of an export, by their names on the server; absent ones have their defaults. */
export type Parameters = Partial<Omit<Job['parameters'], 'ignored' | 'offsets'>>
/** A row: texts, numbers, booleans, arrays, and null for missing values. */
export type Row = Record<string, unknown>
/** Name of a statistical analysis of a study. */
export type Analyses = {
  comparisons: Comparisons
  within: Within
  mixed: Mixed
  transitions: Transitions
  visits: Transitions
  survival: Transitions
  quality: Quality
  loss: Loss
  reading: Reading
  tags: Tags
  offsets: Offsets
  participants: DescribedParticipants
  pupils: Pupils
  looks: Looks
  clusters: Clusters
  microsaccades: Microsaccades
  scanpaths: Scanpaths
}
export type Options = Following & { parameters?: Parameters }

/** Client of a server with a token. Every method throws GazetteError with the message of the server. */
export type Gazette = {
  /** Lists the studies that the token may read. */
  studies: () => Promise<StudySummary[]>
  /** Gets a study: its items, AOIs and counts. */
  study: (study: StudyOrId) => Promise<StudyDetails>
  /** Lists the available exports. */
  exports: () => Promise<Export[]>
  /** Lists the parameters of exports, with their ranges, units and meanings. */
  parameters: () => Promise<ParameterDescription[]>
  /** Describes the columns of an export. */
  schema: (name: ExportName) => Promise<TableSchema>
  /** Lists the named analyses of a study; pass a name as `parameters.analysis`. */
  analyses: (study: StudyOrId) => Promise<StoredAnalysis[]>
  /** Computes statistics, with the parameters of exports and its own, such as `group1` or `aois`. */
  analyse: <Name extends keyof Analyses>(
    name: Name,
    study: StudyOrId,
    parameters: Parameters & Record<string, string | number | string[] | null | undefined>,
  ) => Promise<Analyses[Name]>
  /** Reads an export as rows; with `output: 'parts'`, those of several files, one after the other. */
  rows: (name: ExportName, study: StudyOrId, options?: Options & { output?: 'file' | 'parts' }) => Promise<Row[]>
  /** Requests an export as several files, each complete by itself, and waits for them. @returns them, in order */
  parts: (name: ExportName, study: StudyOrId, format: Format, options?: Options) => Promise<JobPart[]>
  /** Downloads one of them into a sink, as `download` does. */
  downloadPart: (part: JobPart, sink: Sink, options?: Following & { knownTag?: string }) => Promise<string | null>
  /** Reads an export as the bytes of a file. */
  bytes: (name: ExportName, study: StudyOrId, format: Format, options?: Options) => Promise<Uint8Array>
  /** Downloads an export into a sink. @returns its entity tag; null if `knownTag` is still current */
  download: (
    name: ExportName,
    study: StudyOrId,
    format: Format,
    sink: Sink,
    options?: Options & { knownTag?: string },
  ) => Promise<string | null>
}

/** Creates a client of a server. @throws TypeError for an address over which the token would be sent in clear text */
export function openGazette(server: Server): Gazette {
  if (server.url !== '') check(server.url)
  const ask = openRequest(server)
  const getJson = async <T>(path: string) => (await ask(path)).json() as Promise<T>
  let catalog: Promise<ExportList> | undefined
  const loadCatalog = () => {
    catalog ??= getJson<ExportList>('/api2/exports')
    catalog.catch(() => {
      catalog = undefined
    })
    return catalog
  }
  /** Throws what the server says about an unknown export, since it knows which one may have been meant. */
  const refuseExport = async (name: string): Promise<never> => {
    await ask(`/api2/exports/${encodeURIComponent(name)}/schema`)
    throw new TypeError(`${name} is new on the server: open a client again`)
  }
  const addressOf = async (name: ExportName, study: StudyOrId, given: Record<string, unknown>): Promise<string> => {
    const entry = (await loadCatalog()).exports.find((each) => each.name === name)
    if (entry === undefined) return refuseExport(name)
    return `${pathOf(entry.path, study)}?${queryOf({ ...given, variant: entry.variant })}`
  }
  const downloadTo: Gazette['download'] = async (name, study, format, sink, { parameters = {}, ...following } = {}) =>
    download(ask, await addressOf(name, study, { ...parameters, format }), sink, following)
  const parts: Gazette['parts'] = async (name, study, format, { parameters = {}, ...following } = {}) =>
    requestParts(ask, await addressOf(name, study, { ...parameters, format, output: 'parts' }), following)
  const downloadPart: Gazette['downloadPart'] = ({ href }, sink, options) => download(ask, href, sink, options)
  const bytes: Gazette['bytes'] = async (name, study, format, options) => {
    const { sink, all } = openMemory()
    await downloadTo(name, study, format, sink, options)
    return all()
  }
  return {
    studies: () => allStudies((path) => getJson<StudyPage>(path)),
    study: (study) => getJson(pathOf('/api2/studies/{studyId}', study)),
    exports: async () => (await loadCatalog()).exports,
    parameters: async () => (await loadCatalog()).parameters,
    schema: (name) => getJson(`/api2/exports/${encodeURIComponent(name)}/schema`),
    analyses: async (study) =>
      (await getJson<AnalysisList>(pathOf('/api2/studies/{studyId}/analyses', study))).analyses,
    analyse: (name, study, parameters) =>
      getJson(`${pathOf(`/api2/studies/{studyId}/analysis/${name}`, study)}?${queryOf(parameters)}`),
    rows: async (name, study, { output, ...options } = {}) => {
      if (output !== 'parts') return rowsIn(await bytes(name, study, 'ndjson', options))
      const rows: Row[] = []
      for (const part of await parts(name, study, 'ndjson', options)) {
        const { sink, all } = openMemory()
        await downloadPart(part, sink, options)
        for (const row of rowsIn(all())) rows.push(row)
      }
      return rows
    },
    parts,
    downloadPart,
    bytes,
    download: downloadTo,
  }
}

function check(url: string): void {
  const { protocol, hostname } = new URL(url)
  const isLoopback = /^(localhost|127\.[\d.]+|\[::1\])$/.test(hostname)
  if (protocol === 'https:' || (protocol === 'http:' && isLoopback)) return
  throw new TypeError(
    `${url} must begin with https://, since a token is sent there; http:// is for this machine alone.`,
  )
}

function pathOf(template: string, study: StudyOrId): string {
  return template.replace('{studyId}', encodeURIComponent(typeof study === 'string' ? study : study.id))
}

/** Parses NDJSON. */
function rowsIn(bytes: Uint8Array): Row[] {
  const text = new TextDecoder().decode(bytes)
  return text === '' ? [] : (JSON.parse(`[${text.trimEnd().replaceAll('\n', ',')}]`) as Row[])
}

/** Returns a sink that collects the bytes in memory. */
function openMemory(): { sink: Sink; all: () => Uint8Array } {
  let blocks: Uint8Array[] = []
  const all = () => {
    const joined = new Uint8Array(blocks.reduce((sum, { length }) => sum + length, 0))
    let at = 0
    for (const block of blocks) {
      joined.set(block, at)
      at += block.length
    }
    return joined
  }
  const write = (block: Uint8Array, at: number) => {
    if (at === 0) blocks = []
    blocks.push(block)
  }
  return { sink: { write, sha256: async () => new Uint8Array(await crypto.subtle.digest('SHA-256', all())) }, all }
}

/** Reads all pages of the list of studies. */
async function allStudies(getPage: (path: string) => Promise<StudyPage>): Promise<StudySummary[]> {
  const found: StudySummary[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: StudyPage = await getPage(`/api2/studies${cursor && `?cursor=${encodeURIComponent(cursor)}`}`)
    found.push(...page.studies)
    cursor = page.nextCursor
  }
  return found
}

function queryOf(parameters: Record<string, unknown>): URLSearchParams {
  const query = new URLSearchParams()
  for (const [key, value] of Object.entries(parameters))
    if (value !== undefined && value !== null) query.append(key, String(value))
  return query
}
