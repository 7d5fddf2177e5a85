import type { Request, Response } from 'express'
import { type FileFormat, formatOf } from '../../engine/formats/formats.ts'
import type { Jobs } from '../../engine/jobs/open-jobs.ts'
import { openPublished, type ProvedBytes } from '../../engine/jobs/published-file.ts'
import type { Job } from '../../engine/jobs/record/job.ts'
import type { FileKind } from '../../engine/jobs/record/state.ts'
import { type FilePlan, isPackage } from '../../engine/model/plan.ts'
import { requestedRange, sendRange } from '../http/byte-range.ts'
import { acceptsGzip } from '../http/fixed-answer.ts'
import { noteSent } from '../http/request-log.ts'
import type { PublishedFile } from './published.ts'
import type { Body, ExportAnswer } from './sync.ts'

/** Facts for the headers of a file, besides its bytes. `tag`: the plan's id, and of a part also its number. */
type FileFacts = {
  planId: string
  tag: string
  /** File of a job. */
  jobId?: string
  studyId: string
  exportName: string
  /** Path of what describes it. */
  describedBy: string
  fileName: string
  format: FileFormat
}

/** Returns what the plan of a file tells of it. */
export function factsOfFile(plan: FilePlan): Pick<FileFacts, 'studyId' | 'exportName' | 'describedBy' | 'format'> {
  const describedBy = isPackage(plan) ? '/api2/exports' : `/api2/exports/${plan.export}/schema`
  return { studyId: plan.studyId, exportName: plan.export, describedBy, format: formatOf(plan) }
}

const GZIP_TAG = `gz-${process.versions.zlib}`

/**
 * Returns the strong entity tag of a file. Equal plans give equal bytes; the bytes of a gzip version, and of a package,
 * also depend on the version of zlib.
 */
function entityTag(tag: string, kind: FileKind, { usesZlib }: FileFormat): string {
  return kind === 'gzip' || usesZlib ? `"${tag}-${GZIP_TAG}"` : `"${tag}"`
}

/**
 * Returns the tag that `If-None-Match` names, among the tags of the representations of a file; for `*`, the tag of
 * the one that would be sent.
 */
export function knownTag(req: Request, tag: string, format: FileFormat): string | null {
  const kinds: FileKind[] = [negotiateKind(req, format), 'plain', 'gzip']
  const tags = kinds.map((kind) => entityTag(tag, kind, format))
  return tags.find((each) => namesTag(req, each)) ?? null
}

/**
 * Returns whether `If-None-Match` names this tag, or any: the client already has the file. `req.fresh` does not help:
 * it is false whenever there is `Cache-Control: no-cache`, which fetch() sends with each `If-None-Match`.
 */
