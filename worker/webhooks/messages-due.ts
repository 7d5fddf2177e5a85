import type { Message } from '../../engine/webhooks/message.ts'

/**
 * In-memory entry of a message on disk: the time from which it may be sent, and whether later messages wait until then.
 */
export type Due = Pick<Message, 'id' | 'studyId' | 'createdAt'> & { nextMs: number; holdsUp: boolean }

/** Queue of the messages of one webhook, with a line for each study. */
export type MessagesDue = {
  has: (id: string) => boolean
  add: (message: Message) => void
  remove: (id: string) => void
  size: () => number
  /** True if a message of a study waits, such as one that announces its publication. */
  hasStudy: (studyId: string) => boolean
  /**
   * Takes the next message that may be sent: oldest first and one at a time for each study, with studies in turn. A
   * message that has just failed holds up those behind it. After HOLDS_TRIES failures, they may overtake it, since a
   * single message would otherwise stop all others for days.
   */
  take: (nowMs: number) => Due | null
  /**
   * Schedules a taken message again, from `nextMs` on.
   *
   * @param tries that failed; null if messages behind it need not wait
   */
  putBack: (due: Due, tries: number | null, nextMs: number) => void
}

const HOLDS_TRIES = 2

export function openMessagesDue(): MessagesDue {
  const byId = new Map<string, Due>()
  const lines = new Map<string, Due[]>()
  const taken = new Set<string>()

  const isBefore = (a: Due, b: Due) => a.createdAt < b.createdAt || (a.createdAt === b.createdAt && a.id < b.id)
  return {
    has: (id) => byId.has(id),
    size: () => byId.size,
    hasStudy: (studyId) => (lines.get(studyId)?.length ?? 0) > 0,
    add: ({ id, studyId, createdAt, tries, nextAt }) => {
      const due = {
        id,
        studyId,
        createdAt,
        nextMs: nextAt === null ? 0 : Date.parse(nextAt),
        holdsUp: tries < HOLDS_TRIES,
      }
      byId.set(id, due)
      const line = lines.get(studyId) ?? []
      let at = line.length
      while (at > 0 && isBefore(due, line[at - 1])) at--
      line.splice(at, 0, due)
      lines.set(studyId, line)
    },
    remove: (id) => {
      const due = byId.get(id)
      if (due === undefined) return
      byId.delete(id)
      taken.delete(due.studyId)
      const rest = (lines.get(due.studyId) ?? []).filter((each) => each !== due)
      if (rest.length > 0) lines.set(due.studyId, rest)
      else lines.delete(due.studyId)
    },
    take: (nowMs) => {
      for (const [studyId, line] of lines) {
        if (taken.has(studyId)) continue
        const due = line.find((each) => each.nextMs <= nowMs || each.holdsUp)
        if (due === undefined || due.nextMs > nowMs) continue
        taken.add(studyId)
        lines.delete(studyId)
        lines.set(studyId, line)
        return due
      }
      return null
    },
    putBack: (due, tries, nextMs) => {
      due.holdsUp = tries !== null && tries < HOLDS_TRIES
      due.nextMs = nextMs
      taken.delete(due.studyId)
    },
  }
}
