import { ServiceError } from '../../engine/model/errors.ts'

/**
 * Places to compute in, and a short line before them. Its owners (tokens) are served in turn, and share its room
 * evenly.
 */
export type Line = {
  /**
   * Waits for a place. Returns what gives it back.
   *
   * @param ticket says whose turn is taken; that may change while it waits
   * @throws ServiceError overloaded when the line is full, or when one with fewer in it needs the room; canceled
   */
  take: (ticket: Ticket, signal: AbortSignal) => Promise<() => void>
  /** Number of waiting entries, of all owners or of one. */
  waiting: (owner?: string) => number
  running: () => number
}

export type Ticket = { owner: string }
type Waiting = { ticket: Ticket; start: () => void; refuse: (error: ServiceError) => void }

export function openLine({ places, waitingMax }: { places: number; waitingMax: number }): Line {
  const line: Waiting[] = []
  /** Turn in which each owner was last served; forgotten when nobody waits. */
  const served = new Map<string, number>()
  let running = 0
  let turn = 0

  const countOf = (owner: string) => line.reduce((n, { ticket }) => n + Number(ticket.owner === owner), 0)
  const servedAt = ({ ticket }: Waiting) => served.get(ticket.owner) ?? 0

  function leavePlace(): void {
    // Handed over, so that nobody can slip in between.
    const next = line.reduce<Waiting | undefined>(
      (best, each) => (best === undefined || servedAt(each) < servedAt(best) ? each : best),
      undefined,
    )
    if (next === undefined) {
      running--
      served.clear()
      return
    }
    line.splice(line.indexOf(next), 1)
    served.set(next.ticket.owner, ++turn)
    next.start()
  }

  /**
   * Makes room for an owner by refusing the latest of whoever has most in line, if that leaves both as many at least.
   */
  function makeRoom(owner: string): void {
    const counts = new Map<string, number>()
    for (const { ticket } of line) counts.set(ticket.owner, (counts.get(ticket.owner) ?? 0) + 1)
    const [most, n] = [...counts].reduce((best, each) => (each[1] > best[1] ? each : best), ['', 0])
    const full = new ServiceError('overloaded', 'the line is full')
    if (n <= countOf(owner) + 1) throw full
    const at = line.findLastIndex(({ ticket }) => ticket.owner === most)
    line.splice(at, 1)[0].refuse(full)
  }

  return {
    take: async (ticket, signal) => {
      if (running < places) {
        running++
        served.set(ticket.owner, ++turn)
        return leavePlace
      }
      if (line.length >= waitingMax) makeRoom(ticket.owner)
      await new Promise<void>((start, refuse) => {
        const entry: Waiting = { ticket, start, refuse }
        line.push(entry)
        signal.addEventListener('abort', () => {
          const at = line.indexOf(entry)
          if (at >= 0) line.splice(at, 1)
          refuse(new ServiceError('canceled', 'the client left'))
        })
      })
      return leavePlace
    },
    waiting: (owner) => (owner === undefined ? line.length : countOf(owner)),
    running: () => running,
  }
}
