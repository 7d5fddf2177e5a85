import { describe, expect, test } from 'vitest'
import { axeFindings, hasChromium, signIn } from './browser.ts'
import { walkThrough } from './dashboard-server.ts'

/** Studies are put into a project on their pages, and the list of studies filters by it. */
const { service, walk, page } = await walkThrough(
  {
    demos: [
      { participants: 1, items: 1, seconds: 1, hz: 30, seed: 3 },
      { participants: 1, items: 1, seconds: 1, hz: 30, seed: 4 },
    ],
  },
  ({ service, page }) => signIn(page, service.url, service.write),
)

const button = (name: string) => page.getByRole('button', { name, exact: true })
const study = (seed: number) => page.getByRole('link', { name: `Demo study, seed ${seed}`, exact: true })

/** Opens the dialog of a study, which its page has under “Corrections”. */
async function openDialog(id: string): Promise<void> {
  await page.goto(`${service.url}/studies/${id}?part=corrections`)
  await button('Name and project').click()
}

describe.skipIf(!hasChromium)('projects', () => {
  test('take no room as long as there is none', async () => {
    await page.goto(`${service.url}/`)
    await study(4).waitFor()
    expect(await page.getByLabel('Project').count()).toBe(0)
  })

  test('get a study by its page, which says so, and the list filters by them', async () => {
    await openDialog(service.studyIds[0])
    expect(await button('Save').isDisabled()).toBe(true)
    await page.getByLabel(/^Project/).fill('  Pilots 1  ')
    expect(await axeFindings(page)).toEqual([])
    await button('Save').click()
    await page.getByText('Project Pilots 1').waitFor()
    await page.getByText(/History: Put into project “Pilots 1”/).waitFor()
    await page.goto(`${service.url}/`)
    await page.getByLabel(/^Project/).selectOption('Pilots 1')
    await page.getByText('1 of 2 studies').waitFor()
    expect([await study(3).count(), await study(4).count()]).toEqual([1, 0])
    expect(new URL(page.url()).searchParams.get('project')).toBe('Pilots 1')
    expect(await axeFindings(page)).toEqual([])
    await page.getByLabel('Find a study').fill('nothing like it')
    await page.getByText('No match in the names, ids and keywords of 1 study of project Pilots 1.').waitFor()
    await page.goto(`${service.url}/?project=Gone`)
    await page.getByRole('alert').getByText('project must be the project of a study that you may read').waitFor()
    expect([await study(3).count(), await study(4).count()]).toEqual([1, 1])
    await page.getByLabel(/^Project/).selectOption('Pilots 1')
    await page.getByLabel(/^Project/).selectOption('all')
    await study(4).waitFor()
  })

  test('lose a study whose project is emptied', async () => {
    await openDialog(service.studyIds[0])
    await page.getByLabel(/^Project/).fill('')
    await button('Save').click()
    await page.getByText(/History: Taken out of project “Pilots 1”/).waitFor()
    await page.goto(`${service.url}/`)
    await study(3).waitFor()
    expect(await page.getByLabel('Project').count()).toBe(0)
    expect(walk.complaints).toEqual([])
  })
})
