import { type DestinationStream, type Logger, pino, stdSerializers } from 'pino'

const SECRETS = ['x-auth-token', 'authorization', 'cookie', 'set-cookie']

/**
 * Creates the log of the process: JSON lines, without secrets wherever headers are logged.
 *
 * @param destination standard output if none
 */
export function createLog(level: string, destination?: DestinationStream): Logger {
  const paths = SECRETS.flatMap((name) => ['headers', 'req.headers', 'res.headers'].map((at) => `${at}["${name}"]`))
  const redact = { paths, censor: '[redacted]' }
  return pino({ level, redact, serializers: { err: withoutCommand } }, destination)
}

/**
 * Returns an error without the command that ioredis attaches to it; of a failed sign-in, that contains the password.
 */
function withoutCommand(error: Error): object {
  const { command: _, ...rest } = stdSerializers.err(error)
  return rest
}
