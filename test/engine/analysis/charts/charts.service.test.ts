import { expect, test } from 'vitest'
import { openDashboardServer } from '../../../dashboard/dashboard-server.ts'
import { rowsOf, viewedRowsOf } from '../../../dashboard/rows.ts'
import { kept } from '../../kept.ts'

const service = kept(await openDashboardServer([{ participants: 12, items: 3, seconds: 4, hz: 30, seed: 3 }]))
const studyPath = `/api2/studies/${service.studyIds[0]}`
const study = (await (await service.get(studyPath)).json()) as {
  items: { id: string; widthPx: number; heightPx: number }[]
  aois: { id: string; itemId: string }[]
}

const csv = (path: string) => rowsOf(service, service.studyIds[0], path)
const viewed = (path: string) => viewedRowsOf(service, service.studyIds[0], path)

async function json<T>(path: string): Promise<T> {
  const response = await service.get(studyPath + path)
  expect(response.status).toBe(200)
  return (await response.json()) as T
}

const SETTINGS = 'movingMedianRangeMs=120&gazeVelocityThreshold=90&participantQualityGradeItemMin=3'

test('the fixations of a chart are those of the CSV, with their AOIs', async () => {
  type Data = { notes: string; tests: { participantId: string; fixations: (number | null)[][] }[] }
  for (const item of study.items) {
    const query = `itemId=${item.id}&${SETTINGS}`
    const chart = await json<Data>(`/charts/fixations?${query}`)
    const rows = await csv(`eye-tracking/fixations?${query}`)
    const drawn = chart.tests.flatMap(({ participantId, fixations }) =>
      fixations.map(([x, y, start, end, length, amplitude, saccade], i) => [
        participantId,
        ...[x, y, start, end, length, amplitude, saccade, i + 1].map((value) => (value === null ? '' : String(value))),
      ]),
    )
    expect(drawn.length).toBeGreaterThan(0)
    expect(drawn).toEqual(
      rows.map((row) => [
        row.participant_id,
        row.fixation_point_x,
        row.fixation_point_y,
        row.fixation_starts_at_ms,
        row.fixation_ends_at_ms,
        row.saccade_length_px,
        row.saccade_amplitude_percent,
        row.saccade_duration_ms,
        row.fixation_index,
      ]),
    )
    expect(chart.notes).toBe(rows[0].notes)
    const order = await viewed(`eye-tracking/aois-all/fixations-order?${query}`)
    const names = study.aois.filter(({ itemId }) => itemId === item.id).map((aoi) => (aoi as { name?: string }).name)
    const inAois = chart.tests.map(({ fixations }) => fixations.flatMap((row) => row.slice(7).map((a) => names[a!])))
    expect(inAois).toEqual(order.map((row) => JSON.parse(row.aoi_fixations_order)))
  }
})

test('the fixations of one participant are theirs alone', async () => {
  type Data = { kept: unknown; tests: { participantId: string; fixations: unknown[] }[] }
  const all = await json<Data>(`/charts/fixations?itemId=${study.items[1].id}`)
  for (const { participantId, fixations } of all.tests) {
    const one = await json<Data>(`/charts/fixations?itemId=${study.items[1].id}&participantId=${participantId}`)
    expect(one.tests.map((each) => each.fixations)).toEqual([fixations])
    expect(one.kept).toEqual({ tests: 1, testsTotal: 1, participants: 1, participantsTotal: 1 })
  }
})

type Heatmap = { columns: number; rows: number; weights: number[]; total: number; outside: number; count: number }

function binned({ columns, rows }: Heatmap, points: { x: number; y: number; weight: number }[]) {
  const weights = new Array(columns * rows).fill(0)
  let outside = 0
  for (const { x, y, weight } of points) {
    const column = Math.floor((Math.round(x * 1e6) * columns) / 100e6)
    const row = Math.floor((Math.round(y * 1e6) * rows) / 100e6)
    if (column < 0 || row < 0 || column >= columns || row >= rows) outside += weight
    else weights[row * columns + column] += weight
  }
  return { weights, outside }
}

