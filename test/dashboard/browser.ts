import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { expect } from 'vitest'

const CHROMIUM = '/usr/bin/chromium'
export const hasChromium = existsSync(CHROMIUM)
if (!hasChromium) console.warn(`The dashboard's walk is skipped: there is no ${CHROMIUM}`)

/** Whatever a page is waited for may be late on a machine that is busy with others. TEST_PATIENCE multiplies it. */
export const WITHIN_MS = 300_000 * Number(process.env.TEST_PATIENCE ?? 1)

/** A real browser, and all that it asked of others, complained about, or was forbidden. */
export type Walk = { browser: Browser; context: BrowserContext; page: Page; complaints: string[] }

export async function openWalk(url: string): Promise<Walk> {
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
  const context = await browser.newContext({
    viewport: { width: 1280, height: 860 },
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  context.setDefaultTimeout(WITHIN_MS)
  const complaints: string[] = []
  const page = await context.newPage()
  page.on('request', (request) => {
    const asked = request.url()
    if (!asked.startsWith(url) && !/^(data|blob):/.test(asked)) complaints.push(`foreign request: ${asked}`)
  })
  page.on('pageerror', (error) => complaints.push(`error: ${error.stack}`))
  page.on('console', (message) => {
    // A browser reports every 401 and 404 itself; those that the walk provokes are looked at where they happen.
    const isAnswer = message.text().startsWith('Failed to load resource')
    if (message.type() === 'error' && !isAnswer) complaints.push(`console: ${message.text()}`)
  })
  return { browser, context, page, complaints }
}

/** Signs in at the dashboard of an address, and waits for its studies. */
export async function signIn(page: Page, url: string, token: string): Promise<void> {
  await page.goto(`${url}/sign-in`)
  await page.getByLabel('Access token').fill(token)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { level: 1, name: 'Studies' }).waitFor()
}

/** Opens the menu of the bar: jobs, operations, help, the theme, and signing out. */
export async function openMenu(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Menu', exact: true }).click()
  await page.locator('#main-menu').waitFor()
}

export async function signOut(page: Page): Promise<void> {
  await openMenu(page)
  await page.getByRole('button', { name: 'Sign out' }).click()
}

/** Drops files and folders on the page, as the file manager does. @param paths absolute */
export async function dropFiles({ context, page }: Walk, ...paths: string[]): Promise<void> {
  const devtools = await context.newCDPSession(page)
  const data = { items: [], files: paths, dragOperationsMask: 1 }
  // A mouse that holds still drags over what is below it again and again.
  for (const type of ['dragEnter', 'dragOver', 'dragOver', 'drop'] as const)
    await devtools.send('Input.dispatchDragEvent', { type, x: 400, y: 300, data })
  await devtools.detach()
}

const axeSource = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

const CONTROLS = `[...document.querySelectorAll('a[href], button, input, select, textarea, summary')]
  .filter((each) => each.checkVisibility() && each.getBoundingClientRect().width > 0 && !each.matches('.skip')).length`

/** Counts the controls of the page until something is unfolded; a closed menu is one, as a list of choices is. */
export async function countControls(page: Page): Promise<number> {
  return Number(await page.evaluate(CONTROLS))
}

/** Runs axe (WCAG 2.2 AA) on the current page, light and dark. */
export async function axeFindings(page: Page): Promise<string[]> {
  const found: string[] = []
  // Where the page was scrolled to, its bar may lie over a control.
  await page.evaluate('scrollTo(0, 0)')
  // What was done last may change the page a little later, and what is drawn anew is pale until it comes.
  await page.waitForTimeout(300)
  await expect.poll(() => page.locator('.stale:not(.old .stale)').count()).toBe(0)
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await faded(page)
    await page.evaluate(axeSource)
    const violations = (await page.evaluate(
      `axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] }).then(({ violations }) =>
        violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => id + ' ' + html.slice(0, 160) + ' ' + failureSummary)))`,
    )) as string[]
    found.push(...violations.map((text) => `${colorScheme}: ${text}`))
  }
  await page.emulateMedia({ colorScheme: 'light' })
  return found
}

/** Waits until what fades has faded: its colours are neither the ones before nor the ones after. */
export async function faded(page: Page): Promise<void> {
  await page.evaluate(`new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))`)
  await page.evaluate(`Promise.all(
    document.getAnimations()
      .filter(({ effect }) => effect.getComputedTiming().endTime < Infinity)
      .map(({ finished }) => finished.catch(() => {})),
  ).then(() => {})`)
}

/** Looks that nothing is wider than the window, at each width. */
export async function expectNoOverflow(page: Page, widths: number[]): Promise<void> {
  for (const width of widths) {
    await resize(page, width, 860)
    expect([width, await page.evaluate('document.documentElement.scrollWidth - innerWidth <= 0')]).toEqual([
      width,
      true,
    ])
  }
}

/** Resizes the window, and waits until the page has it and has been drawn anew. */
export async function resize(page: Page, width: number, height: number): Promise<void> {
  await page.setViewportSize({ width, height })
  await expect.poll(() => page.evaluate('innerWidth')).toBe(width)
  await page.waitForTimeout(60)
}

/**
 * Does what makes the page show a text for a moment, which looks from outside may miss: the page itself looks for it
 * with each frame.
 */
export async function showsBriefly(page: Page, text: string, act: () => Promise<void>): Promise<void> {
  const shown = page.evaluate(`new Promise((resolve) => {
    const look = () => (document.body.innerText.includes(${JSON.stringify(text)}) ? resolve() : requestAnimationFrame(look))
    look()
  })`)
  await Promise.all([shown, act()])
}

const PICTURES = fileURLToPath(new URL('out', import.meta.url))

/** Keeps a picture of the page in the output of the tests, test/dashboard/out, for people to look at. */
export async function keepPicture(page: Page, name: string, { fullPage = false } = {}): Promise<void> {
  await page.screenshot({ path: join(PICTURES, `${name}.png`), fullPage })
}

/** Keeps what a screen reader is told of the page, its accessibility tree as text, beside the pictures. */
export async function keepTree(page: Page, name: string): Promise<string> {
  const tree = await page.locator('body').ariaSnapshot()
  await mkdir(PICTURES, { recursive: true })
  await writeFile(join(PICTURES, `${name}.txt`), tree)
  return tree
}

export type Look = { width?: number; height?: number; isDark?: boolean; withAxe?: boolean }

/** Opens a page of a server, looks that nothing is wider than the window, and keeps a picture of all of it. */
export async function look(
  { page }: Walk,
  { url }: { url: string },
  name: string,
  path: string,
  { width = 1280, height = 860, isDark = false, withAxe = false }: Look = {},
): Promise<void> {
  await page.setViewportSize({ width, height })
  await page.emulateMedia({ colorScheme: isDark ? 'dark' : 'light' })
  await page.goto(url + path)
  await page.waitForLoadState('networkidle')
  await expect.poll(() => page.getByText(/^Loading/).count(), { timeout: 120_000 }).toBe(0)
  expect([name, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([name, width])
  await keepPicture(page, `looks-${name}`, { fullPage: true })
  if (withAxe) expect(await axeFindings(page)).toEqual([])
}

/** Kept under docs/screenshots when SCREENSHOTS_DIR says so. */
export async function keepScreenshot(page: Page, name: string, { fullPage = false } = {}): Promise<void> {
  const directory = process.env.SCREENSHOTS_DIR
  if (!directory) return
  await mkdir(directory, { recursive: true })
  await page.screenshot({ path: join(directory, `${name}.png`), fullPage })
}
