import { describe, expect, test } from 'vitest'
import { axeFindings, expectNoOverflow, hasChromium, keepPicture, signIn, signOut } from './browser.ts'
import { walkThrough } from './dashboard-server.ts'

/** An installation without studies: the demo by a button, and its tour. */
const { service, walk, page } = await walkThrough({ demos: [] }, ({ service }) => service.startWorker())

const tour = () => page.getByRole('complementary', { name: 'Tour of the demo' })

describe.skipIf(!hasChromium)('the demo', () => {
  test('is offered to those who may write, and to nobody else', async () => {
    await signIn(page, service.url, service.read)
    await page.getByText('No studies that this token may read').waitFor()
    expect(await page.getByRole('button', { name: 'Create a demo study' }).count()).toBe(0)
    await signOut(page)
    await signIn(page, service.url, service.write)
    await page.getByRole('button', { name: 'Create a demo study' }).waitFor()
    await expectNoOverflow(page, [390, 1280])
    expect(await axeFindings(page)).toEqual([])
    await keepPicture(page, 'demo-offer')
  })

  test('is made by one press, and opens', async () => {
    await page.getByRole('button', { name: 'Create a demo study' }).click()
    await page.getByRole('heading', { level: 1, name: 'Demo study, seed 1' }).waitFor()
    await page.getByRole('button', { name: 'Take the tour' }).waitFor()
  })

  test('has a tour of six pages by keyboard, beside pages that stay usable', async () => {
    await page.getByRole('button', { name: 'Take the tour' }).click()
    const titles: string[] = []
    for (let step = 1; step <= 6; step++) {
      await tour().getByText(`Tour of the demo, ${step} of 6`).waitFor()
      await expect.poll(() => page.evaluate('document.activeElement.tagName')).toBe('H2')
      titles.push(
        `${await tour().getByRole('heading').textContent()} ${new URL(page.url()).pathname.split('/').at(-1)}`,
      )
      await page.locator('main h1').waitFor()
      expect(await page.getByText('There is no such page').count()).toBe(0)
      if (step === 2) {
        await page
          .getByRole('img', { name: /heatmap|fixations/ })
          .first()
          .waitFor()
        await expectNoOverflow(page, [390, 1280])
        await keepPicture(page, 'demo-tour')
        expect(await axeFindings(page)).toEqual([])
      }
      if (step < 6) await tour().getByRole('button', { name: /^Next/ }).press('Enter')
    }
    expect(titles.map((title) => title.replace(/[0-9a-f-]{36}$/, 'ID'))).toEqual([
      'A study ID',
      'An item ID',
      'The replay replay',
      'Groups groups',
      'Quality quality',
      'Take it with you export',
    ])
    await tour().getByRole('button', { name: 'Back' }).click()
    await tour().getByText('5 of 6').waitFor()
  })

  test('leaves by Escape, and never comes again by itself', async () => {
    await tour().getByRole('heading').focus()
    await page.keyboard.press('Escape')
    await tour().waitFor({ state: 'detached' })
    await page.goto(service.url)
    await page.getByRole('link', { name: 'Demo study, seed 1' }).click()
    await page.getByRole('button', { name: 'Tour of this demo' }).waitFor()
    expect(await page.getByRole('button', { name: 'Take the tour' }).count()).toBe(0)
    await page.reload()
    await page.getByRole('button', { name: 'Tour of this demo' }).waitFor()
    expect(await tour().count()).toBe(0)
    expect(walk.complaints).toEqual([])
  })
})
