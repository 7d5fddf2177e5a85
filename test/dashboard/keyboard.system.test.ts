import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { hasChromium, signIn, type Walk } from './browser.ts'
import { type DashboardServer, walkThrough } from './dashboard-server.ts'

/**
 * Every page by keys alone, 1280 px wide: each control is reached by Tab, is seen with the focus, and keeps it when it
 * is used.
 */

let service: DashboardServer
let walk: Walk
let page: Page
let study: string
let item: string

/** Functions that the test runs in the page. */
const IN_PAGE = `
const STOPS = 'a[href], button, input, select, textarea, summary, [tabindex="0"]'
const told = (element) => (element.getAttribute('aria-label') ?? element.labels?.[0]?.textContent ?? element.textContent ?? '').trim().slice(0, 60)
const nameOf = (element) => element === null || element === document.body ? 'nothing' : element.tagName.toLowerCase() + ' ' + told(element)
const isStop = (element) => {
  if (!element.matches(STOPS) || element.matches(':disabled, [tabindex="-1"]') || !element.checkVisibility()) return false
  const closed = element.closest('details:not([open])')
  if (closed !== null && element !== closed.querySelector('summary')) return false
  // Of radio buttons Tab reaches the chosen one; arrows go on from there.
  if (element.type !== 'radio' || element.checked) return true
  return document.querySelector('input[type=radio][name="' + element.name + '"]:checked') === null
}
const outlineOf = (element) => {
  const { outlineStyle, outlineWidth } = getComputedStyle(element)
  return outlineStyle === 'none' ? 0 : parseFloat(outlineWidth)
}
const isOutlined = (element) => outlineOf(element) >= 2 || [element.closest('label'), element.closest('.choice')].some((each) => each && outlineOf(each) >= 2)
/** Returns whether any of it is visible in the window, not covered. */
const isInSight = (element) => {
  const seen = element.matches('.unseen, .choice-mark') ? element.closest('label') : element
  const { left, right, top, bottom } = seen.getBoundingClientRect()
  const [x0, x1, y0, y1] = [Math.max(0, left), Math.min(innerWidth, right), Math.max(0, top), Math.min(innerHeight, bottom)]
  if (x1 <= x0 || y1 <= y0) return false
  return [0.5, 0.1, 0.9].some((share) => {
    const hit = document.elementFromPoint(x0 + (x1 - x0) * 0.5, y0 + (y1 - y0) * share)
    return hit !== null && (seen.contains(hit) || hit.contains(seen))
  })
}
let asked = 0
const ask = window.fetch
window.fetch = (...request) => {
  asked++
  return ask(...request).finally(() => asked--)
}
const met = new Set()
const faults = []
let hasGoneRound = false
// Each stop is looked at before Tab goes on, when it has been scrolled to.
const look = () => {
  const element = document.activeElement
  hasGoneRound ||= met.size > 0 && (element === document.body || met.has(element))
  if (hasGoneRound || element === null || element === document.body) return
  met.add(element)
  for (const fault of [!isOutlined(element) && 'not outlined', !isInSight(element) && 'not in sight'])
    if (fault) faults.push(fault + ': ' + nameOf(element))
}
window.addEventListener('keydown', ({ key }) => key === 'Tab' && look(), true)
// Over all pages of the tab.
const used = new Set(JSON.parse(sessionStorage.getItem('used') ?? '[]'))
window.keys = {
  isWhole: () => asked === 0 && document.querySelector('h1') !== null && document.querySelector('.spinner, [aria-busy=true]') === null,
  stops: () => [...document.querySelectorAll('*')].filter(isStop),
  /** Returns whether Tab has gone round, to an element that it met before or out of the page. */
  isRound: () => hasGoneRound,
  faults: () => faults,
  /** Gives the focus to the next control of a kind that was not used yet. */
  next: () => {
    const dialog = document.querySelector('dialog[open]')
    for (const element of keys.stops()) {
      if (element.matches('a, .skip, input[type=file], section') || (dialog !== null && !dialog.contains(element))) continue
      const isPlain = element.matches('select, input:not([type=radio], [type=checkbox])')
      const list = element.closest('.aoi-list, .legend, .chooser, .item-list')
      const tools = element.closest('.figure-tools')
      // Of entries of a list, tools of figures, and of fields, which the browser itself works, one of each kind.
      const own =
        list !== null ? list.className + ' ' + element.tagName
        : tools !== null ? 'figure ' + element.textContent
        : isPlain ? element.type
        : nameOf(element)
      const kind = (dialog === null ? '' : dialog.querySelector('h2').textContent + ': ') + own.replace(/[\\d.,]+/g, '#')
      if (used.has(kind) || /Sign out|^button Print/.test(kind)) continue
      used.add(kind)
      sessionStorage.setItem('used', JSON.stringify([...used]))
      element.focus()
      return { kind, type: element.tagName === 'INPUT' ? element.type : element.tagName.toLowerCase(), hasDialog: dialog !== null }
    }
    return null
  },
  /** Returns the focused element after a control was used. */
  after: async () => {
    // Some frames, since one answer may be what the next is asked for by.
    for (let frame = 0, whole = 0; whole < 5 && frame < 200; frame++) {
      await new Promise(requestAnimationFrame)
      whole = keys.isWhole() ? whole + 1 : 0
    }
    const { activeElement } = document
    const dialog = document.querySelector('dialog[open]')
    const isWithin = dialog === null || dialog.contains(activeElement)
    const isLost = activeElement === null || activeElement === document.body || !isWithin
    return { isLost, hasDialog: dialog !== null, at: nameOf(activeElement).replace(/[\\d.,]+/g, '#') }
  },
  missed: () => keys.stops().filter((element) => !met.has(element)).map(nameOf),
  nameOf,
}
`

