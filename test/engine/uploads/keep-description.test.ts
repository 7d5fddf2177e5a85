import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Snapshot } from '../../../engine/model/study.ts'
import { keepDescription } from '../../../engine/uploads/keep-description.ts'

test('a bundle that replaces a study keeps the order of its items, and new ones come last, as they come', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'gz-bundle-'))
  const item = (id: string) => ({ id, filename: `${id}.png`, widthPx: 100, heightPx: 50 })
  const study = (ids: string[]) => ({ id: 'study', name: 'Study', items: ids.map(item), aois: [] })
  try {
    await writeFile(join(directory, 'study.json'), JSON.stringify(study(['e', 'c', 'd', 'a', 'b'])))
    const present = { directory, study: study(['a', 'b', 'c']), manifest: { files: {} } } as unknown as Snapshot
    await keepDescription(directory, present, false)
    const { items } = JSON.parse(await readFile(join(directory, 'study.json'), 'utf8'))
    expect(items.map(({ id }: { id: string }) => id)).toEqual(['a', 'b', 'c', 'e', 'd'])
  } finally {
    await rm(directory, { recursive: true })
  }
})

test.each([true, undefined])('a study whose recordings are replaced stays archived, or not: %s', async (isArchived) => {
  const directory = await mkdtemp(join(tmpdir(), 'gz-bundle-'))
  const study = { id: 'study', name: 'Study', items: [], aois: [] }
  try {
    await writeFile(join(directory, 'study.json'), JSON.stringify(study))
    const present = { directory, study: { ...study, isArchived }, manifest: { files: {} } } as unknown as Snapshot
    await keepDescription(directory, present, false)
    expect(JSON.parse(await readFile(join(directory, 'study.json'), 'utf8')).isArchived).toBe(isArchived)
  } finally {
    await rm(directory, { recursive: true })
  }
})
