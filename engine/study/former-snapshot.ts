import { join } from 'node:path'
import type { StudyWrite } from '../model/study.ts'
import { replaceDurably } from '../storage/files/durable.ts'
import { isThere } from '../storage/files/optional-files.ts'
import { readSealed, seal, unseal } from '../storage/files/sealed-json.ts'

/**
 * Snapshot before the last change by a request, which is kept for a day so that the change can be undone. Any later
 * change, except moved data, ends that.
 */
type Former = {
  /** Id of the snapshot before the change, and of the one that it made. */
  before: string
  after: string
  did: StudyWrite['did']
  /** When the change was made, RFC 3339. */
  at: string
}

export const FORMER = 'undo.json'
/** Time within which a change can be undone. */
const KEPT_MS = 24 * 3_600_000

/** Keeps the snapshot before a change that is about to be published. The caller holds the study's lock. */
export async function keepFormer(studyDir: string, former: Former): Promise<void> {
  await replaceDurably(join(studyDir, FORMER), seal(former, FORMER))
}

/** Records that data were moved and nothing has changed. */
export async function followMoved(studyDir: string, from: string, to: string, now: Date): Promise<void> {
  const former = await readFormer(studyDir, now)
  if (former?.after === from) await keepFormer(studyDir, { ...former, after: to })
}

/** Returns the snapshot that is kept beside the current one; null for none. */
export async function keptFormer(studyDir: string, now: Date): Promise<string | null> {
  return (await readFormer(studyDir, now))?.before ?? null
}

/**
 * Returns what can be undone in a study, and until when; null for nothing.
 *
 * @param isElsewhere whether the snapshot before is kept in an object store, and fetched only when the change is undone
 */
export async function undoable(
  studyDir: string,
  currentId: string,
  now: Date,
  isElsewhere = false,
): Promise<(Former & { until: string }) | null> {
  const former = await readFormer(studyDir, now)
  if (former === null || former.after !== currentId) return null
  if (!isElsewhere && !(await isThere(join(studyDir, former.before, 'manifest.json')))) return null
  return { ...former, until: new Date(Date.parse(former.at) + KEPT_MS).toISOString() }
}

/** Reads which snapshot is kept; null if its time is over, or it cannot be read. */
async function readFormer(studyDir: string, now: Date): Promise<Former | null> {
  return unlessOver(await readSealed<Former>(join(studyDir, FORMER), FORMER).catch(() => null), now)
}

/** Parses the id of the kept snapshot; null for none. @throws ServiceError corrupt */
export function formerIn(text: string, now: Date): string | null {
  return unlessOver(unseal<Former>(text, FORMER, FORMER), now)?.before ?? null
}

function unlessOver(former: Former | null, now: Date): Former | null {
  return former !== null && now.getTime() - Date.parse(former.at) < KEPT_MS ? former : null
}
