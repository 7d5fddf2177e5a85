import { describe, expect, test } from 'vitest'
import { axeFindings, expectNoOverflow, hasChromium, keepScreenshot, signIn } from './browser.ts'
import { walkThrough } from './dashboard-server.ts'
import { rowsOf, viewedRowsOf } from './rows.ts'

/** Groups over time and within people: numbers are those of the exports, and drawings those of the numbers. */
const DEMO = { participants: 24, items: 2, seconds: 4, hz: 60, seed: 6 }
const GROUPS = ['free', 'search']
let study: string
let itemId: string
let aois: { id: string; name: string; itemId: string }[]

const { service, walk, page } = await walkThrough({ demos: [DEMO] }, async ({ service, page }) => {
  study = service.studyIds[0]
  const answer = await service.get(`/api2/studies/${study}`)
  const { items, aois: all } = (await answer.json()) as { items: { id: string }[]; aois: typeof aois }
  itemId = items[0].id
  aois = all.filter((aoi) => aoi.itemId === itemId)
  await signIn(page, service.url, service.ops)
})

const open = (view: string) => {
  const groups = GROUPS.flatMap((name, g) => [
    [`group${g + 1}`, `external_data_condition = '${name}'`],
    [`name${g + 1}`, name],
  ])
  return page.goto(
    `${service.url}/studies/${study}/groups?${new URLSearchParams([['item', itemId], ['view', view], ...groups])}`,
  )
}

const figure = (name: string) => page.getByRole('figure', { name })

/** Opens the numbers of a figure. @returns its cells by row */
async function numbersOf(name: string): Promise<string[][]> {
  await figure(name).getByRole('button', { name: 'Numbers' }).click()
  const rows = page.getByRole('region', { name: `${name}, numbers` }).locator('tbody tr')
  await rows.first().waitFor()
  return rows.evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.textContent ?? '')))
}

const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length

describe.skipIf(!hasChromium)('looks over time of groups', () => {
  let cells: string[][]

  test('are the means over participants of the proportions in the export', async () => {
    await open('time')
    await figure('Looks over time').locator('svg.looks-over-time path.mean').first().waitFor()
    cells = await numbersOf('Looks over time')
    const rows = await rowsOf(service, study, `eye-tracking/looks-binned?itemId=${itemId}`)
    let compared = 0
    for (const [group, aoi, start, n, average] of cells) {
      const own = rows.filter(
        (row) =>
          row.external_data_condition === group &&
          row.aoi_name === aoi &&
          Number(row.bin_starts_at_ms) === Number(start.replaceAll(',', '')) &&
          Number(row.counted_count) > 0,
      )
      const people = [...new Set(own.map((row) => row.participant_id))].map((id) => {
        const tests = own.filter((row) => row.participant_id === id)
        const sum = (name: string) => tests.reduce((all, row) => all + Number(row[name]), 0)
        return sum('look_count') / sum('counted_count')
      })
      expect(Number(n)).toBe(people.length)
      if (people.length === 0) continue
      expect(Number(average)).toBeCloseTo(mean(people), 6)
      compared++
    }
    expect(compared).toBeGreaterThan(100)
  })

  test('are drawn at the places of these numbers', async () => {
    const panel = figure('Looks over time').locator('svg.looks-over-time > g[data-aoi]').first()
    // The scale of shares, from two of its numbers and their places.
    const ticks = await panel.locator('g[font-size="12"] > g').evaluateAll((all) =>
      all.flatMap((tick) => {
        const [, y] = /translate\(0,\s*([\d.]+)\)/.exec(tick.getAttribute('transform') ?? '') ?? []
        return y === undefined ? [] : [[Number(y), Number(tick.textContent)]]
      }),
    )
    const [[y0, v0], [y1, v1]] = [ticks[0], ticks[ticks.length - 1]]
    const valueAt = (y: number) => v0 + ((y - y0) / (y1 - y0)) * (v1 - v0)
    for (const [g, group] of GROUPS.entries()) {
      const own = cells.filter((row) => row[0] === group && row[1] === cells[0][1] && row[4] !== '')
      const d = (await panel.locator('path.mean').nth(g).getAttribute('d'))!
      const drawn = [...d.matchAll(/[ML]([\d.]+),([\d.]+)/g)].map(([, , y]) => valueAt(Number(y)))
      expect(drawn).toHaveLength(own.length)
      for (const [i, row] of own.entries()) expect(drawn[i]).toBeCloseTo(100 * Number(row[4]), 1)
    }
  })

  test('have the clusters of the analysis, or say that there are none', async () => {
    const names = await figure('Looks over time').locator('svg.looks-over-time > g[data-aoi]').count()
    expect(names).toBe(2)
    const query = new URLSearchParams({ itemId, design: 'between', aoiNames: `"${aois[0].name}"` })
    for (const [g, name] of GROUPS.entries()) query.set(`group${g + 1}`, `external_data_condition = '${name}'`)
    const answer = await service.get(`/api2/studies/${study}/analysis/clusters?${query}`)
    const { clusters } = (await answer.json()) as { clusters: { p: number | null }[] }
    const bars = figure('Looks over time').locator('svg.looks-over-time > g[data-aoi="1"] .cluster')
    expect(await bars.count()).toBe(clusters.length)
    await figure('Looks over time')
      .getByText(/differ in no cluster|corrected over the bins|No p was computed/)
      .first()
      .waitFor()
    expect(await axeFindings(page)).toEqual([])
    await expectNoOverflow(page, [390, 1280])
    await keepScreenshot(page, 'groups-time', { fullPage: true })
  })

  test('show the AOIs that are chosen, which the address keeps', async () => {
    await figure('Looks over time')
      .getByText(/^2 AOIs of/)
      .click()
    const chosen = figure('Looks over time').getByRole('checkbox', { name: aois[2].name })
    await chosen.check()
    await page.waitForURL(/looked=1\.2\.3/)
    await expect.poll(() => figure('Looks over time').locator('svg.looks-over-time > g[data-aoi]').count()).toBe(3)
  })
})

