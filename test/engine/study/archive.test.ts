import { expect, test } from 'vitest'
import type { Study } from '../../../engine/model/study.ts'
import { listedStudyOf } from '../../../engine/snapshot/catalog.ts'
import { renamed } from '../../../engine/study/changes/items.ts'
import { smallBundle } from '../import/bundles.ts'

const STUDY = smallBundle().study as unknown as Study

test('a study goes into the archive and out of it, and back to what it was', () => {
  const archived = renamed(STUDY, { isArchived: true })
  expect(archived).toEqual({ ...STUDY, isArchived: true })
  expect(renamed(archived, { isArchived: false })).toStrictEqual(STUDY)
  expect(renamed(STUDY, { isArchived: false })).toStrictEqual(STUDY)
})

test('another change leaves it where it is', () => {
  const archived = { ...STUDY, isArchived: true as const }
  expect(renamed(archived, { name: 'New' })).toEqual({ ...archived, name: 'New' })
  expect(renamed(archived, { items: STUDY.items.map(({ id }) => ({ id })) })).toEqual(archived)
  expect(renamed(STUDY, { name: 'New' })).not.toHaveProperty('isArchived')
})

test('lists tell its keywords and whether it is archived', () => {
  const manifest = { snapshotId: 'f', createdAt: '2026-01-01T00:00:00Z', counts: {} } as Parameters<
    typeof listedStudyOf
  >[0]
  expect(listedStudyOf(manifest, STUDY)).toMatchObject({
    createdAt: manifest.createdAt,
    keywords: [],
    isArchived: false,
  })
  const about = { keywords: ['a'] }
  expect(listedStudyOf(manifest, { ...STUDY, about, isArchived: true })).toMatchObject({ ...about, isArchived: true })
})
