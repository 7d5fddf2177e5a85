import type { ExportEntry } from '../../engine/exports/columns/export-entry.ts'
import { EXPORTS } from '../../engine/exports/registry.ts'
import { FORMATS } from '../../engine/formats/formats.ts'
import { Job } from '../schemas/job.ts'
import { ALL_SETTINGS, PARAMETERS } from './parameters.ts'
import { BINARY, empty, media, type Route, type RouteAnswer, route, sent, TEXT } from './route.ts'

const { ifNoneMatch, acceptEncoding, prefer, range, ifRange } = PARAMETERS
const FILE = ['Content-Disposition', 'ETag', 'Vary', 'Link', 'Content-Encoding?', 'Accept-Ranges?']
const SENT = [...FILE, 'Content-Length', 'Repr-Digest']
/** Text has a schema; binary content has none, as in OpenAPI 3.1. */
const TABLES = Object.fromEntries(
  FORMATS.flatMap(({ mediaTypes: [type], isText }) => (type ? [[type, isText ? TEXT : BINARY]] : [])),
)
const ZIP = { 'application/zip': BINARY }
const NOT_MODIFIED = ['Not modified: the client has this version', 'ETag', 'Vary'] as const

/** Problems of every request for a file. */
const PROBLEMS = [
  'format_limit',
  'canceled',
  'gone',
  'too_many_jobs',
  'set_aside',
  'overloaded',
  'queue_away',
  'disk_full',
] as const

/** The two routes of an export, GET and HEAD. */
type Named = Record<string, ReturnType<typeof fileRoute<`/studies/:studyId/${string}`>>>

/** Returns the path of an export. */
export const exportPath = (path: string) => `/studies/:studyId/collected-data/${path}` as const

/** Returns a route whose file is computed at once or by a job. */
function fileRoute<const Path extends string>(
  method: 'get' | 'head',
  path: Path,
  more: Omit<Route, 'method' | 'path' | 'role' | 'links'>,
) {
  return route(method, path, 'read', {
    links: 'downloads',
    problems: method === 'head' ? PROBLEMS : [...PROBLEMS, 'range_not_satisfiable'],
    ...more,
  })
}

/** A route for each path of the registry. */
export const EXPORT_ROUTES: Named = Object.fromEntries(
  [...new Set(EXPORTS.map(({ path }) => path))].flatMap((path) => {
    const entries = EXPORTS.filter((entry) => entry.path === path)
    const isShared = entries.length > 1
    const name = isShared ? 'gazes' : entries[0].name
    const id = name.replace(/(^|-)([a-z])/g, (_all, _before, letter: string) => letter.toUpperCase())
    const titles = entries.map(({ title }) => withinSentence(title)).join('; ')
    const address = exportPath(path)
    const shared = {
      tag: path.startsWith('eye-tracking/') ? 'Eye-tracking exports' : 'Keyboard and mouse exports',
      planned: [...(isShared ? [PARAMETERS.variant] : []), PARAMETERS.format, PARAMETERS.output, ...ALL_SETTINGS],
    }
    return [
      [
        `export${id}`,
        fileRoute('get', address, {
          ...shared,
          summary: `Export ${titles}`,
          description: entries.map((entry) => describeExport(entry, isShared)).join('\n\n'),
          headers: [ifNoneMatch, acceptEncoding, prefer, range, ifRange],
          answers: fileAnswers(rowsOf(entries), TABLES),
        }),
      ],
      [
        `head${id}`,
        fileRoute('head', address, {
          ...shared,
          summary: `Get the headers of an export: ${titles}`,
          description:
            'Computes and queues nothing. Length and digest are present if the file exists or the answer is in the cache.',
          headers: [ifNoneMatch, acceptEncoding],
          answers: headAnswers(),
        }),
      ],
    ]
  }),
)

/**
 * Returns a title as it is written within a sentence: "Pupil stats" begins in lower case, "AOI visits" does not change.
 */
function withinSentence(title: string): string {
  return /^[A-Z][a-z]/.test(title) ? `${title.charAt(0).toLowerCase()}${title.slice(1)}` : title
}

const PACKAGE = {
  tag: 'Packages',
  planned: [PARAMETERS.exports, PARAMETERS.packageFormat, ...ALL_SETTINGS],
}

export const PACKAGE_ROUTES = {
  exportPackage: fileRoute('get', '/studies/:studyId/package', {
    ...PACKAGE,
    summary: 'Export several tables as one ZIP file, with metadata',
    description:
      'A job always makes the package. Tables are in `data/`; `datapackage.json` (Data Package 2.0), `ro-crate-metadata.json` (RO-Crate 1.3), `croissant.json` (Croissant 1.1) and `CITATION.cff` describe version, settings, snapshot, columns and digests; `methods.md` has the methods section.',
    headers: [ifNoneMatch, prefer, range, ifRange],
    answers: fileAnswers('The package', ZIP),
  }),
  headPackage: fileRoute('head', '/studies/:studyId/package', {
    ...PACKAGE,
    summary: 'Get the headers of a package',
    description: 'Computes and queues nothing. Length and digest are present once the file exists.',
    headers: [ifNoneMatch],
    answers: headAnswers(),
  }),
}

/** Answers with the file of a job. */
export const FILE_ANSWERS: Record<number, RouteAnswer<never>> = {
  200: media('The file', { ...TABLES, ...ZIP }, ...SENT),
  206: media('A range of the uncompressed file', { ...TABLES, ...ZIP }, ...SENT, 'Content-Range'),
  304: empty(...NOT_MODIFIED),
}

function fileAnswers(about: string, content: Record<string, typeof TEXT | typeof BINARY>) {
  return {
    200: media(about, content, ...SENT, 'X-Snapshot', 'Preference-Applied?'),
    202: sent('Accepted: a job computes the file', Job, 'Location', 'Retry-After', 'X-Snapshot', 'Preference-Applied?'),
    206: media(
      'A range of the uncompressed file',
      content,
      ...SENT,
      'X-Snapshot',
      'Content-Range',
      'Preference-Applied?',
    ),
    304: empty(...NOT_MODIFIED, 'X-Snapshot'),
  }
}

/** Answers of the link to an export, and of `HEAD`. */
export const SHARED_ANSWERS = fileAnswers('The file', TABLES)
export const HEAD_ANSWERS = headAnswers()

function headAnswers() {
  return {
    200: empty('Headers only', ...FILE, 'X-Snapshot', 'Content-Length?', 'Repr-Digest?'),
    304: empty(...NOT_MODIFIED, 'X-Snapshot'),
  }
}

function describeExport(entry: ExportEntry, isShared: boolean): string {
  const { name, title, variant, listed, listedIfChanged = [], columns } = entry
  const which = isShared ? `\`variant=${variant}\` — ${title}. ` : ''
  const list = (names: string[]) => names.map((each) => `\`${each}\``).join(', ')
  const changed = listedIfChanged.length > 0 ? ` and, where they are not the default, ${list(listedIfChanged)}` : ''
  const echoed = listed.length > 0 ? ` Its \`notes\` echo ${list(listed)}${changed}.` : ''
  const names = columns.map((column) => `\`${column.name}\``).join(', ')
  return `${which}Columns, in order ([what they mean](/api2/exports/${name}/schema)): ${names}.${echoed}`
}

function rowsOf(entries: ExportEntry[]): string {
  const rows = entries.map(({ variant, rowPer }) => (variant === null ? rowPer : `${rowPer} (\`${variant}\`)`))
  return `One row per ${rows.join(', ')}`
}
