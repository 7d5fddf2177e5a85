import type { RequestListener } from 'node:http'
import type { Server, Socket } from 'node:net'
import { ipKeyGenerator } from 'express-rate-limit'

/**
 * Keeps count of a server's connections, also of those that are still in their TLS handshake, of which HTTP knows nothing.
 *
 * @param perAddress connections beyond it are closed at once, except for those of addresses that are exempt
 * @returns what breaks all of them
 */
export function boundSockets(
  server: Server,
  { perAddress, isExempt }: { perAddress: number; isExempt: (address: string) => boolean },
): () => void {
  const sockets = new Set<Socket>()
  const counts = new Map<string, number>()
  server.on('connection', (socket: Socket) => {
    const { remoteAddress } = socket
    // It has left already.
    if (remoteAddress === undefined) return void socket.destroy()
    const address = ipKeyGenerator(remoteAddress)
    const count = (counts.get(address) ?? 0) + 1
    if (count > perAddress && !isExempt(remoteAddress)) return void socket.destroy()
    counts.set(address, count)
    sockets.add(socket)
    socket.once('close', () => {
      sockets.delete(socket)
      const left = (counts.get(address) ?? 1) - 1
      if (left === 0) counts.delete(address)
      else counts.set(address, left)
    })
  })
  return () => {
    for (const socket of sockets) socket.destroy()
  }
}

/**
 * Returns a listener that breaks a connection whose client sends request after request without waiting for answers: Node would begin
 * to answer all of them at once.
 *
 * @param unansweredMax requests of a connection that may be under way; HTTP/1.1 clients send one, or few
 */
export function boundUnanswered(listener: RequestListener, unansweredMax: number): RequestListener {
  const counts = new WeakMap<Socket, number>()
  return (req, res) => {
    const { socket } = req
    const count = (counts.get(socket) ?? 0) + 1
    if (count > unansweredMax || socket.destroyed) return void socket.destroy()
    counts.set(socket, count)
    res.once('close', () => counts.set(socket, counts.get(socket)! - 1))
    listener(req, res)
  }
}
