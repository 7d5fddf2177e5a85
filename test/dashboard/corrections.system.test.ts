import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { axeFindings, dropFiles, hasChromium, keepPicture, signIn } from './browser.ts'
import { walkThrough } from './dashboard-server.ts'
import { ITEM_ID, pictureSvg, unsizedBundle } from './two-sides.ts'

let folder: string
const file = (name: string) => join(folder, name)
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gazette-pictures-'))
  await writeFile(file('ITEM-1.svg'), pictureSvg(300, 300))
  await writeFile(file('wide.svg'), pictureSvg(1000, 500))
})
afterAll(() => rm(folder, { recursive: true }))

/** A study without a picture, whose item has no size: pictures are added, and what was wrong is corrected. */
const { service, walk, page } = await walkThrough(
  { demos: [], bundles: [() => unsizedBundle()] },
  ({ service, page }) => signIn(page, service.url, service.write),
)

const study = () => `${service.url}/studies/${service.studyIds[0]}`
const button = (name: string) => page.getByRole('button', { name, exact: true })
const shown = async () => (await service.get(`/api2/studies/${service.studyIds[0]}/items/${ITEM_ID}/shown`)).json()
const details = async () => (await service.get(`/api2/studies/${service.studyIds[0]}`)).json()
const part = (name: string) => page.getByRole('radio', { name, exact: true }).check()
const undo = async () => {
  await part('Corrections')
  await button('Undo the last change').click()
  await part('Items and people')
}

const api = () => `${service.url}/api2/studies/${service.studyIds[0]}`
/** What is kept of the study before its last change, until a day has passed. */
const FORMER = () => join(service.parts.config.dataDir, 'studies', service.studyIds[0], 'undo.json')
const RENAMED_ELSEWHERE = 'The study has changed in the meantime'

/** Expects of an undo that comes too late that the page says so, and offers to load itself again. */
async function expectNotUndone(title: string, act: () => Promise<void>): Promise<void> {
  await button('Undo the last change').waitFor()
  await act()
  await button('Undo the last change').click()
  const alert = page.getByRole('alert').filter({ hasText: title })
  await alert.waitFor()
  expect(await button('Undo the last change').count()).toBe(0)
  await alert.getByRole('button', { name: 'Reload the page' }).click()
  await alert.waitFor({ state: 'detached' })
  await page.getByText(/^History: /).waitFor()
}

