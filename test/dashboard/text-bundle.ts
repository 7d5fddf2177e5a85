import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { textBundle } from '../engine/analysis/charts/text-bundle.ts'
import { uuid, writeBundle } from '../engine/import/bundles.ts'

/** An item with words, and one without. */
export const [TEXT_ITEM, WORDLESS_ITEM] = [uuid('1', 1), uuid('1', 2)]

/** Writes the text of two lines with its three readers. @returns directory of the bundle */
export async function writtenText(): Promise<string> {
  const bundle = textBundle()
  const directory = join(await mkdtemp(join(tmpdir(), 'gazette-text-')), 'bundle')
  return writeBundle(directory, { ...bundle, study: { ...bundle.study, id: uuid('e', 3) } })
}