test('a heatmap of gaze points can be counted again from the CSV', async () => {
  for (const item of study.items) {
    const query = `itemId=${item.id}&movingMedianRangeMs=120&participantQualityGradeItemMin=2`
    const heatmap = await json<Heatmap>(`/charts/heatmap?${query}`)
    const rows = await csv(`eye-tracking/gazes/raw-denoises-normalized-split?${query}`)
    const points = rows
      .filter((row) => row.gaze_is_interpolated === 'false')
      .map((row) => ({ x: Number(row.gaze_x_percents), y: Number(row.gaze_y_percents), weight: 1 }))
    const { weights, outside } = binned(heatmap, points)
    expect(heatmap.weights).toEqual(weights)
    expect([heatmap.outside, heatmap.count]).toEqual([outside, points.length])
    expect(heatmap.total).toBe(points.length - outside)
  }
})

test('a heatmap of fixation time sums the durations of the CSV', async () => {
  const query = `itemId=${study.items[0].id}&${SETTINGS}`
  const heatmap = await json<Heatmap>(`/charts/heatmap?${query}&of=fixations`)
  const rows = await csv(`eye-tracking/fixations?${query}`)
  const points = rows.map((row) => ({
    x: Number(row.fixation_point_x),
    y: Number(row.fixation_point_y),
    weight: Number(row.fixation_duration_ms),
  }))
  expect(heatmap.weights).toEqual(binned(heatmap, points).weights)
})

test('a heatmap of shares lets every participant weigh the same, however long they were recorded', async () => {
  const query = `itemId=${study.items[1].id}&participantQualityGradeItemMin=2`
  for (const of of ['gazes', 'fixations'] as const) {
    type Shares = Heatmap & { participants: number; unit: string }
    const heatmap = await json<Shares>(`/charts/heatmap?${query}&of=${of}&weighting=participants`)
    const path = of === 'gazes' ? 'eye-tracking/gazes/raw-denoises-normalized-split' : 'eye-tracking/fixations'
    const rows = (await csv(`${path}?${query}`)).filter((row) => row.gaze_is_interpolated !== 'true')
    const weightOf = (row: Record<string, string>) => (of === 'gazes' ? 1 : Number(row.fixation_duration_ms))
    const totals = new Map<string, number>()
    for (const row of rows) totals.set(row.participant_id, (totals.get(row.participant_id) ?? 0) + weightOf(row))
    const points = rows.map((row) => ({
      x: Number(of === 'gazes' ? row.gaze_x_percents : row.fixation_point_x),
      y: Number(of === 'gazes' ? row.gaze_y_percents : row.fixation_point_y),
      weight: (100 * weightOf(row)) / totals.get(row.participant_id)! / totals.size,
    }))
    const { weights, outside } = binned(heatmap, points)
    expect(heatmap.participants).toBe(totals.size)
    for (const [i, weight] of weights.entries()) expect(heatmap.weights[i]).toBeCloseTo(weight, 5)
    expect(heatmap.outside).toBeCloseTo(outside, 5)
    expect(heatmap.total + heatmap.outside).toBeCloseTo(100, 5)
  }
})

test('a heatmap has as many cells over a tall item as over a wide one, and they are nearly square', async () => {
  for (const { id } of study.items) {
    const { columns, rows, widthPx, heightPx } = await json<Heatmap & { widthPx: number; heightPx: number }>(
      `/charts/heatmap?itemId=${id}`,
    )
    expect(Math.abs(columns * rows - 160 ** 2)).toBeLessThan(400)
    expect(widthPx / columns / (heightPx / rows)).toBeCloseTo(1, 1)
  }
})

test('the sums and means beside a picture are those of the printed cells of the CSV', async () => {
  type Data = {
    sums: { durationMs: number; saccadeCount: number; amplitudePercent: number }
    means: { durationMs: number; amplitudePercent: number }
  }
  const query = `itemId=${study.items[0].id}&${SETTINGS}`
  const { sums, means } = await json<Data>(`/charts/fixations?${query}`)
  const rows = await csv(`eye-tracking/fixations?${query}`)
  const sum = (name: string) => rows.reduce((total, row) => total + Math.round(Number(row[name]) * 1e6), 0) / 1e6
  expect(sums).toEqual({
    durationMs: sum('fixation_duration_ms'),
    saccadeCount: rows.filter((row) => row.saccade_amplitude_percent !== '').length,
    amplitudePercent: sum('saccade_amplitude_percent'),
  })
  expect(means).toEqual({
    durationMs: sum('fixation_duration_ms') / rows.length,
    amplitudePercent: sum('saccade_amplitude_percent') / sums.saccadeCount,
  })
})

