import { readdir, readFile, rm } from 'node:fs/promises'
import { join, relative } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { cleanUp, shapeFiles, writeFiles } from '../engine/recordings/converted.ts'
import { SHAPES } from '../engine/recordings/shapes.ts'
import { tableWorkbook, zipOf } from '../engine/recordings/workbooks.ts'
import { tarGzOf } from '../engine/uploads/archives.ts'
import { axeFindings, dropFiles, hasChromium, keepScreenshot, openWalk, signIn, signOut, type Walk } from './browser.ts'
import { type DashboardServer, openDashboardServer } from './dashboard-server.ts'
import { recordClip } from './record-clip.ts'
import { strangeBundle } from './strange-bundles.ts'

/**
 * Files are dropped, checked, mapped and brought in, in a real browser; each mistake of real folders ends in a
 * sentence.
 */
let service: DashboardServer
let walk: Walk
let page: Page

const TABLE = [
  'kid,pic,t_ms,x,y',
  'Ada,a.png,0,0.5,0.25',
  'Ada,a.png,20,abc,0.25',
  'Bo,a.png,0,0.1,0.9',
  'Bo,a.png,20,0.2,0.9',
]
/** Enough for a second chunk. */
const LONG = `${TABLE[0]}\n${Array.from({ length: 20_000 }, (_, i) => `Ada,a.png,${i},0.5,0.2525`).join('\n')}\n`

beforeAll(async () => {
  if (!hasChromium) return
  service = await openDashboardServer([{ participants: 1, items: 1, seconds: 2, hz: 30, seed: 3 }], {
    UPLOADS_PER_TOKEN: '2',
    UPLOADS_MAX_GIB: '1',
  })
  await service.startWorker()
  walk = await openWalk(service.url)
  page = walk.page
}, 120_000)
afterAll(async () => {
  await walk?.browser.close()
  await service?.close()
  cleanUp()
})