describe.skipIf(!hasChromium)('within people', () => {
  test('values, medians and W are those of the export', async () => {
    await open('within')
    await figure('Within people').locator('svg.within-people .median').first().waitFor({ state: 'attached' })
    const column = 'aoi_fixation_average_total_time_spent_ms'
    const rows = await viewedRowsOf(service, study, `eye-tracking/aois-all/fixations-stats?itemId=${itemId}`)
    const valuesOf = (aoi: string) => {
      const people = new Map<string, number[]>()
      for (const row of rows.filter((each) => each.aoi_id === aoi))
        people.set(row.participant_id, [...(people.get(row.participant_id) ?? []), Number(row[column])])
      return new Map([...people].map(([id, values]) => [id, mean(values)]))
    }
    const ofAois = aois.slice(0, 3).map(({ id }) => valuesOf(id))
    const shown = await page
      .getByRole('region', { name: 'Tests of each pair of areas of interest' })
      .locator('tbody tr')
      .evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.textContent ?? '')))
    expect(shown).toHaveLength(3)
    const pairs = [
      [0, 1],
      [0, 2],
      [1, 2],
    ]
    for (const [i, [one, other]] of pairs.entries()) {
      const ids = [...ofAois[one].keys()]
      const of = (a: number) => ids.map((id) => ofAois[a].get(id)!)
      expect(Number(shown[i][1])).toBe(ids.length)
      for (const [c, a] of [one, other].entries())
        expect(Number(shown[i][2 + c].replaceAll(',', ''))).toBeCloseTo(medianOf(of(a)), 2)
      expect(Number(shown[i][4].replaceAll(',', ''))).toBe(signedRanks(of(one), of(other)))
    }
    expect(await axeFindings(page)).toEqual([])
    await expectNoOverflow(page, [390, 1280])
    await keepScreenshot(page, 'groups-within', { fullPage: true })
  })

  test('groups and AOIs are compared at once: means, n and differences are those of the numbers below', async () => {
    await open('mixed')
    const name = 'Between and within people'
    await figure(name).locator('svg.between-within path.mean').first().waitFor({ state: 'attached' })
    const cells = await numbersOf(name)
    const rows = await viewedRowsOf(service, study, `eye-tracking/aois-all/fixations-stats?itemId=${itemId}`)
    const valuesOf = (group: string, aoi: number) =>
      rows
        .filter((row) => row.external_data_condition === group && row.aoi_id === aois[aoi].id)
        .map((row) => Number(row.aoi_fixation_average_total_time_spent_ms))
    for (const group of GROUPS)
      for (const aoi of [0, 1, 2]) {
        const own = cells.filter((row) => row[0] === group && row[1] === aois[aoi].name)
        const sorted = (values: number[]) => values.sort((one, other) => one - other)
        const shown = sorted(own.map((row) => Number(row[3].replaceAll(',', ''))))
        for (const [i, value] of sorted(valuesOf(group, aoi)).entries()) expect(shown[i]).toBeCloseTo(value, 2)
      }
    const table = page.getByRole('region', { name: 'Differences between groups and areas of interest' })
    const shown = await table
      .locator('tbody tr')
      .evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.textContent ?? '')))
    expect(shown.map(([effect]) => effect)).toEqual(['Group', ...Array(3).fill('AOI'), ...Array(3).fill('Group × AOI')])
    const differenceIn = (group: string) => mean(valuesOf(group, 0)) - mean(valuesOf(group, 1))
    const [interaction] = shown.filter(([effect]) => effect === 'Group × AOI')
    const numberIn = (cell: string) => Number.parseFloat(cell.replaceAll(',', '').replace('−', '-'))
    expect(numberIn(interaction[7])).toBeCloseTo(differenceIn(GROUPS[0]) - differenceIn(GROUPS[1]), 0)
    const effects = page.getByRole('region', { name: 'Mixed analysis of variance' }).locator('tbody tr')
    expect(await effects.count()).toBe(3)
    expect(await axeFindings(page)).toEqual([])
    await expectNoOverflow(page, [390, 1280])
    await keepScreenshot(page, 'groups-mixed', { fullPage: true })
  })

  test('nothing complained on the way', () => {
    expect(walk.complaints).toEqual([])
  })
})

function medianOf(values: number[]): number {
  const sorted = [...values].sort((one, other) => one - other)
  const middle = sorted.length / 2
  return sorted.length % 2 === 1 ? sorted[Math.floor(middle)] : (sorted[middle - 1] + sorted[middle]) / 2
}

/** The sum of the ranks of the positive differences; equal ones share the mean of their ranks, zeros have none. */
function signedRanks(one: number[], other: number[]): number {
  const differences = one.map((value, i) => value - other[i]).filter((each) => each !== 0)
  const rankOf = (size: number) => {
    const smaller = differences.filter((each) => Math.abs(each) < size).length
    const same = differences.filter((each) => Math.abs(each) === size).length
    return smaller + (same + 1) / 2
  }
  return differences.filter((each) => each > 0).reduce((sum, each) => sum + rankOf(each), 0)
}
