import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { removeFromStudy } from '../../bin/commands/remove.ts'
import { readParameters } from '../../bin/given/export-options.ts'
import { aoiOf, findStudy, itemIdOf, participantIdOf, studyIdOf } from '../../bin/given/find-study.ts'
import { readConfig } from '../../engine/model/settings.ts'
import type { Snapshot } from '../../engine/model/study.ts'
import { findSourceFiles } from '../../engine/recordings/text/source-files.ts'
import { openStudies } from '../../engine/snapshot/snapshots.ts'
import { GOLDEN_STUDY, importGolden, newDataDir, rowsOf } from '../engine/studies.ts'

let dataDir: string
let snapshot: Snapshot
beforeAll(async () => {
  dataDir = await newDataDir()
  await importGolden(dataDir)
  snapshot = await findStudy(openStudies(dataDir), GOLDEN_STUDY)
})
afterAll(async () => {
  vi.restoreAllMocks()
  await rm(dataDir, { recursive: true, force: true })
})

test('a study, an item or an AOI that is not there is answered with the one that was meant', async () => {
  const { study } = snapshot
  const meant = (name: string) => ({ message: expect.stringContaining(`; did you mean ${name}?`) })
  await expect(studyIdOf(openStudies(dataDir), study.name.slice(0, 4))).rejects.toMatchObject(meant(study.name))
  const [item, aoi] = [study.items[0], study.aois[0]]
  expect(() => itemIdOf(snapshot, `${item.filename}x`)).toThrow(expect.objectContaining(meant(item.filename)))
  expect(() => aoiOf(snapshot, `${aoi.name}_`)).toThrow(expect.objectContaining(meant(aoi.name)))
  expect(() => aoiOf(snapshot, 'quite another name')).toThrow(
    /^the study has no AOI quite another name; its AOIs are .*/,
  )
})

test('a participant is found by id, in any case, or by an external id that no other participant has', async () => {
  const { participants } = await rowsOf(snapshot)
  const { id, externalId } = participants.find((one) => one.externalId !== '')!
  expect(await participantIdOf(snapshot, id.toUpperCase())).toBe(id)
  expect(await participantIdOf(snapshot, externalId)).toBe(id)
  await expect(participantIdOf(snapshot, 'Nobody 7')).rejects.toMatchObject({
    code: 'not_found',
    message: `study ${snapshot.study.name} has no participant with the id or external id Nobody 7`,
  })
})

test('a removal by external id names the participant, and refuses a name that nobody has', async () => {
  const { participants } = await rowsOf(snapshot)
  const { id, externalId } = participants.find((one) => one.externalId !== '')!
  const said = vi.spyOn(console, 'error').mockImplementation(() => {})
  const how = { study: GOLDEN_STUDY, dryRun: true, config: readConfig({ DATA_DIR: dataDir }) }
  await removeFromStudy({ ...how, participant: externalId })
  expect(said.mock.calls[0][0]).toContain(`Would delete participant ${externalId} (${id}): `)
  await expect(removeFromStudy({ ...how, participant: 'Nobody 7' })).rejects.toMatchObject({ code: 'not_found' })
})

test('a rule about two parameters names both by their options', async () => {
  await expect(readParameters({ fromMs: '100', toMs: '50' }, snapshot)).rejects.toThrow(
    '--from-ms must be less than --to-ms, which is 50, got "100"',
  )
})

test('a folder without a file is refused by its name', async () => {
  const folder = join(dataDir, 'recordings of nobody')
  await mkdir(folder)
  await expect(findSourceFiles([folder])).rejects.toMatchObject({
    code: 'usage',
    message: 'there is no file to read in recordings of nobody',
  })
})
