import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { axeFindings, hasChromium, keepPicture, signIn, signOut } from './browser.ts'
import { walkThrough } from './dashboard-server.ts'

let study: string
/** Another study, which is deleted. */
let doomed: string
let item: string

/** Error messages of the dashboard; every failure is real. */
const { service, walk, page } = await walkThrough(
  {
    demos: [5, 6].map((seed) => ({ participants: 4, items: 2, seconds: 2, hz: 30, seed })),
    settings: {
      OPEN_JOBS_PER_TOKEN: '1',
      SYNC_MAX_BYTES: '0',
    },
  },
  async ({ service, page }) => {
    ;[study, doomed] = service.studyIds.map((id) => `/studies/${id}`)
    const { items } = (await (await service.get(`/api2${study}`)).json()) as { items: { id: string }[] }
    item = `${study}/items/${items[0].id}`
    await signIn(page, service.url, service.write)
  },
)

const open = (path: string) => page.goto(service.url + path)
const alert = (text: string) => page.getByRole('alert').filter({ hasText: text }).first()
const button = (name: string) => page.getByRole('button', { name, exact: true })
/** Follows a link within the dashboard, without loading the page anew. */
const follow = (path: string) =>
  page.evaluate(`history.pushState(null, '', '${path}'); dispatchEvent(new PopStateEvent('popstate'))`)

describe.skipIf(!hasChromium)('what the dashboard says when something fails', () => {
  test('names what is not there', async () => {
    await open('/studies/00000000-0000-4000-8000-000000000000')
    await alert('This study is not there').getByRole('link', { name: 'Go to the studies' }).waitFor()
  })

  test('says of a threshold that is none what it must be, and keeps it in its field', async () => {
    await open(`${study}/quality`)
    const field = page.getByLabel('Samples without gaze, at most')
    await field.fill('-5')
    await field.press('Enter')
    await alert('loss must be a number from 0 on; the link has “-5”.').waitFor()
    expect(await field.inputValue()).toBe('-5')
    await field.fill('5')
    await field.press('Enter')
    await page.getByText('This link has values').waitFor({ state: 'detached' })
  })

  test('says of an AOI’s width that is none what it must be and what it still is', async () => {
    await open(`${item}/aois`)
    await page.locator('.aoi-list button').first().click()
    const field = page.getByLabel('Width', { exact: false }).first()
    const before = await field.inputValue()
    await field.fill('0')
    await field.press('Enter')
    await alert(`Width must be a number above 0, not “0”; the value is still ${before} px.`).waitFor()
    expect(await field.inputValue()).toBe(before)
    await page.getByText('All saved').waitFor()
  })

  test('says when to try again what is too much for now', async () => {
    await open(`${study}/export`)
    await button('Start a job').click()
    await page.locator('[data-state=queued]').waitFor()
    await page.getByText('Several tables as one package').waitFor()
    await button('Create the package').click()
    await alert('Too many open jobs').getByText('Try again in 30 seconds.').waitFor()
    expect(await axeFindings(page)).toEqual([])
    await keepPicture(page, 'errors-too-many-jobs')
  })

  test('stays signed in, and says so, when signing out does not reach the server', async () => {
    await open('/jobs')
    await page.getByRole('heading', { level: 1, name: 'Jobs' }).waitFor()
    await walk.context.setOffline(true)
    await signOut(page)
    await alert('You are still signed in: Gazette does not answer').waitFor()
    await walk.context.setOffline(false)
    await page.getByRole('heading', { level: 1, name: 'Jobs' }).waitFor()
  })

  test('loads the page anew by itself, once, when a part of the program did not come and the network is back', async () => {
    await open('/jobs')
    await page.getByRole('heading', { level: 1, name: 'Jobs' }).waitFor()
    let loads = 0
    const count = () => loads++
    page.on('load', count)
    await walk.context.setOffline(true)
    await follow('/bring-in')
    await alert('This page could not be loaded').waitFor()
    expect(loads).toBe(0)
    await walk.context.setOffline(false)
    await page.getByText('Drop files or a folder here').waitFor()
    expect(loads).toBe(1)
    page.off('load', count)
  })

  test('does not load the page again and again while a part of the program stays away', async () => {
    await open('/jobs')
    await page.getByRole('heading', { level: 1, name: 'Jobs' }).waitFor()
    await page.evaluate('sessionStorage.clear()')
    let loads = 0
    const count = () => loads++
    await page.route('**/assets/bring-in-page-*.js', (route) => route.abort())
    page.on('load', count)
    await follow('/bring-in')
    await expect.poll(() => loads).toBe(1)
    await alert('This page could not be loaded').waitFor()
    // The server answers, so that nothing but the time since the last load keeps it from another.
    await page.evaluate(
      `fetch('/healthz').then(() => new Promise((seen) => requestAnimationFrame(() => setTimeout(seen))))`,
    )
    expect(loads).toBe(1)
    await page.unroute('**/assets/bring-in-page-*.js')
    await button('Try again').click()
    await page.getByText('Drop files or a folder here').waitFor()
    page.off('load', count)
  })

  test('says so when what saves a drawing, or another chart, did not come, and keeps the picture', async () => {
    await open(item)
    const picture = page.getByRole('img', { name: /with a heatmap/ })
    await picture.waitFor()
    await walk.context.setOffline(true)
    await page.getByText('Save', { exact: true }).first().click()
    await page.getByRole('button', { name: 'Save Stimulus as SVG' }).click()
    await alert('What saves drawings could not be loaded. The server may have stopped').waitFor()
    expect(await picture.isVisible()).toBe(true)
    await page.getByRole('radio', { name: 'Scarf plot' }).check()
    await alert('The charts could not be loaded').waitFor()
    await walk.context.setOffline(false)
    await button('Try again').click()
    await page.getByRole('img', { name: /^Scarf plot of 4 tests/ }).waitFor()
  })

  test('says on every page of a study that was deleted meanwhile that it is not there', async () => {
    const { items } = (await (await service.get(`/api2${doomed}`)).json()) as { items: { id: string }[] }
    await open(doomed)
    await page.locator('.item-card').first().waitFor()
    const headers = { 'x-auth-token': service.write }
    expect((await fetch(`${service.url}/api2${doomed}`, { method: 'DELETE', headers })).status).toBe(204)
    // The page knows the study from before.
    for (const end of [`/items/${items[0].id}`, '/report', '/export', '/quality']) {
      await follow(doomed + end)
      await alert('This study is not there').waitFor()
      await page.getByRole('link', { name: 'Go to the studies' }).waitFor()
      expect(await page.getByText('The resource does not exist').count()).toBe(0)
    }
    await keepPicture(page, 'errors-deleted')
  })

  test('gives the id for the operator where the cause is in the log alone', async () => {
    const { dataDir } = service.parts.config
    const directory = join(dataDir, 'studies', service.studyIds[0])
    for (const name of await readdir(directory, { recursive: true }))
      if (/samples-\d+\.parquet$/.test(name)) await writeFile(join(directory, name), 'not what was written')
    await open(`${item}?movingMedianRangeMs=300`)
    const told = alert('Stored data is damaged')
    expect(await told.textContent()).toMatch(/neither used nor sent.*The id for the operator, instance: [\w-]{8,}/)
    await keepPicture(page, 'errors-damaged')
    expect(walk.complaints).toEqual([])
  })
})
