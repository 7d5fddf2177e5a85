import type { Locator } from 'playwright-core'
import { countControls, dropFiles, keepPicture, type Walk } from './browser.ts'

/**
 * Counts the actions of a user on a walk. A click is a press, a choice from a list, a typed text, a drag, or dropped
 * files. A decision is a place at which the user has to know something; a picture of it is saved, and the controls of
 * the page are counted. The counts of a walk are printed as a row of the table in dashboard/README.md.
 */
export type Film = {
  click: (what: Locator) => Promise<void>
  choose: (what: Locator, value: string | { label: string }) => Promise<void>
  type: (what: Locator, text: string) => Promise<void>
  drag: (on: Locator, ...places: [x: number, y: number][]) => Promise<void>
  drop: (...paths: string[]) => Promise<void>
  decide: (what: string) => Promise<void>
  counted: () => { clicks: number; decisions: number; controlsAtMost: number }
}

/** Begins a film, whose pictures are called by its name. */
export function film(walk: Walk, name: string): Film {
  const { page } = walk
  let clicks = 0
  let decisions = 0
  const controls: number[] = []
  return {
    click: async (what) => {
      clicks++
      await what.click()
    },
    choose: async (what, value) => {
      clicks++
      await what.selectOption(value)
    },
    type: async (what, text) => {
      clicks++
      await what.fill(text)
    },
    /** @param places in shares of what is dragged on */
    drag: async (on, ...places) => {
      clicks++
      await on.scrollIntoViewIfNeeded()
      const { x, y, width, height } = (await on.boundingBox())!
      const [from, ...rest] = places.map(([left, top]) => [x + left * width, y + top * height])
      await page.mouse.move(from[0], from[1])
      await page.mouse.down()
      for (const [toX, toY] of rest) await page.mouse.move(toX, toY, { steps: 6 })
      await page.mouse.up()
    },
    drop: async (...paths) => {
      clicks++
      await dropFiles(walk, ...paths)
    },
    decide: async (what) => {
      decisions++
      controls.push(await countControls(page))
      await keepPicture(page, `${name}-${decisions}-${what}`, { fullPage: true })
    },
    counted: () => {
      const controlsAtMost = Math.max(...controls)
      console.log(`| ${name} | ${clicks} | ${decisions} | ${controlsAtMost} | (${controls.join(', ')})`)
      return { clicks, decisions, controlsAtMost }
    },
  }
}