test('the numbers of AOI bars are the cells of the AOI exports', async () => {
  type Data = { columns: string[]; rows: string[][] }
  for (const item of study.items) {
    const query = `itemId=${item.id}&${SETTINGS}`
    const all = await json<Data>(`/charts/aois?${query}`)
    const overall = await csv(`eye-tracking/aois-all/overall-stats?${query}`)
    expect(all.rows.map((row) => Object.fromEntries(row.map((cell, c) => [all.columns[c], cell])))).toEqual(overall)
    const stats = await viewed(`eye-tracking/aois-all/fixations-stats?${query}`)
    const participantId = stats[0].participant_id
    const one = await json<Data>(`/charts/aois?${query}&participantId=${participantId}`)
    const own = stats.filter((row) => row.participant_id === participantId).map((row) => ({ ...row, notes: '' }))
    const seen = one.rows.map((row) => Object.fromEntries(row.map((cell, c) => [one.columns[c], cell])))
    expect(seen.map((row) => ({ ...row, notes: '' }))).toEqual(own)
  }
})

test('gaze over time means participants, each weighing the same, and spreads by their sample standard deviation', async () => {
  type Bin = { fromMs: number; n: number; participants: number; meanX: number | null; sdY: number | null }
  const query = `itemId=${study.items[0].id}&movingMedianRangeMs=300`
  const { binMs, bins, pointCount } = await json<{ binMs: number; bins: Bin[]; pointCount: number }>(
    `/charts/gaze?${query}`,
  )
  const rows = (await csv(`eye-tracking/gazes/raw-denoises-normalized-split?${query}`)).filter(
    (row) => row.gaze_is_interpolated === 'false',
  )
  expect(pointCount).toBe(rows.length)
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  for (const { fromMs, n, participants, meanX, sdY } of bins) {
    const own = rows.filter((row) => Math.floor(Number(row.gaze_timestamp_ms) / binMs) * binMs === fromMs)
    expect(n).toBe(own.length)
    const people = [...new Set(own.map((row) => row.participant_id))]
    expect(participants).toBe(people.length)
    const meansOf = (name: string) =>
      people.map((id) => mean(own.filter((row) => row.participant_id === id).map((row) => Number(row[name]))))
    if (people.length === 0) expect(meanX).toBeNull()
    else expect(meanX).toBeCloseTo(mean(meansOf('gaze_x_percents')), 5)
    const ys = meansOf('gaze_y_percents')
    const squares = ys.reduce((sum, y) => sum + (y - mean(ys)) ** 2, 0)
    if (people.length < 2) expect(sdY).toBeNull()
    else expect(sdY).toBeCloseTo(Math.sqrt(squares / (people.length - 1)), 5)
  }
})

test('the first rows of every export are those of its file', async () => {
  const { exports } = (await (await service.get('/api2/exports')).json()) as {
    exports: { name: string; path: string; variant: string | null }[]
  }
  for (const { name, path, variant } of exports) {
    const preview = await json<{ columns: string[]; rows: string[][]; notes: string; isSmall: boolean }>(
      `/previews/${name}?participantQualityGradeItemMin=2`,
    )
    const query = `participantQualityGradeItemMin=2${variant === null ? '' : `&variant=${variant}`}`
    const rows = await csv(`${path.split('/collected-data/')[1]}?${query}`)
    expect(preview.isSmall).toBe(true)
    const cut = (cell: string) => (cell.length > 240 ? `${cell.slice(0, 240)}…` : cell)
    expect(preview.rows).toEqual(rows.slice(0, 10).map((row) => preview.columns.map((column) => cut(row[column]))))
    // One export has the notes of the test in the same column; one without rows has no notes.
    if (name !== 'keyboard-mouse-overall' && rows.length > 0) expect(preview.notes).toBe(rows[0].notes)
  }
})

test('the largest size of a file depends on its format', async () => {
  const estimated = async (query: string) =>
    (await json<{ estimate: { bytes: number } }>(`/previews/fixations${query}`)).estimate.bytes
  const ofCsv = await estimated('')
  expect(await estimated('?format=csv')).toBe(ofCsv)
  expect(await estimated('?format=ndjson')).toBe(5 * ofCsv)
})

type Tracks = { tMs: number[]; x: (number | null)[]; y: (number | null)[] }
type Recorded = {
  testId: string
  gaze: Tracks
  segmentStarts: number[]
  mouse: Tracks
  clicks: number[]
  scroll: [number, number][]
}

