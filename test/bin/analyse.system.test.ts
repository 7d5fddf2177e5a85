import { rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openDashboardServer } from '../dashboard/dashboard-server.ts'
import { ITEM_ID, LEFT, nestedBundle, RIGHT } from '../dashboard/two-sides.ts'
import { kept } from '../engine/kept.ts'
import { gazette } from './gazette.ts'

const bundle = await nestedBundle()
const service = kept(await openDashboardServer([], {}, [bundle]))
const data = join(service.parts.config.dataDir)
expect(data.startsWith(tmpdir())).toBe(true)
await rm(bundle, { recursive: true })

const answered = async (path: string) =>
  (await service.get(`/api2/studies/${service.studyIds[0]}/analysis/${path}`)).json()

test('gazette analyse prints what the server answers', async () => {
  const own = ['--study', 'Two sides', '--item', 'item-1.png', '--data', data]
  const compared = await gazette(['analyse', 'comparisons', ...own, '--group', LEFT, '--group', RIGHT])
  expect([compared.code, compared.stderr]).toEqual([0, ''])
  const query = new URLSearchParams({ itemId: ITEM_ID, group1: LEFT, group2: RIGHT })
  expect(JSON.parse(compared.stdout)).toEqual(await answered(`comparisons?${query}`))
  const more = ['--nested', 'smallest', '--gaze-velocity-threshold', '90']
  const followed = await gazette(['analyse', 'transitions', ...own, ...more])
  expect(JSON.parse(followed.stdout)).toEqual(
    await answered(`transitions?itemId=${ITEM_ID}&nested=smallest&gazeVelocityThreshold=90`),
  )
})

test('gazette analyse describes quality, loss and participants as the server does', async () => {
  const own = ['--study', 'Two sides', '--data', data]
  for (const [what, more, query] of [
    ['quality', [], ''],
    ['participants', ['--filter', LEFT], `?${new URLSearchParams({ filter: LEFT })}`],
    ['loss', ['--item', 'item-1.png', '--bin-ms', '500'], `?itemId=${ITEM_ID}&binMs=500`],
  ] as const) {
    const printed = await gazette(['analyse', what, ...own, ...more])
    expect([what, printed.code, printed.stderr]).toEqual([what, 0, ''])
    expect(JSON.parse(printed.stdout)).toEqual(await answered(`${what}${query}`))
  }
})

test('gazette analyse says what it needs', async () => {
  const own = ['analyse', 'comparisons', '--study', 'Two sides', '--data', data]
  const one = await gazette([...own, '--item', 'item-1.png', '--group', LEFT])
  expect([one.code, one.stderr]).toEqual([2, 'gazette: comparisons needs --group two to four times, got 1\n'])
  const none = await gazette([...own, '--group', LEFT, '--group', RIGHT])
  expect([none.code, none.stderr]).toEqual([2, 'gazette: this analysis needs one item: give --item\n'])
})

test('gazette analyses stores what exports and analyses then take, as the server does', async () => {
  const own = ['--study', 'Two sides', '--data', data]
  const file = join(data, 'analysis.json')
  await writeFile(file, JSON.stringify({ title: 'Left', settings: { detector: 'dispersion' }, filter: LEFT }))
  const stored = await gazette(['analyses', 'put', 'left', file, ...own])
  const [, reference] = /^Stored (left@[0-9a-f]{12})\.\n$/.exec(stored.stderr) ?? []
  expect([stored.code, stored.stderr]).toEqual([0, `Stored ${reference}.\n`])
  const listed = await gazette(['analyses', 'list', ...own])
  expect(listed.stdout).toContain(`${reference}  stored `)
  expect(listed.stdout).toContain(`detector dispersion  filter ${LEFT}  Left`)
  const shown = await gazette(['analyses', 'show', String(reference), ...own])
  expect(JSON.parse(shown.stdout)).toMatchObject({ title: 'Left', filter: LEFT })
  const table = await gazette(['export', 'fixations', ...own, '--analysis', 'left'])
  const query = new URLSearchParams({ analysis: 'left' })
  const path = `/api2/studies/${service.studyIds[0]}/collected-data/eye-tracking/fixations?${query}`
  expect(table.stdout).toBe(await (await service.get(path)).text())
  expect(table.stdout).toContain('detector = dispersion')
  const followed = await gazette(['analyse', 'transitions', ...own, '--item', 'item-1.png', '--analysis', 'left'])
  expect(JSON.parse(followed.stdout).notes).toContain(`analysis = ${reference} (0 participants ignored)`)
  const wrong = await gazette(['export', 'fixations', ...own, '--analysis', 'right'])
  expect([wrong.code, wrong.stderr]).toEqual([2, 'gazette: --analysis must be an analysis of the study, got "right"\n'])
  expect((await gazette(['analyses', 'delete', 'left', ...own])).stderr).toBe('Deleted left.\n')
  expect((await gazette(['analyses', 'show', 'left', ...own])).code).toBe(1)
})
