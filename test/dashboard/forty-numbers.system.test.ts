import { execFile, spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Locator } from 'playwright-core'
import { afterAll, describe, expect, test } from 'vitest'
import { csvRows } from '../engine/csv.ts'
import { canRun, PYTHON } from '../programs.ts'
import { hasChromium, signIn } from './browser.ts'
import { walkThrough } from './dashboard-server.ts'

let study: string
let item: string
let directory: string
let found: Record<string, number | null> & { aois: string[] }

const GROUPS = ['free', 'search']
const WINDOW = { fromMs: 200, toMs: 3000 }
const DECIDED = {
  title: 'As registered',
  settings: { movingMedianRangeMs: 150, gazeVelocityThreshold: 110, minFixationDurationMs: 70 },
  filter: 'participant_age > 19',
  participantQualityGradeItemMin: 2,
  ...WINDOW,
}
const hasPython = canRun(PYTHON, '-V')
const RECOMPUTE = fileURLToPath(new URL('recompute.py', import.meta.url))
const CLIENTS = fileURLToPath(new URL('../../clients', import.meta.url))
const OUT = fileURLToPath(new URL('out', import.meta.url))

/**
 * A walk through all pages with an analysis that is not the default: numbers that are read from them are those that a
 * script recomputes from the CSV exports with that analysis. The script knows nothing of pages, nor of our code.
 */
const { service, walk, page } = await walkThrough(
  { demos: [{ participants: 22, items: 2, seconds: 4, hz: 30, seed: 3 }] },
  async ({ service, page }) => {
    study = `/studies/${service.studyIds[0]}`
    const { items } = (await (await service.get(`/api2${study}`)).json()) as { items: { id: string }[] }
    item = items[0].id
    const { participants } = (await (await service.get(`/api2${study}/participants`)).json()) as {
      participants: { id: string; grades: (number | null)[] }[]
    }
    const ignored = participants.find(({ grades }) => grades.every((grade) => grade !== null && grade >= 3))!
    const put = await fetch(`${service.url}/api2${study}/analyses/registered`, {
      method: 'PUT',
      headers: { 'x-auth-token': service.write, 'content-type': 'application/json' },
      body: JSON.stringify({ ...DECIDED, ignored: [{ participantId: ignored.id, reason: 'asleep' }] }),
    })
    expect(put.status).toBe(201)
    directory = await mkdtemp(join(tmpdir(), 'gazette-forty-'))
    if (!hasPython) return
    for (const [name, path] of [
      ['quality-stats', 'eye-tracking/quality-stats?analysis=registered'],
      ['all-quality-stats', 'eye-tracking/quality-stats'],
      ['fixations', 'eye-tracking/fixations?analysis=registered'],
      ['aoi-fixations-stats', 'eye-tracking/aois-all/fixations-stats?analysis=registered'],
      ['aoi-overall-stats', 'eye-tracking/aois-all/overall-stats?analysis=registered'],
      ['aoi-visits', 'eye-tracking/aois-all/visits?analysis=registered'],
    ]) {
      const answer = await service.get(`/api2${study}/collected-data/${path}`)
      expect([name, answer.status, answer.headers.get('content-type')]).toEqual([
        name,
        200,
        'text/csv; charset=utf-8; header=present',
      ])
      await writeFile(join(directory, `${name}.csv`), await answer.text())
    }
    const input = JSON.stringify({ directory, item, groups: GROUPS, ...WINDOW })
    const { stdout, stderr, status } = spawnSync(PYTHON, [RECOMPUTE], { input, encoding: 'utf8' })
    expect([status, stderr]).toEqual([0, ''])
    found = JSON.parse(stdout)
    await signIn(page, service.url, service.write)
  },
)
afterAll(async () => {
  if (directory) await rm(directory, { recursive: true, force: true })
})

/** A number as pages print it. */
const printed = (digits: Intl.NumberFormatOptions) => (value: number | null) =>
  value === null ? '–' : new Intl.NumberFormat('en', digits).format(value)
const decimal = printed({ maximumFractionDigits: 1 })
const count = printed({ maximumFractionDigits: 0 })
/** A number beside its bar: one below 1 is not told as 0. */
const besideBar = (value: number | null) =>
  (value !== null && value !== 0 && Math.abs(value) < 1 ? printed({ maximumSignificantDigits: 3 }) : decimal)(value)
const three = printed({ maximumFractionDigits: 3 })
const pText = (p: number | null) => (p === null ? '–' : p.toFixed(p < 0.01 ? 4 : 3))

