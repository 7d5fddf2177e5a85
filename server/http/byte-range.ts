import type { Request, Response } from 'express'
import { ProblemError } from './problems.ts'

type ByteRange = { start: number; end: number }

/**
 * Returns the range that a GET requests, half-open. Returns null if it requests none, several, or a range of another
 * version. `req.range` counts a suffix longer than the file, and a range whose end is before its start, as
 * unsatisfiable; neither is (RFC 9110, 14.1.2).
 */
export function requestedRange(req: Request, tag: string, bytes: number): ByteRange | 'unsatisfiable' | null {
  const match = /^bytes=\s*(?:(\d{1,15})-(\d{0,15})|-(\d{1,15}))\s*$/.exec(req.get('range') ?? '')
  const condition = req.get('if-range')
  if (match === null || req.method !== 'GET' || (condition !== undefined && condition !== tag)) return null
  const [, first, last, suffix] = match
  if (suffix !== undefined) {
    if (Number(suffix) === 0) return 'unsatisfiable'
    // Content-Range cannot express an empty range, so the whole file is sent.
    return bytes === 0 ? null : { start: Math.max(0, bytes - Number(suffix)), end: bytes }
  }
  const start = Number(first)
  const end = last === '' ? bytes : Math.min(bytes, Number(last) + 1)
  if (last !== '' && Number(last) < start) return null
  return start < bytes ? { start, end } : 'unsatisfiable'
}

/**
 * Returns the bytes to send for a requested range: the range, or the whole file.
 *
 * @throws ProblemError range_not_satisfiable
 */
export function sendRange(res: Response, range: ReturnType<typeof requestedRange>, bytes: number): ByteRange {
  if (range === 'unsatisfiable')
    throw new ProblemError('range_not_satisfiable', { headers: { 'Content-Range': `bytes */${bytes}` } })
  if (range === null) return { start: 0, end: bytes }
  res.status(206)
  res.setHeader('Content-Range', `bytes ${range.start}-${range.end - 1}/${bytes}`)
  return range
}