const enter = (token: string) => signIn(page, service.url, token)
const button = (name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' })
const says = (words: string | RegExp) => page.getByText(words).first().waitFor()
const drop = (...files: string[]) => dropFiles(walk, ...files)
/**
 * Opens the page with nothing chosen. What it was at is cleared from another page, since it keeps that itself whenever
 * it has changed.
 */
const open = async () => {
  await page.goto(service.url)
  await page.evaluate(() => sessionStorage.clear())
  await page.goto(`${service.url}/bring-in`)
  await says('Drop files or a folder here')
}
const begin = async (...files: string[]) => {
  await open()
  await drop(...files)
}
const fileOf = (name: string, content: string | Buffer) => join(writeFiles({ [name]: content }), name)
const folderOf = (shape: string) => writeFiles(shapeFiles(SHAPES[shape]))
const facts = async () => page.locator('.facts dd').allTextContents()
/** Deletes all uploads of the tokens, which each test begins without. */
const deleteUploads = async (token = service.write) => {
  const headers = { 'x-auth-token': token, 'tus-resumable': '1.0.0' }
  const { uploads } = (await (await service.get('/api2/uploads', headers)).json()) as { uploads: { href: string }[] }
  for (const { href } of uploads) await fetch(service.url + href, { method: 'DELETE', headers })
}
const beginUpload = (name: string) =>
  fetch(`${service.url}/api2/uploads`, {
    method: 'POST',
    headers: {
      'x-auth-token': service.write,
      'tus-resumable': '1.0.0',
      'upload-length': '10',
      'upload-metadata': `filename ${btoa(name)}`,
    },
  })
const bringIn = async () => {
  await button('Import').click()
  await page.getByRole('link', { name: 'Open the study' }).waitFor()
}
const studyId = async () =>
  (await page.getByRole('link', { name: 'Open the study' }).getAttribute('href'))!.split('/')[2]
const saved = async (name: string): Promise<string> => {
  const [download] = await Promise.all([page.waitForEvent('download'), button(name).click()])
  return readFile(await download.path(), 'utf8')
}

describe.skipIf(!hasChromium)('bringing data in, in Chromium', () => {
  test('is not offered to a token that only reads, whose address says why', async () => {
    await enter(service.read)
    expect(await page.getByRole('link', { name: 'Import data' }).count()).toBe(0)
    await page.goto(`${service.url}/bring-in`)
    await says('This token can view studies, but not import data')
    await signOut(page)
    await page.getByLabel('Access token').waitFor()
    await page.getByLabel('Access token').waitFor()
  })

  test('makes a study of files dropped on the page of studies, after a check that names whom and what it found', async () => {
    await enter(service.write)
    await page.getByRole('link', { name: 'Import data' }).waitFor()
    await drop(join(folderOf('Tobii Pro Lab'), 'export.tsv'))
    await says('Ready to import.')
    expect(await facts()).toEqual(['2', '2', '4', '160'])
    await says('recognised by the content of 1 file. No other format fits.')
    expect(await page.locator('.names bdi').allTextContents()).toEqual(['Ada', 'Bo', 'cat.png', 'dog.png'])
    await says('4 samples outside of any stimulus')
    expect(await axeFindings(page)).toEqual([])
    await keepScreenshot(page, 'bring-in-found', { fullPage: true })
    await page.getByLabel('Name of the study').fill('Cats')
    await expect.poll(() => button('Import').isDisabled()).toBe(true)
    await bringIn()
    await page.getByRole('heading', { name: 'Imported: Cats' }).waitFor()
    expect(await axeFindings(page)).toEqual([])
    await keepScreenshot(page, 'bring-in-report', { fullPage: true })
    const markdown = await saved('Save as Markdown')
    expect(markdown).toContain('# Imported: Cats\n')
    expect(markdown).toContain('- The study now has: 2 participants, 2 items, 4 tests, 160 samples\n')
    expect(markdown).toContain('| Ada | export.tsv |\n')
    const told = JSON.parse(await saved('Save as JSON'))
    expect([told.asked, told.import.report.conversion.items]).toEqual([{ name: 'Cats' }, ['cat.png', 'dog.png']])
    // A report stays over a reload.
    await page.reload()
    await page.getByRole('link', { name: 'Open the study' }).click()
    await page.getByRole('heading', { level: 1, name: 'Cats' }).waitFor()
  })

  test('takes a folder as it is, with what lies beside the recordings, and leaves videos and hidden files where they are', async () => {
    const files = shapeFiles(SHAPES['Pupil Cloud'])
    await begin(
      writeFiles({ ...files, 'Ada/world.mp4': 'film', 'Bo/.DS_Store': 'x', [`Bo/${'é'.repeat(70)}.txt`]: 'x' }),
    )
    await says('Ready to import.')
    expect(await page.locator('.names bdi').allTextContents()).toEqual(['Ada', 'Bo', 'cat.png', 'dog.png'])
    await says(/Not sent, since they hold no gaze: 1 video or sound \(4 B\): .*Ada\/world\.mp4\./)
    await says(/Not sent, since they are hidden: .*Bo\/\.DS_Store\./)
    await says(new RegExp(`1 files? without recordings: .*${'é'.repeat(70)}\\.txt`))
    await deleteUploads()
  })

  test('maps a table of no known format, over its first rows and a drawing of the screen', async () => {
    await begin(fileOf('gaze.csv', `${TABLE.join('\n')}\n`))
    await says('The format is unknown.')
    const column = (name: string) => page.getByLabel(`${name} is`, { exact: true })
    const proposed = await Promise.all(['kid', 'pic', 't_ms', 'x', 'y'].map((name) => column(name).inputValue()))
    expect(proposed).toEqual(['', 'item', 'time', 'x', 'y'])
    await column('kid').selectOption('participant')
    await says('1 cell of the first 4 rows is not a number, such as “abc” in row 2. It counts as lost.')
    await says('Enter the size of the screen in px: the table lacks it.')
    expect(await button('Import').isDisabled()).toBe(true)
    // Nobody has done anything wrong yet.
    expect(await page.locator('.refused').count()).toBe(0)
    await page.getByLabel('Gaze is in').selectOption('px')
    await page.getByLabel('Width of the screen, px').fill('1000')
    await page.getByLabel('Height, px').fill('500')
    await says('Of the first 4 rows, 3 have gaze, 3 of it on the screen (100 %).')
    await page.getByLabel('x and y are 0').selectOption('center-y-up')
    await expect
      .poll(() => page.locator('.corners text').allTextContents())
      .toEqual(['-500, 250 px', '500, 250 px', '-500, -250 px', '500, -250 px'])
    await page.getByLabel('Gaze is in').selectOption('fraction')
    await page.getByLabel('x and y are 0').selectOption('bottom-left')
    const circles = page.locator('.sample-points circle')
    expect(
      await circles.evaluateAll((all) => all.map((one) => [one.getAttribute('cx'), one.getAttribute('cy')])),
    ).toEqual([
      ['500', '375'],
      ['100', '50'],
      ['200', '50'],
    ])
    expect(await axeFindings(page)).toEqual([])
    await page.evaluate(() => window.scrollTo(0, 0))
    await keepScreenshot(page, 'bring-in-mapping', { fullPage: true })
    await column('pic').selectOption('tag')
    await column('pic').selectOption('item')
    await says('Ready to import.')
    await says(/1 cells? that (are|is) no numbers?|cells that are not numbers and so count as lost/)
    // All of it is still there after a reload.
    await page.reload()
    await says('Ready to import.')
    await bringIn()
    const rows = (
      await (await service.get(`/api2/studies/${await studyId()}/collected-data/eye-tracking/gazes/raw`)).text()
    ).trim()
    // 0.5 and 0.25 from the lower left of 1000 × 500 px.
    expect(rows).toContain('[500,375,0,0')
    expect(rows.split('\n')).toHaveLength(3)
  })

  test('proposes conditions as external data, and a threshold of confidence with the share that it loses', async () => {
    const rows = Array.from({ length: 40 }, (_, i) => `p${i % 4},a.png,${i * 10},0.5,0.5,${(i % 10) / 10},${i % 2}`)
    await begin(fileOf('sure.csv', `person,pic,t_ms,x,y,confidence,variant\n${rows.join('\n')}\n`))
    await says('These columns have one value per participant.')
    expect(await page.getByLabel('variant is', { exact: true }).inputValue()).toBe('external')
    await page.getByLabel('confidence is', { exact: true }).selectOption('valid')
    await page.getByLabel('Gaze is valid where confidence is').selectOption('least')
    await page.getByLabel('Least confidence that is valid').fill('15')
    await says('30 % of the rows with gaze lie below 0.3, and count as lost.')
    expect(await page.getByLabel('Texts or least number of confidence').inputValue()).toBe('0.3')
    await page.getByLabel('Gaze is in').selectOption('fraction')
    await page.getByLabel('Width of the screen, px').fill('1000')
    await says('Enter the height of the screen, too.')
    expect(await page.locator('.refused').count()).toBe(0)
    await page.getByLabel('Height, px').fill('500')
    await bringIn()
    const { participants } = (await (await service.get(`/api2/studies/${await studyId()}/participants`)).json()) as {
      participants: { externalData: Record<string, string> }[]
    }
    expect(participants.map(({ externalData }) => externalData.variant).sort()).toEqual(['0', '0', '1', '1'])
  })

  test('a wrong choice is corrected from the report, which shows what changes before it does', async () => {
    await begin(fileOf('wrong.csv', `${TABLE.join('\n').replaceAll('a.png', 'b.png')}\n`))
    await page.getByLabel('kid is', { exact: true }).selectOption('participant')
    await page.getByLabel('Gaze is in').selectOption('fraction')
    await page.getByLabel('Width of the screen, px').fill('1000')
    await page.getByLabel('Height, px').fill('500')
    await page.getByLabel('Name of the study').fill('Wrong screen')
    await bringIn()
    const wrong = await studyId()
    await button('Import again with other choices').click()
    await says('Ready to replace the data of the study.')
    await page.getByLabel('kid is', { exact: true }).selectOption('tag')
    await page.getByRole('row', { name: 'Participants 2 1' }).waitFor()
    await page.getByRole('row', { name: /^Fixations with default settings/ }).waitFor()
    expect(await axeFindings(page)).toEqual([])
    await keepScreenshot(page, 'bring-in-again', { fullPage: true })
    await button('Replace the data').click()
    await page.getByRole('heading', { name: 'Imported: Wrong screen' }).waitFor()
    expect(await studyId()).toBe(wrong)
    await page.getByRole('link', { name: 'Open the study' }).click()
    await page.getByRole('radio', { name: 'Corrections' }).check()
    await button('Undo the last change').click()
    await expect
      .poll(
        async () =>
          ((await (await service.get(`/api2/studies/${wrong}`)).json()) as { participantCount: number })
            .participantCount,
      )
      .toBe(2)
    await deleteUploads()
  })

  test('pictures among recordings are shown with their items, and corrected by hand', async () => {
    const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="16" height="12"/>'
    const tobii = String(shapeFiles(SHAPES['Tobii Pro Lab'])['export.tsv']).replaceAll('100.5', '103.5')
    await begin(writeFiles({ 'export.tsv': tobii, 'cat.svg': svg, 'other.svg': svg }))
    await says('Ready to import.')
    expect(await page.getByLabel(/^Item of .*cat\.svg$/).inputValue()).toBe('cat.png')
    expect(await page.getByLabel(/^Item of .*other\.svg$/).inputValue()).toBe('')
    await page.getByLabel(/^Item of .*other\.svg$/).selectOption('dog.png')
    await says(/other\.svg/)
    await bringIn()
    const { items } = (await (await service.get(`/api2/studies/${await studyId()}`)).json()) as {
      items: { filename: string }[]
    }
    expect(items.map(({ filename }) => filename).sort()).toEqual(['cat.svg', 'dog.svg'])
  })

  test('a video that a table names comes along, and others do not', async () => {
    const clip = await recordClip(page, 'video/webm;codecs=vp8', { widthPx: 64, heightPx: 48, halfMs: 300 })
    const tobii = String(shapeFiles(SHAPES['Tobii Pro Lab'])['export.tsv']).replaceAll('dog.png', 'dog.webm')
    await begin(writeFiles({ 'export.tsv': tobii, 'dog.webm': clip, 'room.webm': clip }))
    await says('Ready to import.')
    await says(/Not sent, since they hold no gaze: 1 video or sound .*room\.webm\./)
    expect(await page.getByLabel(/^Item of .*dog\.webm$/).inputValue()).toBe('dog.webm')
    await bringIn()
    const id = await studyId()
    const { items } = (await (await service.get(`/api2/studies/${id}`)).json()) as {
      items: { id: string; filename: string }[]
    }
    const dog = items.find(({ filename }) => filename === 'dog.webm')!
    const shown = (await (await service.get(`/api2/studies/${id}/items/${dog.id}/shown`)).json()) as { video: unknown }
    expect(shown.video).not.toBeNull()
    await deleteUploads()
  })

  test('many items do not widen the page', async () => {
    const rows = Array.from({ length: 400 }, (_, i) => `Ada,a-rather-long-name-of-an-item-${i}.png,${i},0.5,0.5`)
    await begin(fileOf('many.csv', `kid,pic,t_ms,x,y\n${rows.join('\n')}\n`))
    await page.getByLabel('kid is', { exact: true }).selectOption('participant')
    await page.getByLabel('Width of the screen, px').fill('1000')
    await page.getByLabel('Height, px').fill('500')
    await says('Ready to import.')
    const widerBy = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
    expect(await widerBy()).toBeLessThanOrEqual(0)
    await button('Show all 400 items').click()
    expect(await widerBy()).toBeLessThanOrEqual(0)
    await deleteUploads()
  })

  test('takes a workbook (XLSX), and a study bundle as a folder and once more as a zip and as a tar.gz', async () => {
    await begin(fileOf('gaze.xlsx', tableWorkbook(TABLE.map((line) => line.split(',')))))
    await says('The format is unknown.')
    await page.getByLabel('kid is', { exact: true }).selectOption('participant')
    await page.getByLabel('Width of the screen, px').fill('1000')
    await page.getByLabel('Height, px').fill('500')
    await says('Ready to import.')
    expect((await facts()).slice(0, 3)).toEqual(['2', '1', '2'])
    await bringIn()
    const bundle = await strangeBundle()
    try {
      await begin(bundle)
      await says('This is a study bundle, so it needs no choices.')
      await says('Ready to import.')
      expect((await facts()).slice(0, 3)).toEqual(['3', '3', '9'])
      await bringIn()
      // The same once more, packed by another program.
      const names = (await readdir(bundle, { recursive: true, withFileTypes: true })).filter((each) => each.isFile())
      const paths = names.map(({ parentPath, name }) => join(parentPath, name))
      const parts = await Promise.all(
        paths.map(async (path) => [relative(bundle, path), await readFile(path)] as const),
      )
      const packed = {
        'study.zip': zipOf(Object.fromEntries(parts)),
        'study.tar.gz': tarGzOf(parts.map(([path, bytes]) => ({ name: path, bytes }))),
      }
      for (const [name, content] of Object.entries(packed)) {
        await begin(fileOf(name, content))
        await says('This is a study bundle, so it needs no choices.')
        await says('Ready to import.')
        await bringIn()
        await says('The study already had the same data: nothing was changed.')
      }
    } finally {
      await rm(bundle, { recursive: true })
    }
  })

  test.each([
    ['an empty file', () => fileOf('kim.csv', ''), 'kim.csv is empty (0 bytes).'],
    ['a PDF', () => fileOf('paper.pdf', '%PDF'), 'paper.pdf is a PDF, not a recording of gaze.'],
    ['a folder without files', () => writeFiles({}), 'The folder has no files.'],
    ['a text', () => fileOf('notes.txt', 'hello'), 'notes.txt is of no known format'],
    [
      'a list of fixations',
      () => fileOf('f.csv', 'CURRENT_FIX_X,CURRENT_FIX_Y\n1,2\n3,4\n'),
      'f.csv is one of the lists of fixations',
    ],
    ['a zip that is cut short', () => fileOf('a.zip', 'PK\u0003\u0004'), 'a.zip is a damaged or truncated archive'],
  ])('tells of %s in a sentence', async (_what, make, sentence) => {
    await begin(make())
    await says(sentence)
    await deleteUploads()
  })

  test('asks which of several formats is meant, for the size of a screen, and tells who is in two files', async () => {
    const tobii = shapeFiles(SHAPES['Tobii Pro Lab'])['export.tsv']
    // Of the same people, who look elsewhere: the same gaze would be the same recording.
    let row = 0
    const elsewhere = (px: string) => (Number(px) + ((row++ * 37) % 61)).toFixed(1)
    const other = Buffer.from(tobii.toString().replace(/\d+\.\d(?=\t)/g, elsewhere))
    const sizeless = Buffer.from(tobii.toString().replaceAll('1600', '').replaceAll('1200', ''))
    const eyelink = shapeFiles(SHAPES['EyeLink ASC'])['ada.asc']
    await begin(writeFiles({ 'a.tsv': tobii, 'b.tsv': other, 'ada.asc': eyelink }))
    await says('Files of 2 formats:')
    await page.getByLabel('Read as').selectOption('tobii')
    await says('Ready to import.')
    await says(/files that name the same participant are sessions of one person/i)
    await begin(fileOf('sizeless.tsv', sizeless.toString()))
    await says('does not say how large the screen was')
    await page.getByLabel('Width of the screen, px').fill('-5')
    await says('The size of a screen must be two whole numbers of px')
    await page.getByLabel('Width of the screen, px').fill('1600')
    await page.getByLabel('Height, px').fill('1200')
    await says('Ready to import.')
    await deleteUploads()
  })

  test('tells of too many uploads, which can be deleted there, and of a file that is too large', async () => {
    await deleteUploads()
    for (const name of ['one.csv', 'two.csv']) await beginUpload(name)
    await begin(fileOf('third.csv', LONG))
    await says('Too many uploads')
    await keepScreenshot(page, 'bring-in-refused', { fullPage: true })
    await says('0 B of 10 B: choose the same files again to resume')
    await button('Delete one.csv').click()
    await page.getByText('one.csv').waitFor({ state: 'detached' })
    await button('Try again').click()
    await says('The format is unknown.')
    await deleteUploads()
    await open()
    await page.evaluate(() => {
      const piece = new Blob([new Uint8Array(1 << 24)])
      const transfer = new DataTransfer()
      transfer.items.add(new File(Array(65).fill(piece), 'huge.csv'))
      const input = document.querySelector<HTMLInputElement>('input[type=file]')!
      input.files = transfer.files
      input.dispatchEvent(new Event('change', { bubbles: true }))
    })
    await says('Upload too large')
  })

  test('goes on after a pause, a reload and a lost connection from what has come', async () => {
    const file = fileOf('long.csv', LONG)
    const offsets: string[] = []
    let isHeld = true
    await page.route(/\/api2\/uploads\/.+/, async (route) => {
      const request = route.request()
      if (request.method() !== 'PATCH') return route.continue()
      offsets.push(request.headers()['upload-offset'])
      if (isHeld && offsets.length > 1) return
      return route.continue()
    })
    await begin(file)
    await says(/Sending: [1-9]\d* %/)
    await button('Pause').click()
    await says(/Paused: [1-9]\d* %/)
    expect(await axeFindings(page)).toEqual([])
    await keepScreenshot(page, 'bring-in-paused')
    await page.reload()
    await says(/262 kB of .*: choose the same files again to resume/)
    isHeld = false
    let isAway = true
    await page.route(/\/api2\/uploads\/.+/, (route) => (isAway ? route.abort('connectionreset') : route.fallback()))
    await drop(file)
    await says('Connection lost; retrying')
    isAway = false
    await page.evaluate(() => window.dispatchEvent(new Event('online')))
    await says('The format is unknown.')
    await page.unrouteAll()
    expect(offsets.slice(0, 3)).toEqual(['0', '262144', '262144'])
    await deleteUploads()
  })

  /** Presses a button by keys once it can be pressed: until then it takes no focus. */
  const pressByKey = async (name: string) => {
    await expect.poll(() => button(name).isEnabled()).toBe(true)
    await button(name).focus()
    await page.keyboard.press('Enter')
  }

  test('adds to a study, by keys alone, for a token of that study; on a phone, in the dark', async () => {
    const study = service.studyIds[0]
    const { token } = await service.parts.tokens.create({
      role: 'write',
      studies: [study],
      expiresAt: null,
      now: new Date(),
    })
    await page.evaluate(() => sessionStorage.clear())
    await signOut(page)
    await page.getByLabel('Access token').waitFor()
    await page.setViewportSize({ width: 390, height: 844 })
    await enter(token)
    await page.getByRole('link', { name: 'Import data' }).focus()
    await page.keyboard.press('Enter')
    await says('Drop files or a folder here')
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      (async () => {
        await page.getByLabel('Choose files').focus()
        await page.keyboard.press('Enter')
      })(),
    ])
    await chooser.setFiles(fileOf('gaze.csv', `${TABLE.join('\n')}\n`))
    await says('The format is unknown.')
    expect(await page.getByLabel('Import into').locator('option').count()).toBe(1)
    await page.getByLabel('Width of the screen, px').fill('1000')
    await page.getByLabel('Height, px').fill('500')
    await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' })
    expect(await axeFindings(page)).toEqual([])
    await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' })
    await keepScreenshot(page, 'bring-in-phone-dark', { fullPage: true })
    await page.emulateMedia({ colorScheme: 'light' })
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
    expect(overflow).toBeLessThanOrEqual(0)
    await page.getByLabel('kid is', { exact: true }).selectOption('participant')
    await says('Ready to import.')
    await expect.poll(async () => (await facts()).slice(0, 3)).toEqual(['3', '2', '3'])
    await pressByKey('Import')
    await page.getByRole('heading', { name: 'Added to Demo study, seed 3' }).waitFor()
    expect(walk.complaints).toEqual([])
  })
})
