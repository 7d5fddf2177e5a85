import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { writeDemoBundle } from '../../demo/write-demo.ts'
import { importBundle } from '../../engine/import/import-bundle.ts'
import { changeStudy } from '../../engine/study/change-study.ts'
import { removal, removeStudy } from '../../engine/study/changes/removal.ts'
import { kept } from '../engine/kept.ts'
import { OTHER_STUDY, openTestServer } from './test-server.ts'

const service = kept(await openTestServer())

const pathOf = (study: string) => `/api2/studies/${study}/collected-data/eye-tracking/fixations`
const withoutId = async (response: Response) => ({ ...((await response.json()) as object), instance: '' })

test('an answer that is kept is only for tokens that may read the study', async () => {
  const first = await service.get(pathOf(OTHER_STUDY))
  const again = await service.get(pathOf(OTHER_STUDY))
  expect([first.status, again.status]).toEqual([200, 200])
  expect(await again.text()).toBe(await first.text())
  expect(again.headers.get('repr-digest')).toBe(first.headers.get('repr-digest'))
  const narrow = await service.get(pathOf(OTHER_STUDY), { 'x-auth-token': service.narrow })
  const unknown = await service.get(pathOf('0c000000-0000-4000-8000-000000000003'), { 'x-auth-token': service.narrow })
  expect([narrow.status, unknown.status]).toEqual([404, 404])
  expect(await withoutId(narrow)).toEqual(await withoutId(unknown))
})

test('a participant or a study that is removed is in no answer any more, though asked for before', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'gazette-kept-'))
  const limits = { dataDir: service.dataDir, now: new Date(), threads: 1, memoryMib: 128 }
  await writeDemoBundle({ directory, participants: 3, items: 1, seconds: 2, hz: 60, seed: 1, memoryMib: 128 })
  const { studyId } = await importBundle({ ...limits, directory, append: false, dryRun: false })
  await rm(directory, { recursive: true })
  const participants = async () => {
    const rows = (await (await service.get(pathOf(studyId))).text()).split('\n')
    const at = rows[0].split(',').indexOf('participant_id')
    return [...new Set(rows.slice(1, -1).map((row) => row.split(',')[at]))]
  }
  const [gone, ...rest] = await participants()
  expect(rest).not.toEqual([])
  expect(await participants()).toEqual([gone, ...rest])
  await changeStudy({ ...limits, studyId }, null, removal(gone))
  expect(await participants()).toEqual(rest)
  await removeStudy({ ...limits, studyId })
  expect((await service.get(pathOf(studyId))).status).toBe(404)
})
