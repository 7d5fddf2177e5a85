import { type DestinationStream, type Logger, pino, stdSerializers } from 'pino'
import { redact as redactText } from '../../engine/model/secrets.ts'

const SECRETS = ['x-auth-token', 'authorization', 'cookie', 'set-cookie']

/**
 * Creates the logger of the process: JSON lines, with secrets redacted from headers.
 *
 * @param secrets texts that no line may contain, from any source
 */
export function createLog(level: string, destination: DestinationStream, secrets: string[] = []): Logger {
  const paths = SECRETS.flatMap((name) => ['headers', 'req.headers', 'res.headers'].map((at) => `${at}["${name}"]`))
  const redact = { paths, censor: '[redacted]' }
  const lines = { write: (line: string) => destination.write(redactText(line, secrets)) }
  return pino({ level, redact, serializers: { err: withoutCommand } }, secrets.length === 0 ? destination : lines)
}

/**
 * Returns an error without the command that ioredis attaches to it: after a failed sign-in, it contains the password.
 */
function withoutCommand(error: Error): object {
  const { command: _, ...rest } = stdSerializers.err(error)
  return rest
}