type Compared = { page: string; label: string; shown: string; recomputed: string }
const compared: Compared[] = []

function compare(
  pageName: string,
  label: string,
  shown: string,
  name: string,
  print: (value: number | null) => string,
) {
  expect(found, name).toHaveProperty([name])
  compared.push({ page: pageName, label, shown: shown.trim(), recomputed: print(found[name]) })
}

async function open(path: string): Promise<void> {
  await page.goto(`${service.url}${study}${path}${path.includes('?') ? '&' : '?'}analysis=registered`)
  await page
    .getByRole('region', { name: 'Analysis' })
    .getByText(/1 participant ignored/)
    .waitFor()
  await page.waitForLoadState('networkidle')
  await expect.poll(() => page.getByText(/^Loading/).count()).toBe(0)
}

/** The cells of the rows of a table, by the label of its region. */
async function rowsOf(label: string | RegExp): Promise<string[][]> {
  const table = page.getByRole('region', { name: label })
  await table.first().waitFor()
  const rows = await table.first().locator('tbody tr').all()
  return Promise.all(rows.map((row) => row.locator('th, td').allInnerTexts()))
}

const lineOf = async (where: Locator, pattern: RegExp) => {
  const text = (await where.innerText()).replaceAll('\n', ' ')
  expect(text).toMatch(pattern)
  return pattern.exec(text)!.slice(1)
}

