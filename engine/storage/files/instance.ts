import { createHash, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { ServiceError } from '../../model/errors.ts'
import { createDurably, makeDirectory } from './durable.ts'
import { readText } from './optional-files.ts'

/**
 * Returns the id of a data directory, 16 hex digits, which is created once. It separates installations that share
 * something, such as a queue server.
 *
 * @param dataDir made if need be
 * @throws ServiceError corrupt
 */
export async function instanceId(dataDir: string): Promise<string> {
  const known = await readInstance(dataDir)
  if (known !== null) return known
  await makeDirectory(dataDir)
  // If several processes start at once, one creates the id and all read the same.
  await createDurably(join(dataDir, 'instance'), instanceText(randomBytes(8).toString('hex')))
  return (await readInstance(dataDir)) ?? instanceId(dataDir)
}

/** Reads the id of a data directory; null if it has none yet. @throws ServiceError corrupt */
export async function readInstance(dataDir: string): Promise<string | null> {
  const text = await readText(join(dataDir, 'instance'))
  const [, id] = /^([0-9a-f]{16})\b/.exec(text ?? '') ?? []
  // Earlier versions wrote no checksum.
  if (text === null || (id !== undefined && [instanceText(id), `${id}\n`].includes(text))) return id ?? null
  throw new ServiceError('corrupt', 'the file `instance` in the data directory is damaged: delete it and start again')
}

function instanceText(id: string): string {
  return `${id} ${createHash('sha256').update(`instance ${id}`).digest('hex').slice(0, 16)}\n`
}
