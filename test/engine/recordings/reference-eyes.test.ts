import { afterEach, describe, expect, test } from 'vitest'
import { cleanUp, readEyes, writeFiles } from './converted.ts'

afterEach(cleanUp)

const id = (n: number) => `00000000-0000-4000-8000-00000000000${n}`
const window = { test_browser_width_px: 800, test_browser_height_px: 600 }
const raw = [1, 2].map((n) => ({
  ...{ participant_id: id(8), item_id: id(n), test_id: id(n + 4), item_filename: `${n}.png`, ...window },
  test_item_display_order: 3 - n,
  test_raw_data: `"[[${n}5,20,0,0,null,null],[null,null,10,0,null,null]]"`,
}))
const table = (rows: object[]) => [Object.keys(rows[0]), ...rows.map(Object.values)].map((row) => row.join()).join('\n')
const HEADER =
  'test_id,t_ms,gaze_x_px,gaze_y_px,scroll_y_px,mouse_x_px,mouse_y_px,is_click,left_gaze_x_px,left_gaze_y_px,right_gaze_x_px,right_gaze_y_px,left_pupil,right_pupil'
const samples = [2, 1].flatMap((n) => [
  `${id(n + 4)},0,${n}5,20,0,,,false,${n}4,20,${n}6,20,3.${n},3.5`,
  `${id(n + 4)},10,,,0,,,false,,,,,,`,
])
const files = { 'gazes-raw.csv': `${table(raw)}\n`, 'samples.csv': `${[HEADER, ...samples].join('\n')}\n` }

describe('a package of our own', () => {
  test('gives back both eyes and pupils of each test', async () => {
    const { gaze, eyes, pupilUnit, said } = await readEyes(writeFiles(files))
    expect(gaze).toEqual([
      [25, 20],
      [null, null],
      [15, 20],
      [null, null],
    ])
    expect(eyes.left_pupil).toEqual([3.2, null, 3.1, null])
    expect(eyes.right_gaze_x_px).toEqual([26, null, 16, null])
    expect(pupilUnit).toBe('mm')
    expect(said).toContain('pupil sizes between 1 and 9.5 are in mm')
  })

  test('whose samples are others keeps the raw gazes, which is said', async () => {
    const cut = { ...files, 'samples.csv': `${[HEADER, ...samples.slice(1)].join('\n')}\n` }
    const { gaze, said } = await readEyes(writeFiles(cut))
    expect(gaze.filter(([x]) => x !== null)).toEqual([
      [25, 20],
      [15, 20],
    ])
    expect(said).toContain('tests whose eyes are not read')
  })

  test('without the table of samples says that eyes are left out', async () => {
    const { said } = await readEyes(
      writeFiles({ 'gazes-raw.csv': files['gazes-raw.csv'], 'pupils.csv': 'test_id,item_id,left_pupil\n' }),
    )
    expect(said).toMatch(/in \S+pupils.csv are not read, only the recorded gaze: samples.csv of the package/)
  })
})
