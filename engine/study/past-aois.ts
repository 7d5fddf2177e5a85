import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { ServiceError } from '../model/errors.ts'
import { aoisByItem } from '../model/output-order.ts'
import { UUID } from '../model/parameters.ts'
import type { Aoi, Study } from '../model/study.ts'
import { makeDirectory, replaceDurably, syncDirectory } from '../storage/files/durable.ts'
import { studiesDirectory } from '../storage/files/layout.ts'
import { namesIn, readText } from '../storage/files/optional-files.ts'
import { readSealed, seal } from '../storage/files/sealed-json.ts'

/**
 * Past AOIs of items, so that changes can be reverted: a file for each snapshot whose AOIs the next one changed. It is
 * written before that one is published, and again if that never happened.
 */
type PastAois = {
  /** When they were replaced, RFC 3339. */
  until: string
  /** Id of the token that asked for it; null for an import. */
  tokenId: string | null
  /** By item: those whose AOIs were changed. */
  items: Record<string, Aoi[]>
}

/** AOIs that an item had. @property name tells it from others, for a list that goes on */
type PastSet = Pick<PastAois, 'until' | 'tokenId'> & { name: string; aois: Aoi[] }

export const PAST_AOIS = 'past-aois'
const KEPT_MAX = 1000

/**
 * Keeps the AOIs that the next snapshot changes. The caller holds the study's lock.
 *
 * @param currentId null without a snapshot
 * @param before description of that snapshot; null if there is none
 */
export async function keepPastAois(
  studyDir: string,
  currentId: string | null,
  before: Study | null,
  next: Study,
  { until, tokenId }: Omit<PastAois, 'items'>,
): Promise<void> {
  if (before === null) return
  const items = changedAois(before.aois, next.aois)
  if (Object.keys(items).length === 0) return
  const directory = join(studyDir, PAST_AOIS)
  if ((await makeDirectory(directory)) !== undefined) await syncDirectory(studyDir)
  const name = `${until.replaceAll(/\D/g, '')}-${currentId}.json`
  await replaceDurably(join(directory, name), seal({ until, tokenId, items }, name))
  // Drop those of the same snapshot (its successor was never published), and the oldest.
  const others = (await pastNames(studyDir)).filter((each) => each !== name)
  const former = others.filter((each, i) => i >= KEPT_MAX - 1 || each.endsWith(`-${currentId}.json`))
  for (const each of former) await rm(join(directory, each), { force: true })
}

/** Reads a snapshot's description; null if it is damaged, which an import may be about to repair. */
export async function describedIn(directory: string): Promise<Study | null> {
  try {
    return JSON.parse((await readText(join(directory, 'study.json'))) ?? 'null') as Study | null
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}

/** Returns the former AOIs of each item whose AOIs changed. */
function changedAois(before: Aoi[], after: Aoi[]): Record<string, Aoi[]> {
  const [old, young] = [before, after].map(aoisByItem)
  const ids = [...new Set([...old.keys(), ...young.keys()])]
  const changed = ids.filter((id) => !isDeepStrictEqual(old.get(id), young.get(id)))
  return Object.fromEntries(changed.map((id) => [id, old.get(id) ?? []]))
}

/** Lists the files of a study's past AOIs, newest first. */
async function pastNames(studyDir: string): Promise<string[]> {
  return (await namesIn(join(studyDir, PAST_AOIS)))
    .filter((name) => name.endsWith('.json'))
    .sort()
    .reverse()
}

/**
 * Lists the AOIs that an item had before its present ones, newest first.
 *
 * @param present those it has now
 * @param after name of the last one of the page before; '' for the first page
 * @returns at most `limit`, and whether there are more
 * @throws ServiceError corrupt
 */
export async function listPastAois(
  studyDir: string,
  itemId: string,
  present: Aoi[],
  { after, limit }: { after: string; limit: number },
): Promise<{ sets: PastSet[]; hasMore: boolean }> {
  const sets: PastSet[] = []
  let newer = after === '' ? present : null
  for (const name of await pastNames(studyDir)) {
    if (after !== '' && name >= after) continue
    const past = await readSealed<PastAois>(join(studyDir, PAST_AOIS, name), name)
    const aois = past?.items[itemId]
    // One that equals the next was to be replaced, and was not.
    if (past === null || aois === undefined || isDeepStrictEqual(aois, newer)) continue
    if (sets.length === limit) return { sets, hasMore: true }
    newer = aois
    sets.push({ name, until: past.until, tokenId: past.tokenId, aois })
  }
  return { sets, hasMore: false }
}

/** Reports damaged files of past AOIs. @returns how many there are */
export async function checkPastAois(dataDir: string, report: (sentence: string) => void): Promise<number> {
  const studies = studiesDirectory(dataDir)
  let files = 0
  for (const studyId of (await namesIn(studies)).filter((name) => UUID.test(name)).sort()) {
    for (const name of await pastNames(join(studies, studyId))) {
      files++
      await readSealed(join(studies, studyId, PAST_AOIS, name), name).catch((error: unknown) => {
        if (!(error instanceof ServiceError)) throw error
        report(`Study ${studyId}: ${PAST_AOIS}/${error.message}.`)
      })
    }
  }
  return files
}
