import { dirname } from 'node:path'
import type { Tokens } from '../../engine/access/tokens.ts'
import { undoable } from '../../engine/study/former-snapshot.ts'
import { readHistory } from '../../engine/study/history.ts'
import { listPastAois } from '../../engine/study/past-aois.ts'
import { may } from '../access/authorize.ts'
import { encodeCursor } from '../http/query.ts'
import type { Answers } from '../routes/route.ts'
import type { HISTORY_ROUTES } from '../routes/studies.ts'

/** Returns the handlers of a study's history: changes, and earlier AOIs of items, newest first. */
export function historyRoutes({ tokens }: { tokens: Tokens }): Answers<typeof HISTORY_ROUTES> {
  return {
    getHistory: async ({ snapshot: { manifest, directory, study, pin }, token, query: { limit, cursor } }) => {
      const all = await readHistory(dirname(directory), manifest)
      const former = await undoable(dirname(directory), manifest.snapshotId, new Date(), pin !== undefined)
      // Names of tokens may be those of people.
      const known = may('write', token, study.id) ? await tokens.list() : []
      const names = new Map(known.map(({ id, name }) => [id, name]))
      const end = cursor === undefined ? all.length : Math.min(Number(cursor[0]), all.length)
      const start = Math.max(0, end - limit)
      return {
        entries: all
          .slice(start, end)
          .reverse()
          .map(({ at, tokenId, did, details, participantId, testCount, sampleCount, snapshotId: snapshot }) => ({
            at,
            tokenId,
            tokenName: names.get(tokenId) ?? null,
            did,
            ...(details === undefined ? {} : { details }),
            ...(participantId === undefined ? {} : { participantId, testCount, sampleCount }),
            snapshot,
          })),
        undoable: former && { did: former.did, at: former.at, until: former.until },
        nextCursor: start > 0 ? encodeCursor([String(start)]) : null,
      }
    },
    getPastAois: async ({ snapshot: { study, directory }, item, query: { limit, cursor: [after = ''] = [] } }) => {
      const present = study.aois.filter((aoi) => aoi.itemId === item.id)
      const { sets, hasMore } = await listPastAois(dirname(directory), item.id, present, { after, limit })
      return {
        entries: sets.map(({ until, tokenId, aois }) => ({ until, tokenId, aois })),
        nextCursor: hasMore ? encodeCursor([sets.at(-1)!.name]) : null,
      }
    },
  }
}
