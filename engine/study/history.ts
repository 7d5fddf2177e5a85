import { createHash } from 'node:crypto'
import { appendFile, open, rm, stat, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { ServiceError } from '../model/errors.ts'
import { UUID } from '../model/parameters.ts'
import type { Manifest, StudyWrite } from '../model/study.ts'
import { nullIfAbsent } from '../model/system-errors.ts'
import { LEASES } from '../snapshot/leases.ts'
import { readManifest } from '../snapshot/snapshots.ts'
import { closing } from '../storage/concurrency/closing.ts'
import { replaceDurably } from '../storage/files/durable.ts'
import { SHARED, studiesDirectory } from '../storage/files/layout.ts'
import { namesIn, readText } from '../storage/files/optional-files.ts'
import { FORMER } from './former-snapshot.ts'
import { PAST_AOIS } from './past-aois.ts'

/**
 * Entry of a study's history: who changed it, when, and the snapshot made. A manifest holds the writes that made its
 * snapshot, so that they are published with it or not at all; when the next one replaces it, they are appended to the
 * study's history.
 */
export type HistoryEntry = StudyWrite & { snapshotId: string }

export const HISTORY_FILE = 'history.ndjson'

/** A history, with the position up to which it was read. */
type History = { entries: HistoryEntry[]; file: string; offset: number }

export function newHistory(): History {
  return { entries: [], file: '', offset: 0 }
}

/**
 * Appends the writes of a snapshot that is about to be replaced, unless they are there. The caller holds the study's
 * lock.
 */
export async function carryWrites(studyDir: string, currentId: string | null): Promise<void> {
  if (currentId === null) return
  const manifest = await readManifest(join(studyDir, currentId), { allowsOlder: true })
  if (!manifest.writes?.length) return
  const path = join(studyDir, HISTORY_FILE)
  const last = await mendTail(path)
  if (last?.snapshotId === currentId) return
  await appendFile(path, entriesOf(manifest).map(lineOf).join(''))
  const file = await open(path, 'r+')
  await file.sync().finally(() => file.close())
}

/** Formats an entry as a line: a checksum, and JSON. */
function lineOf(entry: HistoryEntry): string {
  const text = JSON.stringify(entry)
  return `${checksumOf(text)} ${text}\n`
}

/** Parses and verifies a line; null if it is damaged. */
function entryIn(line: string): HistoryEntry | null {
  const text = line.slice(CHECKSUM_LENGTH + 1)
  return line === `${checksumOf(text)} ${text}` ? (JSON.parse(text) as HistoryEntry) : null
}

const CHECKSUM_LENGTH = 16

function checksumOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, CHECKSUM_LENGTH)
}

function entriesOf({ snapshotId, writes = [] }: Manifest): HistoryEntry[] {
  return writes.map((write) => ({ ...write, snapshotId }))
}

const TAIL_BYTES = 65_536

/** Truncates an incomplete last line of a killed process, and returns the last whole one. */
async function mendTail(path: string): Promise<HistoryEntry | null> {
  return closing(await open(path, 'a+'), async (file) => {
    const { size } = await file.stat()
    const start = Math.max(0, size - TAIL_BYTES)
    const tail = Buffer.alloc(size - start)
    await file.read(tail, 0, tail.length, start)
    const end = tail.lastIndexOf(10)
    if (start + end + 1 < size) await truncate(path, start + end + 1)
    if (end < 0) return null
    return entryIn(tail.toString('utf8', tail.lastIndexOf(10, end - 1) + 1, end))
  })
}

/** Reads a study's history up to a snapshot. @param known what was read before; it is read on */
export async function readHistory(studyDir: string, manifest: Manifest, known = newHistory()): Promise<HistoryEntry[]> {
  const file = await open(join(studyDir, HISTORY_FILE), 'r').catch(nullIfAbsent)
  try {
    const facts = await file?.stat()
    const name = facts ? `${facts.ino} ${facts.birthtimeMs}` : ''
    // Another file, if participants were forgotten in it.
    if (name !== known.file) Object.assign(known, newHistory(), { file: name })
    const bytes = Buffer.alloc(Math.max(0, (facts?.size ?? 0) - known.offset))
    await file?.read(bytes, 0, bytes.length, known.offset)
    const end = bytes.lastIndexOf(10) + 1
    // Damage stays where it is: a line that is not what was written is none, and gazette check tells of it.
    for (const line of bytes.toString('utf8', 0, end).split('\n')) {
      const entry = entryIn(line)
      if (entry !== null) known.entries.push(entry)
    }
    known.offset += end
  } finally {
    await file?.close()
  }
  const isCarried = known.entries.at(-1)?.snapshotId === manifest.snapshotId
  return isCarried ? known.entries : [...known.entries, ...entriesOf(manifest)]
}

/** Removes the files of a study besides its snapshots. */
export async function removeTraces(studyDir: string): Promise<void> {
  for (const name of [HISTORY_FILE, PAST_AOIS, FORMER, SHARED, LEASES])
    await rm(join(studyDir, name), { recursive: true, force: true })
}

/** Returns true if a study's history names a participant. */
export async function isInHistory(studyDir: string, participantId: string): Promise<boolean> {
  return (await readText(join(studyDir, HISTORY_FILE)))?.includes(participantId) === true
}

/** Removes the identity of a removed participant from a study's history. */
export async function forgetParticipant(studyDir: string, participantId: string): Promise<void> {
  const path = join(studyDir, HISTORY_FILE)
  const text = await readText(path)
  // Reading a truncated history would lose entries, or keep them unseen.
  if (text !== null && Buffer.byteLength(text) !== (await stat(path)).size)
    throw new ServiceError('corrupt', `${HISTORY_FILE} could not be read to its end`)
  if (text === null || !text.includes(participantId)) return
  const lines = text.split('\n').flatMap((line) => {
    if (line === '') return []
    if (!line.includes(participantId)) return `${line}\n`
    const entry = entryIn(line)
    if (entry === null) return []
    const { participantId: _, key: _key, content: _content, details: _details, ...rest } = entry
    return lineOf(rest)
  })
  await replaceDurably(path, lines.join(''))
}

/** Reports damaged lines of studies' histories. @returns how many histories there are */
export async function checkHistories(dataDir: string, report: (sentence: string) => void): Promise<number> {
  const studies = studiesDirectory(dataDir)
  let files = 0
  for (const studyId of (await namesIn(studies)).filter((name) => UUID.test(name)).sort()) {
    const text = await readText(join(studies, studyId, HISTORY_FILE))
    if (text === null) continue
    files++
    const lines = text
      .slice(0, text.lastIndexOf('\n') + 1)
      .split('\n')
      .slice(0, -1)
    const damaged = lines.flatMap((line, i) => (entryIn(line) === null ? [i + 1] : []))
    if (damaged.length > 0) report(`Study ${studyId}: ${HISTORY_FILE} is damaged in line ${damaged.join(', ')}.`)
  }
  return files
}
