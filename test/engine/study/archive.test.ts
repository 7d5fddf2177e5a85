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

test('a study goes into a project, to another and out of it, and a change of something else leaves it there', () => {
  const placed = renamed(STUDY, { project: 'Replication' })
  expect(placed).toEqual({ ...STUDY, project: 'Replication' })
  expect(renamed(placed, { project: 'Pilots' })).toEqual({ ...STUDY, project: 'Pilots' })
  expect(renamed(placed, { name: 'New', isArchived: false })).toEqual({ ...placed, name: 'New' })
  expect(renamed(placed, { project: null })).toStrictEqual(STUDY)
  expect(renamed(STUDY, { project: null })).toStrictEqual(STUDY)
})

test('lists tell its keywords and whether it is archived', () => {
  const manifest = { snapshotId: 'f', createdAt: '2026-01-01T00:00:00Z', counts: {}, files: {} } as Parameters<
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
