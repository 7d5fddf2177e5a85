import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import h5wasm from 'h5wasm'
import { afterEach, expect, test } from 'vitest'
import { guessMapping } from '../../../engine/recordings/any-table/guess-mapping.ts'
import { findSourceFiles } from '../../../engine/recordings/text/source-files.ts'
import { cleanUp, convertAndRead, readEyes, writeFiles } from './converted.ts'

afterEach(cleanUp)

/**
 * A file of PyTables in the shape of ioHub's: 360 samples of both eyes at 120 Hz, 24 of them lost, in px from the
 * middle of 1920 × 1080, and a message with the name of a picture, which was sent half a second early, before every
 * 120th. The last 120 are of another session, whose clock begins anew.
 */
const fixture = gunzipSync(readFileSync(new URL('fixtures/psychopy/iohub.hdf5.gz', import.meta.url)))
const screen = { widthPx: 1920, heightPx: 1080 }
const EYES = '/data_collection/events/eyetracker'

test("PsychoPy's HDF5 is read itself: messages name the items, and each sample is where ioHub has it", async () => {
  const { looks, conversion } = await convertAndRead([writeFiles({ 'a.hdf5': fixture })], { screen })
  expect(looks.map(({ participant, item, samples }) => [participant, item, samples.length])).toEqual([
    ['kim', 'a.png', 120],
    ['kim', 'b.png', 120],
    ['lee', 'c.png', 120],
  ])
  expect(looks.map(({ samples }) => samples.filter(([, x]) => x === null).length)).toEqual([12, 0, 12])
  const [tMs, x, y] = looks[0].samples[12]
  expect([tMs, x, y].map((value) => Number(value!.toFixed(3)))).toEqual([100, 381.595, 737.016])
  const said = conversion.assumed.join('\n')
  expect(said).toContain('positions lie around 0, as from the middle of the screen')
  expect(said).not.toMatch(/all samples are of one|the size of the screen is not/)
})

test('with the pupils of both eyes, and messages as events', async () => {
  const from = writeFiles({ 'a.hdf5': fixture })
  const { eyes, events, pupilUnit } = await readEyes(from, { screen, events: /^(image) (.+)$/ })
  expect(Object.keys(eyes)).toEqual(expect.arrayContaining(['left_pupil', 'right_pupil', 'left_gaze_x_px']))
  expect(pupilUnit).toBe('mm')
  expect(events.map((line) => line.split(',').slice(1).join())).toEqual(['image,a.png', 'image,b.png', 'image,c.png'])
})

test('a mapping that is guessed names its table', async () => {
  const [file] = await findSourceFiles([writeFiles({ 'a.hdf5': fixture })])
  expect(await guessMapping(file)).toMatchObject({
    participant: 'participant',
    itemMessage: '^image (.+)$',
    time: { column: 'time', unit: 's' },
    rows: { column: 'type', values: ['BinocularEyeSampleEvent'] },
    origin: 'center-y-up',
  })
})

test('a damaged file is refused', async () => {
  const cut = writeFiles({ 'a.hdf5': fixture.subarray(0, 60_000) })
  await expect(convertAndRead([cut], { screen })).rejects.toThrow(
    /a.hdf5 is a damaged or truncated HDF5 file: copy it again/,
  )
})

test('another HDF5 file is refused, and no link in one is followed to a file beside it', async () => {
  const { FS } = await h5wasm.ready
  const made = new h5wasm.File('/made.h5', 'w')
  for (const path of ['/data_collection', '/data_collection/events', EYES]) made.create_group(path)
  const directory = writeFiles({ 'real.h5': fixture })
  const group = made.get(EYES) as InstanceType<typeof h5wasm.Group>
  group.create_external_link(`${directory}/real.h5`, `${EYES}/BinocularEyeSampleEvent`, 'BinocularEyeSampleEvent')
  made.close()
  const other = writeFiles({ 'a.h5': Buffer.from(FS.readFile('/made.h5')) })
  await expect(convertAndRead([other], { screen })).rejects.toThrow(
    /a.h5 is an HDF5 file without eye samples of PsychoPy's ioHub/,
  )
})