describe.skipIf(!hasChromium || !hasPython)('with an analysis that is not the default', () => {
  test('every number that is read from the pages is that of the CSV', async () => {
    await open('')
    const [tests] = await lineOf(page.locator('#people ~ .kept, .kept').first(), /of ([\d,]+) tests? kept/)
    compare('study', 'tests of the study', tests, 'tests without conditions', count)

    await open(`/items/${item}?figure=all`)
    const fact = (label: string) => page.locator('.summary div', { hasText: label }).locator('dd').first().innerText()
    compare('item', 'Fixations', await fact('Fixations'), 'fixations', count)
    compare(
      'item',
      'Mean fixation duration, ms',
      await fact('Mean fixation duration'),
      'mean fixation duration',
      decimal,
    )
    compare('item', 'Total fixation time, s', await fact('Total fixation time'), 'total fixation time, s', decimal)
    compare('item', 'Saccades', await fact('Saccades'), 'saccades', count)
    compare('item', 'Mean saccade amplitude, %', await fact('Mean saccade'), 'mean saccade amplitude', decimal)
    const kept = await lineOf(page.locator('.who-panel .kept'), /^([\d,]+) of [\d,]+ tests? kept/)
    compare('item', 'tests kept', kept[0], 'kept tests of the item', count)
    const bars = page.locator('figure', { has: page.getByRole('heading', { name: 'Areas of interest' }) })
    const texts = await bars.locator('svg text').allTextContents()
    const n = found.aois.length
    for (const [title, name] of [
      ['First fixation', 'ttff'],
      ['Dwell time', 'dwell'],
      ['Hit ratio', 'ratio'],
      ['Revisits', 'revisits'],
    ]) {
      const at = texts.indexOf(title)
      expect([title, at >= 0]).toEqual([title, true])
      for (const a of [1, 4, n - 1])
        compare('item', `${title} of ${found.aois[a]}`, texts[at + 2 + a], `${name} ${a}`, besideBar)
    }

    await open(`/items/${item}/transitions?view=all`)
    const visits = await rowsOf('Visits of each area of interest')
    const looks = await rowsOf('Time to first fixation of each area of interest')
    for (const a of [1, 4]) {
      const [, ofTests, all, perTest, dwell, duration] = visits[a]
      compare('transitions', `Tests with a visit of ${found.aois[a]}`, ofTests, `tests with a visit ${a}`, count)
      compare('transitions', `Visits of ${found.aois[a]}`, all, `visits ${a}`, count)
      compare('transitions', `Visits per test of ${found.aois[a]}`, perTest, `visits per test ${a}`, decimal)
      compare('transitions', `Dwell time of a visit of ${found.aois[a]}`, dwell, `visit dwell ${a}`, decimal)
      compare('transitions', `Duration of a visit of ${found.aois[a]}`, duration, `visit duration ${a}`, decimal)
      compare('transitions', `Participants of ${found.aois[a]}`, looks[a][1], `first looks ${a}`, count)
      compare('transitions', `Looked at ${found.aois[a]}`, looks[a][2], `looked ${a}`, count)
    }

    await open(`/items/${item}/replay`)
    const fold = page.getByRole('button', { name: 'Show participant and settings' })
    if (await fold.isVisible()) await fold.click()
    const played = await lineOf(page.locator('.played legend'), /of ([\d,]+)/)
    compare('replay', 'tests played', played[0], 'kept tests of the item', count)

    await open(
      `/groups?${GROUPS.map((name, g) => `group${g + 1}=${encodeURIComponent(`external_data_condition = '${name}'`)}&name${g + 1}=${name}`).join('&')}`,
    )
    const groups = await rowsOf('Tests of the groups in each area of interest')
    for (const a of [1, 4]) {
      const [, , n1, n2, median1, median2, u, p] = groups[a]
      const name = found.aois[a]
      for (const g of [0, 1]) {
        compare('groups', `n of ${GROUPS[g]}, ${name}`, [n1, n2][g], `group n${g + 1} ${a}`, count)
        compare('groups', `median of ${GROUPS[g]}, ${name}`, [median1, median2][g], `group median${g + 1} ${a}`, three)
      }
      compare('groups', `U, ${name}`, u, `U ${a}`, three)
      compare('groups', `p, ${name}`, p, `p ${a}`, pText)
    }

    await open('/quality')
    const strips = await page.locator('figure').first().locator('svg text').allTextContents()
    const lossStrip = strips.find((text) => text.startsWith('Samples without gaze'))!
    const [median, nLoss] = /median ([\d.,]+) %, n = ([\d,]+)/.exec(lossStrip)!.slice(1)
    compare('quality', 'Samples without gaze, median', median, 'median data_loss_percents', decimal)
    compare('quality', 'Samples without gaze, n', nLoss, 'n data_loss_percents', count)
    const people = page.getByRole('region', { name: 'Participants and their quality' }).locator('tbody tr')
    for (const row of [0, 2]) {
      const href = await people.nth(row).locator('th a').getAttribute('href')
      const id = new URL(href!, service.url).searchParams.get('participant')
      const [name, , loss, rate, precision, , grade] = await people.nth(row).locator('th, td').allInnerTexts()
      compare('quality', `Quality grade of ${name}`, grade, `participant_quality_grade_item ${id}`, decimal)
      compare('quality', `Samples without gaze of ${name}`, loss, `data_loss_percents ${id}`, decimal)
      compare('quality', `Samples with gaze per second of ${name}`, rate, `sampling_rate_hz ${id}`, decimal)
      compare('quality', `Precision of ${name}`, precision, `precision_window_rms_s2s_percents ${id}`, decimal)
    }

    await open(`/report?item=${item}`)
    await page.locator('.report[aria-busy=false]').waitFor()
    const facts = await lineOf(
      page.locator('.report-item p').first(),
      /^([\d,]+) of [\d,]+ tests, of ([\d,]+) participants: ([\d,]+) fixations, ([\d.,]+) ms on average; ([\d,]+) saccades/,
    )
    compare('report', 'tests with gaze', facts[0], 'viewed tests of the item', count)
    compare('report', 'participants with gaze', facts[1], 'viewers of the item', count)
    compare('report', 'fixations', facts[2], 'fixations', count)
    compare('report', 'mean fixation duration', facts[3], 'mean fixation duration', decimal)
    compare('report', 'saccades', facts[4], 'saccades', count)
    const ofAois = await rowsOf(/^Areas of interest of .* in numbers$/)
    compare('report', `First fixation of ${found.aois[4]}`, ofAois[4][1], 'ttff 4', decimal)
    compare('report', `Dwell time of ${found.aois[4]}`, ofAois[4][2], 'dwell 4', decimal)
    await open('/report')
    await page.locator('.report[aria-busy=false]').waitFor()
    const measures = await rowsOf('Quality of the remaining tests')
    for (const [m, column] of [
      [0, 'data_loss_percents'],
      [1, 'sampling_rate_hz'],
    ] as const)
      for (const [c, name] of ['n', 'min', 'q1', 'median', 'q3', 'max'].entries())
        compare(
          'report',
          `${measures[m][0]}, ${name}`,
          measures[m][c + 1],
          `${name} ${column}`,
          c === 0 ? count : decimal,
        )
    const exclusions = await rowsOf('Exclusions, in order')
    compare('report', 'tests after all exclusions', exclusions.at(-1)![1], 'kept tests', count)
    compare('report', 'participants after all exclusions', exclusions.at(-1)![2], 'kept participants', count)

    await open('/export?export=quality-stats')
    const given = await lineOf(page.locator('.kept'), /^([\d,]+) of [\d,]+ tests? kept, of ([\d,]+) participants?$/)
    compare('export', 'tests kept', given[0], 'kept tests', count)
    compare('export', 'participants kept', given[1], 'kept participants', count)

    await open(`/items/${item}/aois`)
    await page.locator('.aoi-list bdi').nth(4).click()
    const drawn = page.locator('.drawn-numbers[data-is-fresh="true"]')
    await drawn.waitFor()
    const cell = (column: string) => drawn.locator(`tr[data-column="${column}"] td`).first().innerText()
    compare(
      'AOI editor',
      `First fixation of ${found.aois[4]}`,
      await cell('aoi_fixation_average_ttff_ms'),
      'ttff 4',
      decimal,
    )
    const ratio = await cell('aoi_fixation_participant_ratio_percents')
    compare('AOI editor', `Hit ratio of ${found.aois[4]}`, ratio, 'ratio 4', decimal)

    await mkdir(OUT, { recursive: true })
    const lines = compared.map(({ page: of, label, shown, recomputed }) => [of, label, shown, recomputed].join(' | '))
    await writeFile(join(OUT, 'forty-numbers.txt'), `page | label | shown | recomputed\n${lines.join('\n')}\n`)
    expect(compared.length).toBeGreaterThanOrEqual(40)
    expect(new Set(compared.map(({ page: of }) => of)).size).toBe(9)
    for (const { page: of, label, shown, recomputed } of compared)
      expect([of, label, shown]).toEqual([of, label, recomputed])
    expect(walk.complaints).toEqual([])
  })

  test('the same p is on the page, over HTTP, in Python, in R, and of R itself', async (context) => {
    const conditions = GROUPS.map((name) => `external_data_condition = '${name}'`)
    await open(
      `/groups?${conditions.map((condition, g) => `group${g + 1}=${encodeURIComponent(condition)}`).join('&')}`,
    )
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save these tests (CSV)' }).click(),
    ])
    const expected = (await csvRows(await readFile(await download.path(), 'utf8'))).map(({ p }) => p)
    expect(expected.length).toBe(found.aois.length)

    const query = { itemId: item, group1: conditions[0], group2: conditions[1], analysis: 'registered' }
    const answer = await service.get(`/api2${study}/analysis/comparisons?${new URLSearchParams(query)}`)
    const { comparisons, values } = (await answer.json()) as {
      comparisons: { test: { p: number } }[]
      values: { values: number[] }[][]
    }
    expect(comparisons.map(({ test: { p } }) => String(p))).toEqual(expected)

    const run = promisify(execFile)
    const env = { ...process.env, GAZETTE_URL: service.url, GAZETTE_TOKEN: service.read, LC_ALL: 'C.UTF-8' }
    const given = Object.entries(query).map(([name, value]) => `${name}="${value}"`)
    const python = `from gazette_client import Gazette
answer = Gazette().analyse("comparisons", "${service.studyIds[0]}", ${given.join(', ')})
print("\\n".join(repr(each["test"]["p"]) for each in answer["comparisons"]))`
    const { stdout } = await run(PYTHON, ['-c', python], { env: { ...env, PYTHONPATH: join(CLIENTS, 'python') } })
    expect(stdout.trim().split('\n').map(Number).map(String)).toEqual(expected)

    if (!canRun('Rscript', '-e', 'library(curl); library(jsonlite); library(openssl)'))
      context.skip('skipped: R with curl, jsonlite and openssl is not installed here')
    const sources = (await readdir(join(CLIENTS, 'r/R'))).map((name) => `source("${join(CLIENTS, 'r/R', name)}")`)
    const vectors = values.map((groups) => groups.map((group) => `c(${group.values.join(', ')})`))
    const r = `${sources.join('\n')}
table <- gz_analyse("comparisons", "${service.studyIds[0]}", ${given.join(', ')})
cat(paste0(format(table$p, digits = 17), "\\n"), sep = "")
cat("own\\n")
${vectors.map(([a, b]) => `cat(format(suppressWarnings(wilcox.test(${a}, ${b}))$p.value, digits = 17), "\\n")`).join('\n')}`
    const [ofClient, ofR] = (await run('Rscript', ['-e', r], { env })).stdout.split('own\n')
    expect(ofClient.trim().split('\n').map(Number).map(String)).toEqual(expected)
    const own = ofR.trim().split('\n').map(Number)
    // R's own is NaN where all values are equal; ours is 1.
    for (const [i, p] of own.entries()) expect(Number.isNaN(p) ? 1 : p).toBeCloseTo(Number(expected[i]), 12)
  })
})
