import { type DestinationStream, type Logger, pino } from 'pino'

const SECRETS = ['x-auth-token', 'authorization', 'cookie', 'set-cookie']

/** The process's log: JSON lines, without secrets wherever headers are logged. @param destination standard output if none */
export function createLog(level: string, destination?: DestinationStream): Logger {
  const paths = SECRETS.flatMap((name) => ['headers', 'req.headers', 'res.headers'].map((at) => `${at}["${name}"]`))
  return pino({ level, redact: { paths, censor: '[redacted]' } }, destination)
}