test('a recording is the gaze, the mouse, the clicks and the scrolling of the CSV', async () => {
  const query = `itemId=${study.items[1].id}&movingMedianRangeMs=120`
  const { tests } = await json<{ tests: Recorded[] }>(`/charts/recording?${query}`)
  const gaze = (await csv(`eye-tracking/gazes/raw-denoises-normalized-split?${query}`)).filter(
    (row) => row.gaze_is_interpolated === 'false',
  )
  const mouse = await csv(`eye-tracking/gazes/raw?variant=mouse&${query}`)
  expect(tests.map(({ testId }) => testId)).toEqual([...new Set(mouse.map((row) => row.test_id))])
  for (const recorded of tests) {
    const own = gaze.filter((row) => row.test_id === recorded.testId)
    expect(recorded.gaze).toEqual({
      tMs: own.map((row) => Number(row.gaze_timestamp_ms)),
      x: own.map((row) => Number(row.gaze_x_percents)),
      y: own.map((row) => Number(row.gaze_y_percents)),
    })
    for (const start of recorded.segmentStarts.slice(1))
      expect(recorded.gaze.tMs[start] - recorded.gaze.tMs[start - 1]).toBeGreaterThan(50)
    // The last that was told before a sample is what the sample has.
    let [m, s] = [-1, -1]
    for (const row of mouse.filter(({ test_id }) => test_id === recorded.testId)) {
      const t = Number(row.mouse_timestamp_ms)
      while (m + 1 < recorded.mouse.tMs.length && recorded.mouse.tMs[m + 1] <= t) m++
      while (s + 1 < recorded.scroll.length && recorded.scroll[s + 1][0] <= t) s++
      const at = m < 0 ? null : recorded.mouse.x[m]
      expect(at === null ? '' : String(at)).toBe(row.mouse_x_percents)
      expect(s < 0 ? 0 : recorded.scroll[s][1]).toBe(Number(row.scroll_y_px))
    }
    const clicked = mouse.filter((row) => row.test_id === recorded.testId && row.is_click === 'true')
    expect(recorded.clicks.map((i) => recorded.mouse.tMs[i])).toEqual(
      clicked.map((row) => Number(row.mouse_timestamp_ms)),
    )
  }
})

test('a chart is refused like an export is, with all faults at once', async () => {
  const response = await service.get(`${studyPath}/charts/heatmap?gazeVelocityThreshold=500&participantId=x&of=mice`)
  expect(response.status).toBe(400)
  const { errors } = (await response.json()) as { errors: { parameter: string }[] }
  expect(errors.map(({ parameter }) => parameter)).toEqual(['gazeVelocityThreshold', 'itemId', 'participantId', 'of'])
  expect((await service.get(`${studyPath}/charts/fixations?itemId=${study.items[0].id}&of=gazes`)).status).toBe(400)
  expect((await service.get(`${studyPath}/previews/nothing`)).status).toBe(404)
  const unknown = await service.get(`${studyPath}/previews/fixations?format=xls`)
  expect(((await unknown.json()) as { errors: unknown }).errors).toMatchObject([{ parameter: 'format', value: 'xls' }])
})

test('a chart that has not changed is not sent again', async () => {
  const path = `${studyPath}/charts/fixations?itemId=${study.items[0].id}`
  const tag = (await service.get(path)).headers.get('etag') ?? ''
  expect((await service.get(path, { 'if-none-match': tag })).status).toBe(304)
  const other = await service.get(`${path}&gazeVelocityThreshold=151`, { 'if-none-match': tag })
  expect(other.status).toBe(200)
})

test('the grades of participants tell how many each filter keeps', async () => {
  type Data = {
    total: number
    keptTests: number[]
    keptParticipants: number[]
    participants: { id: string; grades: (number | null)[] }[]
    nextCursor: string | null
  }
  const all = await json<Data>('/participants')
  expect(all.participants.length).toBe(all.total)
  const grades = all.participants.flatMap((each) => each.grades.filter((grade) => grade !== null))
  for (const least of [1, 2, 3, 4, 5, 6]) {
    expect(all.keptTests[least - 1]).toBe(grades.filter((grade) => grade >= least).length)
    const kept = all.participants.filter((each) => each.grades.some((grade) => grade !== null && grade >= least))
    expect(all.keptParticipants[least - 1]).toBe(kept.length)
  }
  const first = await json<Data>('/participants?limit=5')
  const second = await json<Data>(`/participants?limit=100&cursor=${first.nextCursor}`)
  expect([...first.participants, ...second.participants]).toEqual(all.participants)
  expect(second.nextCursor).toBeNull()
})