export function namesTag(req: Request, tag: string): boolean {
  const given = (req.get('if-none-match') ?? '').split(',').map((text) => text.trim().replace(/^W\//, ''))
  return given.includes(tag) || given.includes('*')
}

export function sendNotModified(res: Response, tag: string): void {
  res.setHeader('ETag', tag)
  setCaching(res)
  res.status(304).end()
}

/** Returns gzip if the format has a gzip version, the client accepts gzip, and it does not prefer the plain file. */
export function negotiateKind(req: Request, { hasGzip }: FileFormat): FileKind {
  return hasGzip && acceptsGzip(req) ? 'gzip' : 'plain'
}

/** Sets all headers of a file except length and digest, which are unknown until it is computed. */
export function setFileHeaders(res: Response, { tag, describedBy, fileName, format }: FileFacts, kind: FileKind): void {
  res.setHeader('Content-Type', format.contentType)
  res.setHeader('Content-Disposition', `attachment; filename="${fileName}"`)
  res.setHeader('ETag', entityTag(tag, kind, format))
  res.setHeader('Link', `<${describedBy}>; rel="describedby"`)
  if (kind === 'gzip') res.setHeader('Content-Encoding', 'gzip')
  setCaching(res)
}

function setCaching(res: Response): void {
  res.setHeader('Cache-Control', 'private, no-cache')
  res.setHeader('Vary', 'Accept, Accept-Encoding')
}

function setLength(res: Response, facts: FileFacts, bytes: number, sha256: Buffer): void {
  const { studyId: study, exportName, planId: plan, jobId: job } = facts
  noteSent(res, { study, export: exportName, plan, job, bytes })
  res.setHeader('Content-Length', String(bytes))
  res.setHeader('Repr-Digest', `sha-256=:${sha256.toString('base64')}:`)
}

/** Largest body, in bytes, that is written to the socket in one piece. */
const WHOLE_BYTES = 2 ** 20

/** Returns whether a request has a valid Range for the plain file of a plan, of any length. */
export function asksForRange(req: Request, tag: string, format: FileFormat): boolean {
  return rangeOfAnswer(req, entityTag(tag, 'plain', format), Number.MAX_SAFE_INTEGER) !== null
}

/**
 * Returns the requested range. Returns null also for `bytes=0-`, with which clients begin: it is the whole file, and an
 * empty file has no range.
 */
function rangeOfAnswer(req: Request, tag: string, bytes: number): ReturnType<typeof requestedRange> {
  return /^bytes=\s*0-\s*$/.test(req.get('range') ?? '') ? null : requestedRange(req, tag, bytes)
}

/**
 * Sends a computed answer in the encoding that the client prefers, or a range of it; for HEAD, only its headers.
 *
 * @throws ProblemError range_not_satisfiable
 */
export async function sendAnswer(
  req: Request,
  res: Response,
  facts: FileFacts,
  { csv, gzip }: ExportAnswer,
): Promise<void> {
  const range = rangeOfAnswer(req, entityTag(facts.tag, 'plain', facts.format), csv.bytes)
  const kind = gzip === null || range !== null ? 'plain' : 'gzip'
  const body: Body = kind === 'gzip' && gzip !== null ? gzip : csv
  const { start, end } = sendRange(res, range, body.bytes)
  setFileHeaders(res, facts, kind)
  setLength(res, facts, end - start, body.sha256)
  if (kind === 'plain') res.setHeader('Accept-Ranges', 'bytes')
  if (req.method === 'HEAD') return void res.end()
  const blocks = range === null ? body.blocks : within(body.blocks, start, end)
  if (end - start <= WHOLE_BYTES) await sendWhole(blocks, res)
  else await sendBlocks(blocks, res)
}

/** Returns the bytes from `start` to `end` of consecutive blocks, without copying them. */
function within(blocks: Uint8Array[], start: number, end: number): Uint8Array[] {
  let at = 0
  return blocks.flatMap((block) => {
    const [from, to] = [Math.max(0, start - at), Math.min(block.byteLength, end - at)]
    at += block.byteLength
    return from < to ? [block.subarray(from, to)] : []
  })
}

/** Sends a small body in one piece. Resolves when the system has taken all of it or the client has disconnected. */
function sendWhole(blocks: Uint8Array[], res: Response): Promise<void> {
  return new Promise((resolve) => {
    if (res.closed) return resolve()
    res.once('close', resolve)
    res.cork()
    for (const block of blocks) res.write(block)
    res.end()
  })
}

/**
 * Sends a published file of a job, or a range of it. Returns false, with nothing sent, if the file is gone or found to
 * be damaged, which removes it. Damage that is found later breaks the connection.
 *
 * @throws ProblemError range_not_satisfiable
 */
export async function sendPublished(
  req: Request,
  res: Response,
  jobs: Jobs,
  job: Job,
  { fileName, tag, plain, files }: PublishedFile,
): Promise<boolean> {
  const format = formatOf(job.plan)
  const facts = { ...factsOfFile(job.plan), planId: job.id.slice(1), tag, jobId: job.id, fileName }
  const range = requestedRange(req, entityTag(tag, 'plain', format), plain.bytes)
  const wanted = range === null ? negotiateKind(req, format) : 'plain'
  const stored = files.find((each) => each.kind === wanted) ?? files[0]
  const { bytes, sha256 } = stored.stored
  const { kind } = stored
  const { start, end } = range === null || range === 'unsatisfiable' ? { start: 0, end: bytes } : range
  const file = await openPublished(jobs, job, stored, { start, end })
  if (file === null) return false
  try {
    sendRange(res, range, bytes)
    setFileHeaders(res, facts, kind)
    setLength(res, facts, end - start, Buffer.from(sha256, 'hex'))
    if (kind === 'plain') res.setHeader('Accept-Ranges', 'bytes')
    if (req.method === 'HEAD') res.end()
    else if (file.first.length === end - start) await sendWhole([file.first], res)
    else await sendBlocks(chained(file), res)
    return true
  } finally {
    await file.close()
  }
}

/**
 * Sends blocks with backpressure: a block may be overwritten once the next one is requested, which is after the system
 * has taken it. A client that disconnects is not an error; an error of the blocks breaks the connection, since the
 * status is already sent.
 */
export async function sendBlocks(
  blocks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  res: Response,
): Promise<void> {
  for await (const block of blocks) if (!(await hasTaken(res, block))) return
  res.end()
}

/** Writes bytes and returns whether the system has taken them; false if the client has disconnected. */
function hasTaken(res: Response, block: Uint8Array): Promise<boolean> {
  return new Promise((resolve) => {
    if (res.closed) return resolve(false)
    const leave = () => resolve(false)
    res.once('close', leave)
    res.write(block, (error) => {
      res.off('close', leave)
      resolve(!error)
    })
  })
}

async function* chained({ first, rest }: ProvedBytes): AsyncGenerator<Uint8Array> {
  yield first
  yield* rest
}
