import { join } from 'node:path'
import { namesIn, readJson, readText } from '../files/optional-files.ts'
import { FORMATS, formatOf } from '../formats/formats.ts'
import type { ErrorCode } from '../model/errors.ts'
import type { Parameters } from '../model/parameters.ts'
import type { Plan } from '../model/plan.ts'

/** How an attempt at a job ended. Times are RFC 3339 in UTC; SHA-256 in hex. */
export type JobEnd = {
  state: 'succeeded' | 'failed' | 'canceled' | 'expired'
  attempt: number
  startedAt: string | null
  finishedAt: string
  /** When the file goes; null where there is none. */
  expiresAt: string | null
  /** What was published; kept after expiry, when the file itself is gone. `rows` without the header. */
  file: {
    bytes: number
    /** null when the format has no twin. */
    gzipBytes: number | null
    rows: number
    samples: number
    sha256: string
    gzipSha256: string | null
  } | null
  error: { code: ErrorCode | 'internal'; message: string } | null
}

/** A job as it lies on disk. Without an end, it is for the queue to say how far it is. */
export type JobRecord = {
  id: string
  plan: Plan
  /** All parameters of the request, those that are not in the plan too. */
  parameters: Parameters
  samplesTotal: number
  /** The name that a download gets. */
  fileName: string
  /** When this attempt was asked for. */
  createdAt: string
  /** From 1; a job whose file is gone, or that failed, is asked for anew as the next attempt. */
  attempt: number
  /** null as long as this attempt has not ended. */
  end: JobEnd | null
  /** Ids of the tokens that asked for it and have not withdrawn. */
  interested: string[]
}

/** A job without those who asked for it. */
export type JobSummary = Omit<JobRecord, 'interested'>

/** The file itself, in whichever format its plan names, or its gzip twin. */
export type FileKind = 'csv' | 'gzip'

/** plan.json. One entry of `begun` (RFC 3339) for each attempt. */
export type PlanFile = Pick<JobRecord, 'plan' | 'parameters' | 'samplesTotal' | 'fileName'> & { begun: string[] }

/** Names in a job's directory that are files for clients. */
export const FILE_NAME = new RegExp(`^\\d+\\.(${FORMATS.map(({ extension }) => extension).join('|')})(\\.gz)?$`)
export const JOB_ID = /^x[0-9a-f]{64}$/

export type JobFiles = ReturnType<typeof jobFiles>

/**
 * Where the files of jobs lie, and what they say: under exports/<job id>/ plan.json, by/<token id>, and of each attempt <attempt>.tries,
 * <attempt>.csv (or another format's), <attempt>.csv.gz and <attempt>.end.json.
 *
 * @param dataDir absolute
 */
export function jobFiles(dataDir: string) {
  const root = join(dataDir, 'exports')
  const pathOf = (id: string, ...names: string[]) => join(root, id, ...names)
  const endPath = (id: string, attempt: number) => pathOf(id, `${attempt}.end.json`)
  const triesPath = (id: string, attempt: number) => pathOf(id, `${attempt}.tries`)
  const filePath = ({ id, attempt, plan }: JobSummary, kind: FileKind) =>
    pathOf(id, `${attempt}.${formatOf(plan).extension}${kind === 'gzip' ? '.gz' : ''}`)

  /** As it is on disk; null when there is no such job. */
  async function read(id: string): Promise<JobSummary | null> {
    if (!JOB_ID.test(id)) return null
    const file = await readJson<PlanFile>(pathOf(id, 'plan.json'))
    if (file === null) return null
    const { begun, ...rest } = file
    const attempt = begun.length
    return { id, ...rest, createdAt: begun[attempt - 1], attempt, end: await readJson<JobEnd>(endPath(id, attempt)) }
  }

  /** Who asked for this very attempt: a file of an earlier one says nothing about it. */
  async function interestedIn({ id, attempt }: JobSummary): Promise<string[]> {
    const asked = await Promise.all(
      (await namesIn(pathOf(id, 'by'))).map(async (tokenId) =>
        (await readText(pathOf(id, 'by', tokenId))) === String(attempt) ? [tokenId] : [],
      ),
    )
    return asked.flat()
  }

  return { root, pathOf, endPath, triesPath, filePath, read, interestedIn }
}
