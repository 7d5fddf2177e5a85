import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'

/** A message as it came, once the reference library had found its signature good. */
export type Received = {
  id: string
  body: { type: string; timestamp: string; data: Record<string, unknown> }
  status: number
  headers: IncomingMessage['headers']
}

export type Receiving = {
  url: string
  /** All that came, what was refused too, in order. */
  came: Received[]
  /** Messages that were answered with a success, in order. */
  taken: () => Received[]
  /** By which messages are verified; what is signed otherwise is answered with 401. */
  secret: { value: string }
  close: () => Promise<void>
}

type Answer = number | { status: number; headers: Record<string, string> }

/** Receives webhooks on a free port of this machine. @param answer how the nth message, from 0, is answered */
export async function receive(answer: (n: number, message: Received) => Answer): Promise<Receiving> {
  const came: Received[] = []
  const secret = { value: '' }
  const server = createServer(async (req, res) => {
    const text = Buffer.concat(await req.toArray()).toString()
    try {
      const body = new Webhook(secret.value).verify(text, req.headers as Record<string, string>) as Received['body']
      const message: Received = { id: String(req.headers['webhook-id']), body, status: 0, headers: req.headers }
      const given = answer(came.length, message)
      const { status, headers } = typeof given === 'number' ? { status: given, headers: {} } : given
      message.status = status
      came.push(message)
      res.writeHead(status, headers).end()
    } catch (error) {
      res.writeHead(401).end(String(error))
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    came,
    taken: () => came.filter(({ status }) => status < 300),
    secret,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}
