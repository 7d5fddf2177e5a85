import { type ChildProcess, type SendHandle, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'

/** Number of handles in addition to the server's own. Each connection costs an attempt to accept it on all of them. */
const HANDLES = 15

/** Number of open connections from which on a server accepts more in a turn. */
const CROWD = 16

/** Code of a process that sends each handle back, as a new descriptor of the same socket. */
const RETURN_HANDLES = `process.on('message', (message, handle) => process.send(message, handle))`

/** Options of the connections of http and https. */
const AS_HTTP = { allowHalfOpen: true, noDelay: true }

/**
 * Makes a server accept more connections in a turn of the event loop, from the first crowd on. libuv accepts one for
 * each handle that listens, so when turns are long, because of many clients on a busy machine, new clients would wait
 * for seconds. Node cannot duplicate a descriptor, but another process can: the handles are sent to it and back. Where
 * that fails, the server goes on with its own handle.
 *
 * @param server that listens
 * @returns a function that closes the additional handles
 */
export function acceptMore(server: Server, backlog: number, onError: (error: Error) => void): () => Promise<void> {
  let close = async () => {}
  let open = 0
  const count = (socket: Socket) => {
    open++
    socket.once('close', () => open--)
    if (open < CROWD) return
    server.off('connection', count)
    close = addHandles(server, backlog, onError)
  }
  server.on('connection', count)
  return () => {
    server.off('connection', count)
    return close()
  }
}

function addHandles(server: Server, backlog: number, onError: (error: Error) => void): () => Promise<void> {
  const listeners: Server[] = []
  const child = spawn(process.execPath, ['-e', RETURN_HANDLES], {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    env: { ...process.env, NODE_OPTIONS: '' },
  })
  const ended = once(child, 'close').catch(() => undefined)
  let awaited = HANDLES
  child.on('error', onError)
  child.on('message', (_message, handle) => {
    if (handle !== undefined) listeners.push(listenOn(handle, server, backlog, onError))
    if (--awaited === 0) child.kill()
  })
  child.once('spawn', () => sendHandles(child, server))
  return async () => {
    child.kill()
    await ended
    await Promise.all(listeners.map((listener) => new Promise((resolve) => listener.close(resolve))))
  }
}

function sendHandles(child: ChildProcess, server: Server): void {
  // The handle itself: the other process would accept connections of a net.Server.
  const { _handle } = server as Server & { _handle: SendHandle | null }
  if (_handle === null) return void child.kill()
  for (let i = 0; i < HANDLES; i++) child.send('', _handle, () => {})
}

function listenOn(handle: unknown, server: Server, backlog: number, onError: (error: Error) => void): Server {
  const take = (socket: Socket) => void server.emit('connection', socket)
  return createServer(AS_HTTP, take).on('error', onError).listen(handle, backlog)
}