await walkThrough(
  {
    demos: [{ participants: 6, items: 2, seconds: 2, hz: 30, seed: 5 }],
    settings: {
      SYNC_MAX_BYTES: '0',
    },
  },
  async (opened) => {
    ;({ service, walk, page } = opened)
    study = `/studies/${service.studyIds[0]}`
    const { items } = (await (await service.get(`/api2${study}`)).json()) as { items: { id: string }[] }
    item = items[0].id
    await page.emulateMedia({ reducedMotion: 'reduce' })
    await page.addInitScript(IN_PAGE)
    await signIn(page, service.url, service.ops)
  },
)

/** Opens a page and waits until all of it has come. */
async function open(path: string): Promise<void> {
  await page.goto(service.url + path)
  await expect.poll(() => page.evaluate('keys.isWhole()')).toBe(true)
}

/** Goes round the page by Tab. @returns stops that it missed, and what is wrong with those that it met */
async function goRound(): Promise<string[]> {
  const stops = (await page.evaluate('keys.stops().length')) as number
  for (let n = 0; n < stops + 40; n++) {
    await page.keyboard.press('Tab')
    if (n > stops && (await page.evaluate('keys.isRound()'))) break
  }
  return (await page.evaluate('[...keys.faults(), ...keys.missed().map((stop) => "not reached: " + stop)]')) as string[]
}

/** Keys that each kind of control accepts; it is left unchanged if possible. */
const KEYS: Record<string, string[]> = {
  button: ['Enter'],
  summary: ['Enter'],
  checkbox: ['Space', 'Space'],
  radio: ['ArrowRight', 'ArrowLeft'],
  range: ['ArrowRight', 'ArrowLeft'],
  select: ['ArrowDown', 'ArrowUp'],
  number: ['ArrowUp', 'Tab', 'Shift+Tab'],
  text: ['x', 'Backspace'],
  search: ['x', 'Backspace'],
  svg: ['r', 'Enter', 'ArrowRight', 'Enter', 'Escape'],
}

type Next = { kind: string; type: string; hasDialog: boolean } | null
type After = { isLost: boolean; hasDialog: boolean; at: string }

/**
 * Uses every control of the page whose kind was not used before, and those of the dialogs that open.
 *
 * @returns where the focus was lost
 */
async function useAll(): Promise<string[]> {
  const lost: string[] = []
  /** Element that opened the current dialog. */
  let opener: string | null = null
  for (;;) {
    const next = (await page.evaluate('keys.next()')) as Next
    if (next === null && opener === null) return lost
    if (next === null) {
      await page.keyboard.press('Escape')
      const { at, hasDialog } = (await page.evaluate('keys.after()')) as After
      if (hasDialog || !at.includes(opener!)) lost.push(`${opener}: Escape went to ${at}`)
      opener = null
      continue
    }
    for (const key of KEYS[next.type] ?? []) await page.keyboard.press(key)
    const { isLost, hasDialog, at } = (await page.evaluate('keys.after()')) as After
    if (isLost) lost.push(`focus lost: ${next.kind}`)
    if (hasDialog && opener === null) opener = next.kind.replace(/^\w+ /, '')
    if (!hasDialog && opener !== null) {
      if (!at.includes(opener)) lost.push(`${opener}: ${next.kind} went to ${at}`)
      opener = null
    }
  }
}

const pages = (): [name: string, path: string][] => [
  ['studies', '/'],
  ['bring in', '/bring-in'],
  ['study', study],
  ['item', `${study}/items/${item}`],
  ['AOIs', `${study}/items/${item}/aois`],
  ['replay', `${study}/items/${item}/replay`],
  ['scanpaths', `${study}/items/${item}/scanpaths`],
  ['transitions', `${study}/items/${item}/transitions?view=all`],
  ['groups', `${study}/groups?item=${item}`],
  ['quality', `${study}/quality?item=${item}&loss=1`],
  ['report', `${study}/report`],
  ['export', `${study}/export`],
  ['jobs', '/jobs'],
  ['operations', '/operations'],
]

describe.skipIf(!hasChromium)('the dashboard by keys alone', () => {
  test('lets Tab reach every control in sight and outlined, keeps the focus with what is used, and gives it back when a dialog closes', async () => {
    await service.get(`/api2${study}/collected-data/eye-tracking/fixations`, { prefer: 'respond-async' })
    const found: Record<string, string[]> = {}
    for (const [name, path] of pages()) {
      await open(path)
      const all = [...(await goRound()), ...(await useAll())]
      // A tour begins each page with its card, after which Tab leaves the page.
      await page.evaluate('sessionStorage.removeItem("gazette-tour")')
      if (all.length > 0) found[name] = all
    }
    expect(found).toEqual({})
    expect(walk.complaints).toEqual([])
  }, 300_000)
})
