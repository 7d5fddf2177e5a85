import { existsSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { describe, expect, test } from 'vitest'
import { hasSettings } from '../../dashboard/core/open-settings.ts'
import { PAGES } from '../../isomorphic/pages.ts'
import { BINOCULAR_ITEM, binocularBundle } from './binocular-bundle.ts'
import { hasChromium, keepTree, resize, signIn } from './browser.ts'
import { WHY } from './contact-sheet-words.ts'
import { walkThrough } from './dashboard-server.ts'
import { PUPIL_ITEM, pupilBundle } from './pupil-bundle.ts'
import { TEXT_ITEM, writtenText } from './text-bundle.ts'

/**
 * Every page as a picture, on three screens, light and dark, for people to look at: `test/dashboard/out/sheet`.
 * SHEET=item,report takes only the pictures of pages whose names begin so. SHEET_BESIDE=before,mock are folders with
 * pictures of the same names, as this sheet of an older version makes them, to be seen above those of today.
 */
const { service, walk, page } = await walkThrough(
  {
    demos: [{ participants: 24, items: 6, seconds: 8, hz: 30, seed: 1 }],
    bundles: [pupilBundle, binocularBundle, writtenText],
  },
  ({ page }) => page.emulateMedia({ reducedMotion: 'reduce' }),
)

const OUT = fileURLToPath(new URL('out/sheet', import.meta.url))
const SCREENS: [width: number, height: number][] = [
  [390, 844],
  [1280, 800],
  [1920, 1080],
]
const THEMES = ['light', 'dark'] as const

/** What reads badly in the tree of a screen reader: controls and figures without a name, … */
const NAMELESS = /^ *- (button|link|img|figure|textbox|combobox|checkbox|radio|slider|spinbutton)( \[.*\])?:?$/gm

/** … cells that tell their row and column again, buttons among what is announced when it changes, … */
const REPEATING = /^ *- '?gridcell ".+, .+: (?:grade|a test|\d+ %).*|^( *)- status.*:\n(?:\1 +.*\n)*?\1 +- button.*/gm
/** … figures of a section whose headings are as high as its own, and two landmarks of one name. */
const MISPLACED =
  /^( +)- '?region .*\n\1 {2}- heading .*\[level=2\](?:\n\1 {2}.*)*?\n\1 +- '?figure .*\n.*\[level=2\]/gm
const LANDMARK = /- '?(region|navigation|complementary|figure) ".*"/g

const GROUPS = 'group1=external_data_condition+%3D+%27free%27&group2=external_data_condition+%3D+%27search%27'
const NARROWED = 'filter=test_data_loss_percents+%3C%3D+30&gazeVelocityThreshold=100&toMs=4000'

type Shown = { name: string; address: (typeof PAGES)[number]; path: string }

/** Returns every page, and the parts and figures of those that show one at a time. */
async function shownPages(): Promise<Shown[]> {
  const [study, pupils, binocular, text] = service.studyIds
  const { items } = (await (await service.get(`/api2/studies/${study}`)).json()) as { items: { id: string }[] }
  const ofStudy = (name: string, end: string, query = ''): Shown => ({
    name,
    address: `/studies/:studyId${end}` as Shown['address'],
    path: `/studies/${study}${end.replace(':itemId', items[0].id)}${query}`,
  })
  const ofItem = (name: string, end: string, query = '') => ofStudy(name, `/items/:itemId${end}`, query)
  return [
    { name: 'studies', address: '/', path: '/' },
    { name: 'import', address: '/bring-in', path: '/bring-in' },
    ofStudy('study', ''),
    ofStudy('study narrowed', '', `?${NARROWED}`),
    ...['about', 'methods', 'drop-out', 'corrections'].map((part) => ofStudy(`study ${part}`, '', `?part=${part}`)),
    ofItem('item', ''),
    ofItem('item narrowed', '', `?${NARROWED}`),
    ofItem('item layers', '', '?layers=gaze.scanpath.heatmap.aois'),
    ...['scarf', 'aois', 'time', 'all'].map((figure) => ofItem(`item ${figure}`, '', `?figure=${figure}`)),
    ofItem('AOI editor', '/aois'),
    ofItem('replay', '/replay', '?t=1000'),
    ofItem('transitions', '/transitions'),
    ofItem('scanpaths', '/scanpaths'),
    {
      name: 'reading',
      address: '/studies/:studyId/items/:itemId/reading',
      path: `/studies/${text}/items/${TEXT_ITEM}/reading`,
    },
    {
      name: 'microsaccades',
      address: '/studies/:studyId/items/:itemId/microsaccades',
      path: `/studies/${binocular}/items/${BINOCULAR_ITEM}/microsaccades`,
    },
    ...['arrows', 'visits', 'first', 'all'].map((view) =>
      ofItem(`transitions ${view}`, '/transitions', `?view=${view}`),
    ),
    {
      name: 'pupils',
      address: '/studies/:studyId/items/:itemId/pupils',
      path: `/studies/${pupils}/items/${PUPIL_ITEM}/pupils`,
    },
    ofStudy('groups none', '/groups'),
    ofStudy('groups', '/groups', `?${GROUPS}`),
    ...['time', 'within', 'mixed', 'scarf'].map((view) =>
      ofStudy(`groups ${view}`, '/groups', `?${GROUPS}&view=${view}`),
    ),
    ofStudy('quality', '/quality'),
    ofStudy('report', '/report'),
    ofStudy('export', '/export'),
    ofStudy('export of a table', '/export', '?export=aoi-transitions'),
    { name: 'jobs', address: '/jobs', path: '/jobs' },
    { name: 'operations', address: '/operations', path: '/operations' },
    { name: 'help', address: '/help', path: '/help' },
    { name: 'help page', address: '/help/:page', path: '/help/glossary' },
  ]
}

async function settle(): Promise<void> {
  await page.waitForLoadState('networkidle')
  await expect.poll(() => page.locator('.spinner, [aria-busy=true]').count(), { timeout: 60_000 }).toBe(0)
}

/** Takes the pictures of the page as it lies. @returns widths at which it is wider than its window */
async function picture(name: string): Promise<string[]> {
  const wide: string[] = []
  for (const [width, height] of SCREENS) {
    await resize(page, width, height)
    for (const colorScheme of THEMES) {
      await page.emulateMedia({ colorScheme })
      await settle()
      await page.screenshot({ path: join(OUT, fileOf(name, width, colorScheme)), fullPage: true })
    }
    if (Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth')) > 0)
      wide.push(`${name} ${width}`)
  }
  return wide
}

const fileOf = (name: string, width: number, theme: string) => `${name.replaceAll(' ', '-')}-${width}-${theme}.png`

/**
 * Returns the sheet: for each page why it differs, and a row of first screens of each folder and of today, each a link
 * to the whole picture.
 */
function sheetOf(names: string[], beside: string[]): string {
  const row = (name: string, folder: string) => {
    const base = folder === OUT ? '' : `${pathToFileURL(resolve(folder))}/`
    const cells = SCREENS.flatMap(([width, height]) =>
      THEMES.map((theme) => {
        const file = fileOf(name, width, theme)
        if (!existsSync(join(folder, file))) return ''
        return `<a href="${base}${file}"><img loading="lazy" src="${base}${file}" alt="${name}, ${width} px, ${theme}" style="width:${width / 4}px;height:${height / 4}px"></a>`
      }),
    ).join('')
    return cells === '' ? '' : `<p>${cells}</p>`
  }
  const rows = names
    .map((name) => `<h2>${name}</h2>${WHY[name]}${[...beside, OUT].map((folder) => row(name, folder)).join('')}`)
    .join('\n')
  return `<!doctype html><meta charset="utf-8"><title>Contact sheet</title>
<style>body{font:14px sans-serif;background:#999}p{display:flex;gap:8px}img{object-fit:cover;object-position:top}</style>
${rows}`
}

describe.skipIf(!hasChromium)('the contact sheet', () => {
  test('shows every page on three screens, light and dark, none wider than its window, each with one title and no nameless control', async () => {
    const only = process.env.SHEET?.split(',')
    const beside = process.env.SHEET_BESIDE?.split(',') ?? []
    const isTaken = ({ name }: { name: string }) => only?.some((begin) => name.startsWith(begin)) !== false
    const all = await shownPages()
    expect(Object.keys(WHY).sort()).toEqual(['sign in', ...all.map(({ name }) => name)].sort())
    expect([...new Set(['/sign-in', ...all.map(({ address }) => address)])].sort()).toEqual([...PAGES].sort())
    if (only === undefined) await rm(OUT, { recursive: true, force: true })
    await mkdir(OUT, { recursive: true })
    await service.get(`/api2/studies/${service.studyIds[0]}/collected-data/eye-tracking/fixations`, {
      prefer: 'respond-async',
    })
    await service.startWorker()
    const wide: string[] = []
    await page.goto(`${service.url}/sign-in`)
    wide.push(...(await picture('sign in')))
    await signIn(page, service.url, service.ops)
    const shown = all.filter(isTaken)
    for (const { name, path } of shown) {
      await page.goto(service.url + path)
      wide.push(...(await picture(name)))
      const tree = await keepTree(page, join('sheet', name.replaceAll(' ', '-')))
      const bad = [NAMELESS, REPEATING, MISPLACED].flatMap((kind) => tree.match(kind) ?? [])
      const twice = tree.match(LANDMARK)?.filter((each, i, all) => all.indexOf(each) < i) ?? []
      expect([name, tree.match(/- '?heading .*\[level=1\]/g)?.length, ...bad, ...twice]).toEqual([name, 1])
      expect([name, tree.includes('Skip to settings')]).toEqual([
        name,
        hasSettings(new URL(path, service.url).pathname),
      ])
    }
    await writeFile(join(OUT, 'index.html'), sheetOf(['sign in', ...shown.map(({ name }) => name)], beside))
    expect(wide).toEqual([])
    expect(walk.complaints).toEqual([])
  }, 900_000)
})
