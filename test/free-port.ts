import { createServer } from 'node:net'

/**
 * Below those that systems give out by themselves, to servers on port 0 and to connections: nobody takes it until it is
 * used.
 */
const [LOWEST, HIGHEST] = [15_000, 32_000]

/**
 * Finds a port of this machine that nobody listens on, for a program that is told its port or is started on it again.
 */
export async function freePort(): Promise<number> {
  const port = LOWEST + Math.floor(Math.random() * (HIGHEST - LOWEST))
  return (await isFree(port)) ? port : freePort()
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
