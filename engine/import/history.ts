import { appendFile, open, rm, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { isCode, replaceDurably } from '../files/durable.ts'
import { readText } from '../files/optional-files.ts'
import type { Manifest, StudyWrite } from '../model/study.ts'
import { LEASES } from '../snapshot/leases.ts'
import { readManifest } from '../snapshot/snapshots.ts'
import { SHARED } from './shared-files.ts'

/**
 * Who changed a study, when, and what snapshot came of it. A snapshot's manifest holds the writes that made it, so that they are
 * published with it or not at all; when the next one replaces it, they are appended to the study's history.
 */
export type HistoryEntry = StudyWrite & { snapshotId: string }

const FILE = 'history.ndjson'

/** A history that is read on from where it was left. */
export type History = { entries: HistoryEntry[]; file: string; offset: number }

export function newHistory(): History {
  return { entries: [], file: '', offset: 0 }
}

/** Appends the writes of a snapshot that is about to be replaced, unless they are there; the study's lock is held. */
export async function carryWrites(studyDir: string, currentId: string | null): Promise<void> {
  if (currentId === null) return
  const manifest = await readManifest(join(studyDir, currentId))
  if (!manifest.writes?.length) return
  const path = join(studyDir, FILE)
  const last = await mendTail(path)
  if (last?.snapshotId === currentId) return
  await appendFile(
    path,
    entriesOf(manifest)
      .map((entry) => `${JSON.stringify(entry)}\n`)
      .join(''),
  )
  const file = await open(path, 'r+')
  await file.sync().finally(() => file.close())
}

function entriesOf({ snapshotId, writes = [] }: Manifest): HistoryEntry[] {
  return writes.map((write) => ({ ...write, snapshotId }))
}

const TAIL_BYTES = 65_536

/** Cuts off what a killed process left of a line, and returns the last whole one. */
async function mendTail(path: string): Promise<HistoryEntry | null> {
  const file = await open(path, 'a+')
  try {
    const { size } = await file.stat()
    const start = Math.max(0, size - TAIL_BYTES)
    const tail = Buffer.alloc(size - start)
    await file.read(tail, 0, tail.length, start)
    const end = tail.lastIndexOf(10)
    if (start + end + 1 < size) await truncate(path, start + end + 1)
    if (end < 0) return null
    return JSON.parse(tail.toString('utf8', tail.lastIndexOf(10, end - 1) + 1, end)) as HistoryEntry
  } finally {
    await file.close()
  }
}

/**
 * Reads a study's history up to a snapshot.
 *
 * @param known what was read before; it is read on
 */
export async function readHistory(studyDir: string, manifest: Manifest, known = newHistory()): Promise<HistoryEntry[]> {
  const file = await open(join(studyDir, FILE), 'r').catch((error: unknown) => {
    if (isCode(error, 'ENOENT')) return null
    throw error
  })
  try {
    const facts = await file?.stat()
    const name = facts ? `${facts.ino} ${facts.birthtimeMs}` : ''
    // Another file, if participants were forgotten in it.
    if (name !== known.file) Object.assign(known, newHistory(), { file: name })
    const bytes = Buffer.alloc(Math.max(0, (facts?.size ?? 0) - known.offset))
    await file?.read(bytes, 0, bytes.length, known.offset)
    const end = bytes.lastIndexOf(10) + 1
    for (const line of bytes.toString('utf8', 0, end).split('\n'))
      if (line !== '') known.entries.push(JSON.parse(line) as HistoryEntry)
    known.offset += end
  } finally {
    await file?.close()
  }
  const isCarried = known.entries.at(-1)?.snapshotId === manifest.snapshotId
  return isCarried ? known.entries : [...known.entries, ...entriesOf(manifest)]
}

/** Removes what a study leaves beside its snapshots. */
export async function removeTraces(studyDir: string): Promise<void> {
  for (const name of [FILE, SHARED, LEASES]) await rm(join(studyDir, name), { recursive: true, force: true })
}

/** Forgets in a study's history which participant was who, for one who was removed. */
export async function forgetParticipant(studyDir: string, participantId: string): Promise<void> {
  const path = join(studyDir, FILE)
  const text = await readText(path)
  if (text === null || !text.includes(participantId)) return
  const lines = text.split('\n').map((line) => {
    if (!line.includes(participantId)) return line
    const { participantId: _, key: _key, content: _content, ...entry } = JSON.parse(line) as HistoryEntry
    return JSON.stringify(entry)
  })
  await replaceDurably(path, lines.join('\n'))
}
