import type { RequestListener } from 'node:http'
import type { Server, Socket } from 'node:net'
import { ipKeyGenerator } from 'express-rate-limit'
import { LRUCache } from 'lru-cache'

/** Limits on connections. Exempt addresses have no limits of their own. */
type SocketBounds = {
  /** Connections in all. Beyond this, the oldest silent connection is closed, otherwise the new one. */
  max: number
  /** Connections of one address. Beyond this, a new one is closed at once. */
  perAddress: number
  /**
   * Rate of new connections of one address. Beyond this, after a burst, they wait before the server does any work for
   * them.
   */
  newPerSecond: number
  /** Burst. */
  newAtOnce: number
  isExempt: (address: string) => boolean
}

const SOCKETS_MAX = 16_384
const SOCKETS_PER_ADDRESS = 1024
const WAIT_MAX_MS = 10_000
const ADDRESSES_MAX = 10_000

/**
 * Limits a server's connections, including those in their TLS handshake, which HTTP does not see and which costs more
 * than most requests. Call it after all other listeners for connections are attached.
 *
 * @returns a function that closes all of them
 */
export function boundSockets(server: Server, bounds: SocketBounds): () => void {
  const { max, perAddress, isExempt } = bounds
  const sockets = new Set<Socket>()
  const counts = new Map<string, number>()
  const waitOf = paceOf(bounds)
  const takers = server.listeners('connection')
  server.removeAllListeners('connection')
  const take = (socket: Socket) => {
    for (const taker of takers) taker.call(server, socket)
  }
  server.on('connection', (socket: Socket) => {
    const { remoteAddress } = socket
    // The client has already disconnected.
    if (remoteAddress === undefined) return void socket.destroy()
    const address = ipKeyGenerator(remoteAddress)
    const isBound = !isExempt(remoteAddress)
    const count = (counts.get(address) ?? 0) + 1
    const waitMs = isBound && count <= perAddress ? waitOf(address) : 0
    if ((isBound && count > perAddress) || waitMs > WAIT_MAX_MS) return void socket.destroy()
    if (sockets.size >= max && !breakSilent(sockets)) return void socket.destroy()
    counts.set(address, count)
    sockets.add(socket)
    socket.once('close', () => {
      sockets.delete(socket)
      const left = (counts.get(address) ?? 1) - 1
      if (left === 0) counts.delete(address)
      else counts.set(address, left)
    })
    if (waitMs <= 0) take(socket)
    else delay(socket, waitMs, take)
  })
  return () => {
    for (const socket of sockets) socket.destroy()
  }
}

/** Evicts the oldest connection that has sent no byte. @returns whether there was one */
function breakSilent(sockets: Set<Socket>): boolean {
  for (const socket of sockets) {
    if (socket.bytesRead > 0 || socket.destroyed) continue
    sockets.delete(socket)
    socket.destroy()
    return true
  }
  return false
}

/**
 * Returns the maximum numbers of connections, in all and of one address, for a process that may open so many files:
 * half of them stay for files.
 */
export function socketsFor(openFiles: number): { max: number; perAddress: number } {
  const max = Math.min(SOCKETS_MAX, Math.floor(openFiles / 2))
  return { max, perAddress: Math.min(SOCKETS_PER_ADDRESS, Math.floor(max / 4)) }
}

/**
 * Rate-limits new connections: returns the ms that a connection of an address has to wait, and reserves that turn
 * unless the wait is too long.
 */
function paceOf({ newPerSecond, newAtOnce }: SocketBounds): (address: string) => number {
  const gapMs = 1000 / newPerSecond
  /** Time at which the next connection is due for an address without a reserved turn. */
  const dues = new LRUCache<string, number>({ max: ADDRESSES_MAX })
  return (address) => {
    const now = performance.now()
    const due = Math.max(dues.get(address) ?? Number.NEGATIVE_INFINITY, now - (newAtOnce - 1) * gapMs)
    if (due - now <= WAIT_MAX_MS) dues.set(address, due + gapMs)
    return due - now
  }
}

function delay(socket: Socket, waitMs: number, take: (socket: Socket) => void): void {
  const leave = () => socket.destroy()
  const timer = setTimeout(() => {
    socket.off('error', leave).off('close', stop)
    take(socket)
  }, waitMs)
  const stop = () => clearTimeout(timer)
  socket.on('error', leave).on('close', stop)
}

/**
 * Returns a listener that applies backpressure to pipelined requests: a request of a connection begins when the
 * previous one is answered, instead of all at once as in Node. It closes a connection whose client keeps sending
 * without waiting for answers.
 *
 * @param unansweredMax running and waiting requests of a connection; HTTP/1.1 clients send one, or a few
 */
export function answerOneByOne(listener: RequestListener, unansweredMax: number): RequestListener {
  const lines = new WeakMap<Socket, (() => void)[]>()
  return (req, res) => {
    const { socket } = req
    const line = lines.get(socket) ?? []
    if (line.length >= unansweredMax || socket.destroyed) return void socket.destroy()
    lines.set(socket, line)
    line.push(() => listener(req, res))
    res.once('finish', () => {
      line.shift()
      if (socket.writable) line[0]?.()
    })
    if (line.length === 1) line[0]()
  }
}
