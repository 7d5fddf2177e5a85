import { describe, expect, test } from 'vitest'
import { GROUP_COLORS } from '../../dashboard/core/colors/group-colors.ts'
import { HEAT_MAPS, type HeatMapName } from '../../dashboard/core/colors/heat-maps.ts'
import { hasChromium, signIn } from './browser.ts'
import { difference, labOf } from './color-vision.ts'
import { walkThrough } from './dashboard-server.ts'
import { ITEM_ID, LEFT, RIGHT, twoSidesBundle } from './two-sides.ts'

/**
 * Every map whose colours have a direction: pixels of known gaze, as the browser draws them, and what stands at the
 * ends of their bars.
 */
const { service, walk, page } = await walkThrough({ demos: [], bundles: [twoSidesBundle] }, ({ service, page }) =>
  signIn(page, service.url, service.read),
)

const open = (path: string) => page.goto(`${service.url}/studies/${service.studyIds[0]}${path}`)

/** Returns the colours at 25 % and 75 % of the width, half way down, as a picture has them on white. */
async function leftAndRight(href: string): Promise<[string, string]> {
  return page.evaluate(
    `(async () => {
      const image = new Image()
      image.src = ${JSON.stringify(href)}
      await image.decode()
      const canvas = document.createElement('canvas')
      Object.assign(canvas, { width: image.width, height: image.height })
      const context = canvas.getContext('2d')
      context.fillStyle = '#ffffff'
      context.fillRect(0, 0, image.width, image.height)
      context.drawImage(image, 0, 0)
      return [0.25, 0.75].map((at) => {
        const [r, g, b] = context.getImageData(Math.floor(at * image.width), Math.floor(image.height / 2), 1, 1).data
        return '#' + [r, g, b].map((value) => value.toString(16).padStart(2, '0')).join('')
      })
    })()`,
  ) as Promise<[string, string]>
}

const lightness = (color: string) => labOf(color, 'full colour vision')[0]
const apart = (one: string, other: string) =>
  difference(labOf(one, 'full colour vision'), labOf(other, 'full colour vision'))
/** Returns the group whose colour it looks more like. */
const nearestGroup = (color: string) => (apart(color, GROUP_COLORS[0]) < apart(color, GROUP_COLORS[1]) ? 0 : 1)

const figure = (name: string) => page.getByRole('figure', { name, exact: true })
const hrefs = (of: string) =>
  figure(of)
    .locator('.drawing image')
    .evaluateAll((images) => images.map((image) => image.getAttribute('href') ?? ''))
const fills = (of: string) =>
  page.locator(of).evaluateAll((rects) => rects.map((rect) => rect.getAttribute('fill') ?? ''))

describe.skipIf(!hasChromium)('the direction of', () => {
  test.each(['left', 'right'])(
    'the difference of two groups: the colour of the group that has more (%s first)',
    async (side) => {
      const filters = side === 'left' ? [LEFT, RIGHT] : [RIGHT, LEFT]
      const query = new URLSearchParams({ item: ITEM_ID })
      for (const [g, filter] of filters.entries()) {
        query.set(`group${g + 1}`, filter)
        query.set(`name${g + 1}`, filter === LEFT ? 'Lefties' : 'Righties')
      }
      await open(`/groups?${query}`)
      const drawing = figure('Heatmaps').locator('.drawing svg')
      await drawing.waitFor()
      await expect.poll(async () => (await hrefs('Heatmaps')).length).toBe(3)
      const panels = await Promise.all((await hrefs('Heatmaps')).map(leftAndRight))
      const [first, second, less] = panels
      const [ofFirst, ofSecond] = side === 'left' ? [0, 1] : [1, 0]
      // Each group's own heatmap is darker where that group looks more.
      expect(lightness(first[ofFirst])).toBeLessThan(lightness(first[1 - ofFirst]))
      expect(lightness(second[ofSecond])).toBeLessThan(lightness(second[1 - ofSecond]))
      expect([nearestGroup(less[ofFirst]), nearestGroup(less[ofSecond])]).toEqual([0, 1])
      // The bar has the colour of the second group at its left end and of the first at its right, and their names.
      const bar = await fills('.difference-bar rect[shape-rendering]')
      expect([nearestGroup(bar[0]), nearestGroup(bar.at(-1)!)]).toEqual([1, 0])
      const texts = await page.locator('.difference-bar text').allTextContents()
      const [one, other] = side === 'left' ? ['Lefties', 'Righties'] : ['Righties', 'Lefties']
      expect(texts.slice(0, 3)).toEqual([`more in ${other}`, '0', `more in ${one}`])
      const caption = await figure('Heatmaps').locator('figcaption').textContent()
      expect(caption).toContain('orange where the first has more, violet where the second has')
    },
  )

  test.each(Object.keys(HEAT_MAPS) as HeatMapName[])('the heatmap %s, and of its colour bar', async (name) => {
    await open(`/items/${ITEM_ID}?layers=heatmap&colors=${name}`)
    await expect.poll(async () => (await hrefs('Stimulus')).length).toBe(1)
    const [more, less] = (await leftAndRight((await hrefs('Stimulus'))[0])).map(lightness)
    const bar = (await fills('.color-bar rect[shape-rendering]')).map(lightness)
    // On a dark picture more is lighter; what is nearly nothing lets the ground show, which is white here.
    if (HEAT_MAPS[name].isForDark) expect([more > less, bar.at(-1)! > bar[0]]).toEqual([true, true])
    else expect([more < less, bar.at(-1)! < bar[0]]).toEqual([true, true])
  })

  test('the matrix of transitions, and of the shares of gaze in AOIs over time', async () => {
    await open(`/items/${ITEM_ID}/transitions`)
    // All four go from the left to the right, and none back.
    const cells = figure('Transitions').locator('.drawing g:has(> title)')
    await cells.first().waitFor()
    const told = await cells.evaluateAll((groups) =>
      groups.map((group) => [
        group.querySelector('title')?.textContent ?? '',
        group.querySelector('rect')?.getAttribute('fill') ?? '',
      ]),
    )
    const fillOf = (pair: string) => told.find(([title]) => title.startsWith(pair))![1]
    expect(told.find(([title]) => title.startsWith('1 Left half to 2 Right half'))![0]).toMatch(/: 4$/)
    expect(lightness(fillOf('1 Left half to 2 Right half'))).toBeLessThan(
      lightness(fillOf('2 Right half to 1 Left half')),
    )
    await open(`/items/${ITEM_ID}?figure=time`)
    const strips = figure('Gaze over time').locator('rect[fill-opacity]')
    await strips.first().waitFor()
    const shares = await strips.evaluateAll((rects) =>
      rects.map((rect) => [Number(rect.getAttribute('x')), Number(rect.getAttribute('fill-opacity'))]),
    )
    // At first all are on the left; in the end all are on the right; between, three of four are on the left.
    const leftOnes = shares.slice(
      0,
      shares.findIndex(([x], i) => i > 0 && x < shares[i - 1][0]),
    )
    expect(leftOnes[0][1]).toBeGreaterThan(leftOnes.at(-1)![1])
    expect(walk.complaints).toEqual([])
  })
})
