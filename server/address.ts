import { lookup } from 'node:dns/promises'
import { createServer, type Server } from 'node:net'
import { ServiceError } from '../engine/model/errors.ts'
import type { Config } from '../engine/model/settings.ts'
import { isCode } from '../engine/model/system-errors.ts'
import { isLoopback } from './http/proxy.ts'

/** Backlog: connections that may wait to be accepted. Beyond it, new ones are reset. The system may allow fewer. */
export const BACKLOG = 8192

/**
 * Refuses an address that cannot be listened on, before anything is made for it.
 *
 * @param tries number of ports to try, from PORT on
 * @throws ServiceError invalid_setting
 */
export async function needFreePort(config: Config, tries: number): Promise<void> {
  const probe = createServer()
  await listenOnFree(probe, config, tries)
  await new Promise((resolve) => probe.close(resolve))
}

/** Refuses plain HTTP for other machines, and a HOST without an address. @throws ServiceError invalid_setting */
export async function refusePlainBeyondLoopback({ host, tlsCertFile, trustProxy }: Config): Promise<void> {
  if (tlsCertFile !== '' || trustProxy !== '') return
  const addresses = await lookup(host, { all: true }).catch(() => [])
  if (addresses.length === 0)
    throw new ServiceError('invalid_setting', `HOST must be an address of this machine, such as 127.0.0.1, got ${host}`)
  if (addresses.every(({ address }) => isLoopback(address))) return
  throw new ServiceError(
    'invalid_setting',
    `HOST=${host} is reachable from other machines, where plain HTTP would show tokens to whoever listens: set TLS_CERT_FILE and TLS_KEY_FILE, or TRUST_PROXY if a proxy with HTTPS stands before it, or HOST=127.0.0.1 to serve this machine only`,
  )
}

/** Listens on the first port that is free. @throws ServiceError invalid_setting */
export async function listenOnFree(server: Server, config: Config, tries: number): Promise<void> {
  for (let port = config.port; ; port++) {
    try {
      return await listen(server, { ...config, port })
    } catch (error) {
      const isTaken = isCode((error as ServiceError).cause, 'EADDRINUSE')
      if (!isTaken || port + 1 >= config.port + tries || port === 65_535) throw error
    }
  }
}

function listen(server: Server, { host, port }: Config): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const why = {
        EADDRINUSE: 'is taken by another program: set another PORT, or PORT=0 for any that is free',
        EACCES: 'needs rights that this process has not',
      }
      const reason = why[cause.code as keyof typeof why] ?? 'cannot be listened on'
      reject(new ServiceError('invalid_setting', `HOST=${host} PORT=${port} ${reason}`, { cause }))
    })
    server.listen(port, host, BACKLOG, () => {
      server.removeAllListeners('error')
      resolve()
    })
  })
}
