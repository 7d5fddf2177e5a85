import { randomUUID } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import { readFile } from 'node:fs/promises'
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http'
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import type { Logger } from 'pino'
import { openAuditLog } from '../engine/access/audit-log.ts'
import { openLiveStudies } from '../engine/live/live-studies.ts'
import { ServiceError } from '../engine/model/errors.ts'
import type { Config } from '../engine/model/settings.ts'
import { endLeases } from '../engine/snapshot/leases.ts'
import { makeDirectory } from '../engine/storage/files/durable.ts'
import { openFilesMax } from '../engine/storage/files/open-files.ts'
import { BACKLOG, listenOnFree, refusePlainBeyondLoopback } from './address.ts'
import { createApp, type ServerParts } from './app.ts'
import { acceptMore } from './http/accept-more.ts'
import { boundBodies } from './http/body/body-time.ts'
import { PROBLEMS, type ProblemCode, ProblemError, problemBody } from './http/problems.ts'
import { trustedProxy } from './http/proxy.ts'
import { answerOneByOne, boundSockets, socketsFor } from './http/sockets.ts'
import { startFairly } from './http/waiting/fair-starts.ts'

export type RunningServer = {
  /** Address without a trailing slash. */
  url: string
  /**
   * Shuts down: accepts no new requests, waits up to `graceMs` for running ones (delayed answers and event streams end
   * at once), then closes the rest.
   */
  close: (graceMs: number) => Promise<void>
}

/** Limits for one client: header bytes, time to send them, idle time, number of sockets. */
const HTTP_LIMITS: ServerOptions = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: 15_000,
  // BODY_TIMES limits bodies.
  requestTimeout: 0,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 5000,
  // The app refuses requests without Host, with a problem.
  requireHostHeader: false,
}
const BODY_TIMES = { withinMs: 30_000, bytesPerSecond: 8 * 1024 }
const HANDSHAKE_MS = 10_000
/** Addresses of tunnels and undeclared proxies, behind which there are many clients. */
const OURS = ['127.0.0.1', '::ffff:127.0.0.1', '::1']
const UNANSWERED_MAX = 16
/** Burst of new connections of one address: a crowd behind it that begins all at once. */
const NEW_AT_ONCE = 400
const SOCKET_IDLE_MS = 120_000

/**
 * Serves HTTP until it is closed.
 *
 * @param parts.portsTried number of ports to try, from PORT on
 * @throws ServiceError invalid_setting if HOST is beyond loopback without TLS or a trusted proxy, if the certificate or
 *   key cannot be used, or if the address is taken or not local
 */
export async function startServer(parts: ServerParts & { portsTried?: number }): Promise<RunningServer> {
  const { config, log } = parts
  await refusePlainBeyondLoopback(config)
  await makeDirectory(config.dataDir)
  const stopping = new AbortController()
  // Each delayed answer and event stream adds a listener.
  setMaxListeners(0, stopping.signal)
  const audit = openAuditLog(config.dataDir, (err, lines) => log.error({ err, lines }, 'audit log not written'))
  const live = openLiveStudies({
    dataDir: config.dataDir,
    place: parts.place,
    jobs: parts.jobs,
    memoryMib: config.engineMemoryMib,
  })
  const isProxy = trustedProxy(config.trustProxy)
  const started = startFairly(createApp(parts, audit, live, stopping.signal), (address) => isProxy(address, 0))
  const app = boundBodies(answerOneByOne(started, UNANSWERED_MAX), BODY_TIMES)
  const isTls = config.tlsCertFile !== ''
  const server = isTls ? await createTls(config, app) : createServer(HTTP_LIMITS, app)
  server.timeout = SOCKET_IDLE_MS
  // Any other expectation than 100-continue is ignored, instead of refused without an explanation.
  server.on('checkExpectation', app)
  answerUnparsed(server, log)
  const isExempt = (address: string) => OURS.includes(address) || isProxy(address, 0)
  const { connectionsPerSecond: newPerSecond } = config
  const breakAll = boundSockets(server, {
    ...socketsFor(openFilesMax()),
    newPerSecond,
    newAtOnce: NEW_AT_ONCE,
    isExempt,
  })
  const stopRereading = isTls ? rereadCertificate(server as TlsServer, config, log) : () => {}
  try {
    await listenOnFree(server, config, parts.portsTried ?? 1)
  } catch (error) {
    stopRereading()
    throw error
  }
  const onError = (error: Error) => log.error({ err: error }, 'server error')
  server.on('error', onError)
  const acceptNoMore = acceptMore(server, BACKLOG, onError)
  return {
    url: urlOf(server, config, isTls),
    close: async (graceMs) => {
      stopRereading()
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      stopping.abort()
      // A connection whose last answer ends now would otherwise stay open for the next request.
      const sweep = setInterval(() => server.closeIdleConnections(), 50)
      const timer = setTimeout(breakAll, graceMs)
      await Promise.all([closed, acceptNoMore()])
      clearInterval(sweep)
      clearTimeout(timer)
      await live.close()
      await endLeases()
      await audit.flush()
    },
  }
}

