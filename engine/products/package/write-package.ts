import { dirname, join } from 'node:path'
import type { RunProgress } from '../../run/run-export.ts'
import { createBlockFile } from '../../storage/files/block-file.ts'
import { makeDirectory } from '../../storage/files/durable.ts'
import { type PackageOptions, takeMembers } from './package-members.ts'

/**
 * Computes a package and writes its files into a folder.
 *
 * @param directory existing and empty; complete only when this returns
 * @throws as `runExport`; a system's error if writing fails
 */
export function writePackage(directory: string, options: PackageOptions): Promise<RunProgress> {
  return takeMembers(options, async ({ path: name, bytes }) => {
    const path = join(directory, name)
    await makeDirectory(dirname(path))
    const file = await createBlockFile(path, 'wx')
    try {
      for await (const piece of bytes) await file.write(piece)
      await file.finish()
    } finally {
      await file.abandon()
    }
  })
}