describe.skipIf(!hasChromium)('pictures and corrections', () => {
  test('the grey area in the place of a picture offers to add one', async () => {
    await page.goto(`${study()}/items/${ITEM_ID}`)
    await button('Add a picture').click()
    await page.locator('dialog input[type=file]').setInputFiles(file('ITEM-1.svg'))
    await button('Add 1 picture').click()
    await button('Done').click()
    await page.locator('.drawing image[href*="/image"]').first().waitFor()
    expect(await button('Add a picture').count()).toBe(0)
    await page.goto(study())
    await undo()
    await page.getByText('no picture').first().waitFor()
  })

  test('pictures dropped on a study go to the items of their names, others to those that are chosen', async () => {
    await page.goto(study())
    await page.getByText('no picture').first().waitFor()
    await dropFiles(walk, file('ITEM-1.svg'), file('wide.svg'))
    const dialog = page.getByRole('dialog', { name: 'Add pictures' })
    await dialog.getByRole('cell', { name: 'as it is' }).waitFor()
    expect(await dialog.getByLabel('Item of wide.svg').inputValue()).toBe('')
    expect(await dialog.getByLabel('Item of ITEM-1.svg').inputValue()).toBe(ITEM_ID)
    expect(await axeFindings(page)).toEqual([])
    await keepPicture(page, 'pictures-dialog')
    await dialog.getByRole('button', { name: 'Add 1 picture' }).click()
    await dialog.getByText('1 picture added.').waitFor()
    await dialog.getByRole('button', { name: 'Done' }).click()
    await page.locator(`.item-card img[src*="${ITEM_ID}/image"]`).waitFor()
    expect((await details()).items[0].filename).toBe('item-1.svg')
  })

  test('of a picture of another shape it is asked how it was shown, and no number changes by it', async () => {
    await button('Add pictures').click()
    await page.locator('dialog input[type=file]').setInputFiles(file('wide.svg'))
    await page.getByLabel('Item of wide.svg').selectOption(ITEM_ID)
    await page.getByText('with another aspect ratio').waitFor()
    expect(await page.getByRole('button', { name: 'Add 1 picture' }).isDisabled()).toBe(true)
    await page.getByLabel('How item-1.svg was shown').selectOption('cover')
    await page.getByRole('img', { name: 'filling it, cropped at two edges' }).waitFor()
    await page.getByRole('button', { name: 'Add 1 picture' }).click()
    await page.getByText('1 picture added.').waitFor()
    await button('Done').click()
    expect(await shown()).toMatchObject({
      shown: { widthPx: 1000, heightPx: 1000 },
      misfit: null,
      isVaried: false,
      video: null,
    })
    expect((await details()).items[0]).toMatchObject({ filename: 'item-1.png', widthPx: null })
    await undo()
    // The page draws the study anew, and a dialog that is open before that goes.
    await page.getByRole('link', { name: 'item-1.svg' }).first().waitFor()
    expect((await details()).items[0].filename).toBe('item-1.svg')
  })

  test('a picture that was shown whole gives an item its size, once somebody says so', async () => {
    await button('Add pictures').click()
    await page.locator('dialog input[type=file]').setInputFiles(file('wide.svg'))
    await page.getByLabel('Item of wide.svg').selectOption(ITEM_ID)
    await page.getByLabel('How item-1.svg was shown').selectOption('sized')
    await page.getByRole('button', { name: 'Add 1 picture' }).click()
    await button('Done').click()
    await expect.poll(async () => (await details()).items[0]).toMatchObject({ widthPx: 1000, heightPx: 500 })
  })

  test('items are renamed, and that is undone; a participant and a study go once their name is typed', async () => {
    await part('Corrections')
    await button('Rename, order or remove items').click()
    await page.getByLabel('Name of item 1').fill('Poster')
    await button('Save').click()
    await page.getByText('History: Item “item-1.svg” renamed to “Poster.svg”').waitFor()
    await part('Items and people')
    await page.getByRole('link', { name: 'Poster.svg' }).first().waitFor()
    expect(await axeFindings(page)).toEqual([])
    await undo()
    await page.getByRole('link', { name: 'item-1.svg' }).first().waitFor()
    await part('Corrections')
    await keepPicture(page, 'corrections', { fullPage: true })
    await button('Name and project').click()
    await page.getByLabel('New name').fill('Right name')
    await button('Save').click()
    await page.getByRole('heading', { level: 1, name: 'Right name' }).waitFor()
    await expectNotUndone(RENAMED_ELSEWHERE, async () => {
      const headers = { 'x-auth-token': service.write, 'if-match': '*', 'content-type': 'application/json' }
      await fetch(api(), { method: 'PATCH', headers, body: JSON.stringify({ name: 'Name of somebody else' }) })
    })
    await page.getByText(/^History: .* to “Name of somebody else”/).waitFor()
    await expectNotUndone('The last change can no longer be undone', () => rm(FORMER()))
    expect(await button('Undo the last change').count()).toBe(0)
    expect((await details()).name).toBe('Name of somebody else')
    await button('Remove a participant').click()
    await page.getByRole('dialog').getByLabel('Participant').selectOption({ label: 'P1' })
    expect(await button('Remove').isDisabled()).toBe(true)
    await page.getByLabel('Type the name, P1').fill('P1')
    await button('Remove').click()
    await expect.poll(async () => (await details()).participantCount).toBe(3)
    await page.getByText('History: Participant removed').waitFor()
    expect(await button('Undo the last change').count()).toBe(0)
    await button('Delete the study').click()
    await page.getByLabel('Type its name, Name of somebody else').fill('Name of somebody else')
    await button('Delete').click()
    await page.getByRole('heading', { level: 1, name: 'Studies' }).waitFor()
    expect((await service.get(`/api2/studies/${service.studyIds[0]}`)).status).toBe(404)
    expect(walk.complaints).toEqual([])
  })
})
