import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { ipKeyGenerator } from 'express-rate-limit'

/** Number of requests that may be young at once while the event loop is busy. */
const YOUNG_MAX = 8
/** Age at which a request is no longer young: most are answered earlier, and the others mostly wait for something. */
const YOUNG_MS = 100
/** Longest turn of an event loop that has time for one more request. */
const SHORT_TURN_MS = 2

/**
 * Returns a listener that starts requests address by address, and the requests of an address by their credentials, so
 * that nobody waits for all requests of somebody else. While the event loop is busy, only a few begin at once: a turn
 * goes through the steps of all, and accepts only a few new connections, so long turns would keep clients, and health
 * checks, from connecting.
 *
 * @param isProxy tells whether an address is a trusted proxy, whose clients count as separate addresses
 */
export function startFairly(listener: RequestListener, isProxy: (address: string) => boolean): RequestListener {
  const starts: Line<() => void> = { work: [], lines: new Map() }
  let waiting = 0
  let young = 0
  let turnedAtMs = 0
  const startNext = () => {
    waiting--
    young++
    take(starts)!()
  }
  const turn = () => {
    const now = performance.now()
    const isShort = now - turnedAtMs < SHORT_TURN_MS
    turnedAtMs = now
    if (isShort) startNext()
    while (waiting > 0 && young < YOUNG_MAX) startNext()
    if (waiting > 0) setImmediate(turn)
  }
  const begin = (req: IncomingMessage, res: ServerResponse) => {
    const grow = () => {
      clearTimeout(timer)
      res.off('close', grow)
      young--
    }
    const timer = setTimeout(grow, YOUNG_MS)
    res.once('close', grow)
    if (req.socket.destroyed) grow()
    else listener(req, res)
  }
  return (req, res) => {
    add(starts, ownersOf(req, isProxy), () => begin(req, res))
    waiting++
    if (waiting === 1) setImmediate(turn)
  }
}

/** Returns the address of a request, and the credentials that it offers, valid or not. */
function ownersOf({ socket, headers }: IncomingMessage, isProxy: (address: string) => boolean): string[] {
  const { remoteAddress = '' } = socket
  // The client as its nearest proxy saw it; what stands before it may be forged.
  const forwarded = isProxy(remoteAddress) ? String(headers['x-forwarded-for'] ?? '').split(',') : []
  const { 'x-auth-token': token, authorization, cookie } = headers
  return [ipKeyGenerator(forwarded.at(-1)?.trim() || remoteAddress), String(token ?? authorization ?? cookie ?? '')]
}

/** Work of one owner in its order, and of the owners below it, the one whose turn is next first. */
type Line<T> = { work: T[]; lines: Map<string, Line<T>> }

function add<T>(line: Line<T>, [owner, ...others]: string[], work: T): void {
  if (owner === undefined) {
    line.work.push(work)
    return
  }
  const below = line.lines.get(owner) ?? { work: [], lines: new Map() }
  line.lines.set(owner, below)
  add(below, others, work)
}

/** Takes the next work and puts its owners last; undefined if there is none. */
function take<T>({ work, lines }: Line<T>): T | undefined {
  const [next] = lines
  if (next === undefined) return work.shift()
  const [owner, line] = next
  const taken = take(line)
  lines.delete(owner)
  if (line.work.length > 0 || line.lines.size > 0) lines.set(owner, line)
  return taken
}
