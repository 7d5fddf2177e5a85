import { afterEach, expect, test } from 'vitest'
import { cleanUp, convertAndRead, writeFiles } from './converted.ts'

afterEach(cleanUp)

const HEADER =
  'filename,participant_id,spreadsheet_row,time_stamp,time_elapsed,type,screen_index,x_pred,y_pred,x_pred_normalised,y_pred_normalised,convergence,face_conf,zone_name,zone_x,zone_y,zone_width,zone_height'
const zone = (who: string, name: string, box: [x: number, y: number, width: number, height: number], row = 4) =>
  `e.csv,${who},${row},1600000000000,0,zone,2,,,,,,,${name},${box.join(',')}`
const prediction = (who: string, row = 4) =>
  `e.csv,${who},${row},1600000000040,40,prediction,2,640,700,0.5,0.9,0.1,0.9,,,,,`
/** A window of 1280 × 720 px with a frame of 960 × 720 px in its middle, a picture in its upper left quarter. */
const person = (who: string, shift = 0) => [
  zone(who, 'screen', [0, 0, 1280, 720]),
  zone(who, 'gorilla', [160, 0, 960, 720]),
  zone(who, 'Zone2', [160 + shift, 360, 480, 360]),
  prediction(who),
]
const file = (rows: string[]) => writeFiles({ 'eye.csv': `${[HEADER, ...rows].join('\n')}\n` })

test("Gorilla's frame is where an item was displayed, and stays on the participant's next screens", async () => {
  const rows = [...person('77'), prediction('77', 5), zone('88', 'screen', [0, 0, 1000, 500]), prediction('88')]
  const { tests, conversion } = await convertAndRead([file(rows)])
  const places = tests.map((row) => ['left', 'top', 'width', 'height'].map((one) => row[`item_display_${one}_px`]))
  expect(places).toEqual([
    ['160', '0', '960', '720'],
    ['160', '0', '960', '720'],
    ['', '', '', ''],
  ])
  expect(conversion.left.join()).toMatch(/1 zone, which --aois makes AOIs/)
})

test('zones become AOIs of the frame, if that is asked for', async () => {
  const { study, conversion } = await convertAndRead([file(person('77'))], { hasAois: true })
  const corners = [
    { x: 0, y: 0 },
    { x: 0.5, y: 0 },
    { x: 0.5, y: 0.5 },
    { x: 0, y: 0.5 },
  ]
  expect(study.aois).toMatchObject([{ name: 'Zone2', parts: [{ areaPoints: { points: corners } }] }])
  expect(conversion.doubts).toEqual([])
})

test('zones that lie elsewhere for others are to be checked, and those outside of the frame left', async () => {
  const rows = [...person('77'), ...person('88', 100), zone('99', 'screen', [0, 0, 1280, 720], 5)]
  rows.push(
    zone('99', 'gorilla', [160, 0, 960, 720], 5),
    zone('99', 'Margin', [0, 0, 100, 720], 5),
    prediction('99', 5),
  )
  const { study, conversion } = await convertAndRead([file(rows)], { hasAois: true })
  expect(study.aois.map(({ name }) => name)).toEqual(['Zone2'])
  expect(conversion.doubts.join()).toMatch(/zones of some items lie elsewhere for some participants/)
  expect(conversion.left.join()).toMatch(/zone Margin of row 5, screen 2, which has no area within the frame/)
})

test('--aois is refused for other formats', async () => {
  const directory = writeFiles({ 'a.json': '[{"webgazer_data":[{"x":1,"y":2,"t":3}]}]' })
  await expect(convertAndRead([directory], { hasAois: true })).rejects.toThrow('--aois is for the zones of Gorilla')
})
