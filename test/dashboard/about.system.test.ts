import { describe, expect, test } from 'vitest'
import { axeFindings, hasChromium, signIn } from './browser.ts'
import { walkThrough } from './dashboard-server.ts'

let path: string
const { service, page } = await walkThrough(
  { demos: [{ participants: 1, items: 1, seconds: 1, hz: 30, seed: 3 }] },
  async ({ service }) => {
    path = `/studies/${service.studyIds[0]}`
  },
)

const stored = async () => (await (await service.get(`/api2${path}`)).json()).about
const open = async (token: string) => {
  await signIn(page, service.url, token)
  await page.goto(service.url + path)
  await page.getByRole('heading', { name: 'Items', exact: true }).waitFor()
  await page.getByRole('radio', { name: 'Description' }).check()
}
const section = () => page.getByRole('region', { name: 'Description, authors and licence' })
const button = (name: string) => section().getByRole('button', { name, exact: true })

describe.skipIf(!hasChromium)('authors and licence of a study, in Chromium', () => {
  test('are added, refused in words, saved, shown and removed by who may write', async () => {
    await open(service.write)
    await button('Add').click()
    await section().getByLabel('Description').fill('How menus are read.')
    await section().getByLabel('Keywords, separated by commas').fill('menus, reading, menus')
    await section().getByLabel('Given name').fill('Ada')
    await section().getByLabel('Family name').fill('Lovelace')
    await section().getByLabel('ORCID iD').fill('0000-0002-1825-0098')
    await section().getByLabel('Licence, by its SPDX identifier').fill('CC-BY-4.0')
    await section().getByLabel('DOI').fill('https://doi.org/10.1000/182')
    await section().getByLabel('Funding, one per line').fill('Grant 1\n\nGrant 2')
    await button('Save').click()
    await section().getByRole('alert').getByText('its last digit does not fit').waitFor()
    expect(await axeFindings(page)).toEqual([])
    await section().getByLabel('ORCID iD').fill('0000-0002-1825-0097')
    await button('Add an author').click()
    await button('Save').click()
    await section().getByText('Ada Lovelace').waitFor()
    expect(await stored()).toEqual({
      description: 'How menus are read.',
      keywords: ['menus', 'reading'],
      authors: [{ givenName: 'Ada', familyName: 'Lovelace', orcid: '0000-0002-1825-0097' }],
      license: 'CC-BY-4.0',
      doi: '10.1000/182',
      funding: ['Grant 1', 'Grant 2'],
    })
    expect(await axeFindings(page)).toEqual([])
    await button('Edit').click()
    await button('Remove author 1').click()
    await button('Save').click()
    await button('Edit').waitFor()
    await section().getByText('Ada Lovelace').waitFor({ state: 'detached' })
    expect(await stored()).not.toHaveProperty('authors')
  })

  test('are only shown to who may read', async () => {
    await open(service.read)
    await page.getByRole('radio', { name: 'Description' }).check()
    await section().getByText('CC-BY-4.0').waitFor()
    expect(await section().getByRole('button').count()).toBe(0)
  })
})
