import { copyFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Item, Snapshot, Study } from '../model/study.ts'
import { makeDirectory } from '../storage/files/durable.ts'
import { namesIn } from '../storage/files/optional-files.ts'

/**
 * Copies what people have changed in a study since its import into a bundle that will replace it: name, authors,
 * whether it is archived and, for each item that stays, its place in the order, name, picture, size and AOIs, unless
 * the bundle has its own.
 *
 * @param directory of the bundle, whose recordings were converted for the study
 * @param isNamed whether the user gave the bundle a name
 */
export async function keepDescription(directory: string, present: Snapshot, isNamed: boolean): Promise<void> {
  const path = join(directory, 'study.json')
  const made = JSON.parse(await readFile(path, 'utf8')) as Study
  const images = join(directory, 'images')
  const brought = new Set(await namesIn(images))
  const { study, manifest } = present
  const before = new Map(study.items.map((item) => [item.id, item]))
  const items: Item[] = []
  for (const item of made.items) {
    const known = before.get(item.id)
    if (known === undefined || brought.has(item.filename)) items.push(item)
    else {
      const { filename, widthPx, heightPx } = known
      const size = item.widthPx === null ? { widthPx, heightPx } : {}
      items.push({ ...item, filename, ...size })
      if (manifest.files[`images/${filename}`] === undefined || brought.has(filename)) continue
      await makeDirectory(images)
      await copyFile(join(present.directory, 'images', filename), join(images, filename))
    }
  }
  const order = [...before.keys()]
  const placeOf = ({ id }: Item) => (before.has(id) ? order.indexOf(id) : order.length)
  const kept = study.aois.filter(({ itemId }) => items.some(({ id }) => id === itemId))
  const drawn = new Set(kept.map(({ itemId }) => itemId))
  const next: Study = {
    ...made,
    name: isNamed ? made.name : study.name,
    items: items.toSorted((a, b) => placeOf(a) - placeOf(b)),
    aois: [...kept, ...made.aois.filter(({ itemId }) => !drawn.has(itemId))],
    ...(study.about ? { about: study.about } : {}),
    ...(study.isArchived ? { isArchived: true } : {}),
  }
  await writeFile(path, `${JSON.stringify(next, null, 2)}\n`)
}
