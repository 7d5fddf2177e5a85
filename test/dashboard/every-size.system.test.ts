import { describe, expect, test } from 'vitest'
import { axeFindings, hasChromium, resize, signIn } from './browser.ts'
import { walkThrough } from './dashboard-server.ts'
import { emptyBundle } from './strange-bundles.ts'

const PEOPLE = [1, 24, 500, 0]
const SCREENS: [width: number, height: number][] = [
  [390, 844],
  [1280, 860],
  [1920, 1080],
]
const [SOME_ITEMS, MANY_ITEMS] = [2, 6]

/** Every page of a study, with nobody, one, some and many people, on three screens, light and dark. */
const { service, walk, page } = await walkThrough(
  {
    demos: PEOPLE.filter((people) => people > 0).map((participants) => ({
      participants,
      items: participants === 24 ? MANY_ITEMS : SOME_ITEMS,
      seconds: 2,
      hz: 30,
      seed: participants,
    })),
    bundles: [emptyBundle],
  },
  async ({ service, page }) => {
    await page.emulateMedia({ reducedMotion: 'reduce' })
    await signIn(page, service.url, service.write)
  },
)

const GROUPS = 'group1=external_data_condition+%3D+%27free%27&group2=external_data_condition+%3D+%27search%27'

/** Pages of a study, and whether they have pictures to be seen first. */
async function pagesOf(studyId: string): Promise<[name: string, path: string, hasPictures: boolean][]> {
  const study = `/studies/${studyId}`
  const { items } = (await (await service.get(`/api2${study}`)).json()) as { items: { id: string }[] }
  const { participants } = (await (await service.get(`/api2${study}/participants`)).json()) as {
    participants: { id: string; grades: (number | null)[] }[]
  }
  const item = `${study}/items/${items[0].id}`
  const one = participants.find(({ grades }) => grades[0] !== null)?.id
  const has = participants.length > 0
  return [
    ['study', study, false],
    ['item', item, has],
    ['layers', `${item}?layers=gaze.scanpath.heatmap.aois`, has],
    ['replay', `${item}/replay`, has],
    ['scanpaths', `${item}/scanpaths`, has],
    ['transitions', `${item}/transitions?view=all`, has],
    ['AOIs', `${item}/aois`, false],
    ['groups', `${study}/groups?${GROUPS}`, has],
    ['no groups', `${study}/groups`, false],
    ['quality', `${study}/quality`, false],
    ['report', `${study}/report`, false],
    ['export', `${study}/export`, false],
    ...(one === undefined
      ? []
      : ([
          ['item of one', `${item}?participant=${one}`, true],
          ['replay of one', `${item}/replay?participant=${one}`, true],
          ['quality of one', `${study}/quality?participant=${one}`, false],
        ] as [string, string, boolean][])),
  ]
}

/**
 * Finds what is wrong with the page as it lies: wider than the window; labels of a drawing that lie upon each other or
 * leave it; pictures that begin below the first screen. Left out are labels that stand where the data are: digits in
 * bars, numbers of fixations, and tags of AOIs while they are drawn.
 */
const LOOK = `((hasPictures) => {
  const found = []
  const over = document.documentElement.scrollWidth - innerWidth
  if (over > 0) found.push('wider than the window by ' + over + ' px')
  for (const svg of document.querySelectorAll('main svg[role=img]')) {
    const own = svg.getBoundingClientRect()
    const labels = [...svg.querySelectorAll('text')]
      .filter((text) => text.textContent.trim() !== '' && !/[ ,]/.test(text.getAttribute('x') ?? ''))
      .filter((text) => text.closest('.board-tag, .fixation') === null)
      .map((text) => ({ words: text.textContent, box: text.getBoundingClientRect() }))
      .filter(({ box }) => box.width > 0)
    for (const [i, { words, box }] of labels.entries()) {
      if (box.left < own.left - 1.5 || box.right > own.right + 1.5) found.push('beyond its drawing: ' + words)
      if (labels.length > 300) continue
      for (const other of labels.slice(i + 1)) {
        const across = Math.min(box.right, other.box.right) - Math.max(box.left, other.box.left)
        const down = Math.min(box.bottom, other.box.bottom) - Math.max(box.top, other.box.top)
        if (across > 2 && down > 4) found.push(words + ' lies upon ' + other.words)
      }
    }
  }
  const first = document.querySelector('.item-main .drawing, .item-main canvas')
  if (hasPictures && !(first?.getBoundingClientRect().top < 0.75 * innerHeight)) found.push('its picture is not seen first')
  return [...new Set(found)]
})`

async function settle(): Promise<void> {
  await page.waitForLoadState('networkidle')
  await expect.poll(() => page.locator('.spinner').count(), { timeout: 60_000 }).toBe(0)
}

describe.skipIf(!hasChromium)('every page, on a phone, a laptop and a large screen, light and dark', () => {
  test.each(PEOPLE)(
    'has nothing wider than the window and no label upon another, and axe finds nothing: %i people',
    async (people) => {
      const studyId = service.studyIds[people === 0 ? service.studyIds.length - 1 : PEOPLE.indexOf(people)]
      const wrong: Record<string, string[]> = {}
      for (const [name, path, hasPictures] of await pagesOf(studyId)) {
        const found: string[] = []
        await page.goto(service.url + path)
        for (const [width, height] of SCREENS) {
          await resize(page, width, height)
          for (const colorScheme of ['light', 'dark'] as const) {
            await page.emulateMedia({ colorScheme })
            await settle()
            const own = (await page.evaluate(`${LOOK}(${hasPictures})`)) as string[]
            found.push(...own.map((words) => `${width} ${colorScheme}: ${words}`))
          }
        }
        if (people === 24 || people === 0) found.push(...(await axeFindings(page)))
        if (found.length > 0) wrong[name] = found
      }
      expect(wrong).toEqual({})
      expect(walk.complaints).toEqual([])
    },
    600_000,
  )
})