test('the losses of participants are those of quality-stats, test by test, with their median', async () => {
  type Loss = { medianPercents: number | null; ofItems: (number | null)[] }
  const { participants, itemIds } = await json<{ participants: { id: string; loss: Loss }[]; itemIds: string[] }>(
    '/participants?losses=true',
  )
  const rows = await csv('eye-tracking/quality-stats')
  expect(rows.length).toBeGreaterThan(0)
  for (const { id, loss } of participants) {
    const own = rows.filter((row) => row.participant_id === id)
    const ofItems = itemIds.map((item) => {
      const text = own.find((row) => row.item_id === item)?.data_loss_percents ?? ''
      return text === '' ? null : Number(text)
    })
    expect(loss.ofItems).toEqual(ofItems)
    const known = ofItems.filter((percents) => percents !== null).sort((a, b) => a - b)
    const [below, above] = [known[Math.floor((known.length - 1) / 2)], known[Math.ceil((known.length - 1) / 2)]]
    expect(loss.medianPercents).toBeCloseTo((below + above) / 2, 5)
  }
  // Samples have been read for it by now.
  expect((await json<{ participants: unknown[] }>('/participants?losses=known')).participants).toEqual(participants)
})

test('participants are those with a test that a filter keeps, page by page, and a filter is refused like an export', async () => {
  type Data = { total: number; participants: { id: string }[]; nextCursor: string | null }
  const query = 'filter=participant_age+%3E+30&participantQualityGradeItemMin=2'
  const rows = await csv(`keyboard-and-mouse/overall-per-participant?${query}`)
  const kept = [...new Set(rows.map((row) => row.participant_id))].sort()
  const first = await json<Data>(`/participants?${query}&limit=2`)
  expect(first.total).toBe(kept.length)
  expect(first.participants.length).toBe(2)
  const rest = await json<Data>(`/participants?${query}&cursor=${first.nextCursor}`)
  expect([...first.participants, ...rest.participants].map(({ id }) => id).sort()).toEqual(kept)
  expect(rest.nextCursor).toBeNull()
  const none = await json<Data>('/participants?filter=NOT+TRUE')
  expect(none).toMatchObject({ total: 0, participants: [], nextCursor: null })
  const refused = await service.get(`${studyPath}/participants?filter=participant_ag+%3E+30&binMs=100`)
  const { errors } = (await refused.json()) as { errors: { parameter: string }[] }
  expect(errors.map(({ parameter }) => parameter)).toEqual(['binMs'])
  const misspelt = await service.get(`${studyPath}/participants?filter=participant_ag+%3E+30`)
  expect(((await misspelt.json()) as { errors: unknown }).errors).toMatchObject([
    { parameter: 'filter', nearest: 'participant_age' },
  ])
})

test('a study without eyes refuses a choice of them, everywhere with the same sentence', async () => {
  const itemId = study.items[0].id
  const gaze = 'eye must be left out, since the study has no gaze of single eyes'
  const pupils = 'eye must be left out, since the study has no pupils'
  const asked: [path: string, rule: string][] = [
    ['/collected-data/eye-tracking/fixations?eye=left', gaze],
    ['/collected-data/eye-tracking/pupils?eye=left', pupils],
    ['/collected-data/eye-tracking/blinks?eye=both', pupils],
    [`/charts/fixations?itemId=${itemId}&eye=left`, gaze],
    [`/charts/gaze?itemId=${itemId}&eye=either`, gaze],
    [`/charts/pupils?itemId=${itemId}&eye=right`, pupils],
    [`/analysis/transitions?itemId=${itemId}&eye=left`, gaze],
    ['/analysis/pupils?eye=left', pupils],
    ['/analysis/quality?eye=both', gaze],
  ]
  for (const [path, sentence] of asked) {
    const response = await service.get(studyPath + path)
    const { detail } = (await response.json()) as { detail: string }
    expect([path, response.status, detail]).toEqual([path, 400, expect.stringContaining(sentence)])
  }
  const response = await service.get(`${studyPath}/analysis/pupils?eye=middle`)
  expect(response.status).toBe(400)
  expect(((await response.json()) as { detail: string }).detail).toContain(
    'eye must be one of recorded, both, left, right, either',
  )
})