async function createTls(config: Config, app: RequestListener): Promise<TlsServer> {
  const certificate = await readCertificate(config)
  try {
    const server = createTlsServer({ ...HTTP_LIMITS, ...certificate, handshakeTimeout: HANDSHAKE_MS }, app)
    // Before its handshake is over, a client cannot be answered, and written bytes would wait for ever.
    return server.on('tlsClientError', (_error, socket) => socket.destroy())
  } catch (cause) {
    const rule = 'TLS_CERT_FILE and TLS_KEY_FILE must hold a certificate and its private key, in PEM'
    throw new ServiceError('invalid_setting', rule, { cause })
  }
}

async function readCertificate({ tlsCertFile, tlsKeyFile }: Config): Promise<{ cert: Buffer; key: Buffer }> {
  try {
    return { cert: await readFile(tlsCertFile), key: await readFile(tlsKeyFile) }
  } catch (cause) {
    throw new ServiceError('invalid_setting', 'TLS_CERT_FILE and TLS_KEY_FILE must be files that can be read', {
      cause,
    })
  }
}

/** Rereads the certificate on SIGHUP. If the new one cannot be used, the old one stays. */
function rereadCertificate(server: TlsServer, config: Config, log: Logger): () => void {
  const reread = () => {
    readCertificate(config)
      .then((certificate) => {
        server.setSecureContext(certificate)
        log.info('certificate reread')
      })
      .catch((error) => log.error({ err: error }, 'certificate not reread, the one before stays'))
  }
  process.on('SIGHUP', reread)
  return () => process.off('SIGHUP', reread)
}

function urlOf(server: Server | TlsServer, { host }: Config, isTls: boolean): string {
  const { port } = server.address() as AddressInfo
  return `${isTls ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${port}`
}

const UNPARSED: Record<string, ProblemCode> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
}

/** Answers requests that are not HTTP, which never reach the app, with a problem that is written by hand. */
function answerUnparsed(server: Server | TlsServer, log: Logger): void {
  // Answers leave a connection in the order of their requests: when the last one is done, all are.
  const last = new WeakMap<Socket, { req: IncomingMessage; res: ServerResponse }>()
  server.on('request', (req: IncomingMessage, res: ServerResponse) => last.set(req.socket, { req, res }))
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    const { req, res } = last.get(socket) ?? {}
    // In the middle of another answer, a problem would look like a part of it; after an answer to a request whose body
    // is broken, like the answer to another request.
    const isFree = socket.writable && (res === undefined || (res.writableFinished && req?.complete === true))
    if (error.code === 'ECONNRESET' || !isFree) return void socket.destroy()
    const id = randomUUID()
    const problem = new ProblemError(UNPARSED[error.code ?? ''] ?? 'bad_request')
    log.info({ requestId: id, code: problem.code }, 'request not understood')
    socket.end(unparsedAnswer(problem, id))
  })
}

function unparsedAnswer(problem: ProblemError, id: string): string {
  const { status, title } = PROBLEMS[problem.code]
  const body = JSON.stringify(problemBody(problem, id))
  const head = [
    `HTTP/1.1 ${status} ${title}`,
    'Content-Type: application/problem+json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${id}`,
    'Cache-Control: no-store',
    'Connection: close',
  ]
  return `${head.join('\r\n')}\r\n\r\n${body}`
}
