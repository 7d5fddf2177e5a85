import {
  makeBlinks,
  makeMouse,
  makePupil,
  makeReading,
  makeScanpath,
  makeSway,
  makeTarget,
  type Path,
  type Random,
  randomOf,
  seenBy,
} from './gaze-maker.ts'

export type Unit = 'px' | 'fraction' | 'percent' | 'centred px' | 'deg'

/** Columns besides time, gaze and names: positions of other things, gaze in other ways, and numbers. */
type Beside =
  | ('target' | 'mouse' | 'head' | 'camera' | 'trackbox' | 'raw' | 'raw of gaze')
  | ('velocity' | 'smoothed' | 'relative' | 'other unit')
  | ('pupil' | 'count' | 'trial' | 'condition' | 'na' | 'block' | 'click')

/** What a made table of samples holds. */
export type Plan = {
  name: string
  hz: number
  unit: Unit
  time: 's' | 'ms' | 'us' | 'ns' | 'iso'
  /** Whether times run on, begin anew at each item's onset, or are there in both ways. */
  clock: 'on' | 'onset' | 'both'
  eyes: 'one' | 'both' | 'mean and both'
  people: string[]
  items: string[]
  itemMs: number
  lost: string
  validity?: 'tobii' | 'flag' | 'words' | 'stale'
  beside: Beside[]
  /** Gaze that moves along lines of text rather than over pictures. */
  scan?: 'reading'
  /** Time before the onset of each item, in ms. */
  baselineMs?: number
  /** True if items follow each other without a pause. */
  isGapless?: boolean
  screen: { widthPx: number; heightPx: number }
  noisePx: number
}

export type MadeTest = { participant: string; item: string; samples: [number, number | null, number | null][] }
/** A column of a made table, by what it holds. */
export type MadeColumn = { role: string; cells: string[] }

type Eye = Path & { isLost: boolean[] }

/** Makes a table of samples, column by column, and what is to be read from it. */
export function makeRecording(plan: Plan, seed: number): { columns: MadeColumn[]; tests: MadeTest[] } {
  const random = randomOf(seed)
  const columns = new Map<string, string[]>()
  const add = (role: string, cells: string[]) => {
    const known = columns.get(role) ?? []
    known.push(...cells)
    columns.set(role, known)
  }
  const tests: MadeTest[] = []
  let clockMs = plan.time === 'iso' ? Date.UTC(2024, 2, 1, 10) : 5_000_000 + Math.round(random.uniform(0, 1e6))
  let row = 0
  for (const [p, participant] of plan.people.entries()) {
    for (const [k, item] of shuffled(plan.items, random).entries()) {
      const step = 1000 / plan.hz
      const n = Math.round((plan.itemMs * random.uniform(0.85, 1.15)) / step)
      const digits = plan.time === 'ms' ? 2 : 3
      const begins = plan.baselineMs === undefined ? 0 : -plan.baselineMs
      const own = Array.from({ length: n }, (_, i) => Number((begins + i * step).toFixed(digits)))
      const { gaze, read, path } = lookAt(plan, own, random)
      addNames(plan, add, { participant, item, k, p, n, row })
      const onset = clockMs
      if (plan.clock !== 'onset')
        add(
          'clock',
          own.map((t) => timeText(onset + t, plan.time)),
        )
      if (plan.clock !== 'on')
        add(
          'onset',
          own.map((t) => timeText(t, plan.time === 'iso' ? 'ms' : plan.time)),
        )
      for (const [role, cells] of gaze) add(role, cells)
      for (const [role, other] of placesBeside(plan, own, random, path)) {
        add(`${role} x`, other.x.map(String))
        add(`${role} y`, other.y.map(String))
      }
      if (plan.beside.includes('na'))
        add(
          'na',
          own.map(() => 'NA'),
        )
      tests.push({ participant, item, samples: own.map((t, i) => [t, ...read(i)]) })
      clockMs += plan.isGapless ? n * step : plan.itemMs * 1.2 + Math.round(random.uniform(500, 900))
      row += n
    }
    clockMs += 3_600_000
  }
  return { columns: [...columns].map(([role, cells]) => ({ role, cells })), tests }
}

type Names = { participant: string; item: string; k: number; p: number; n: number; row: number }

function addNames(
  { people, items, beside }: Plan,
  add: (role: string, cells: string[]) => void,
  { participant, item, k, p, n, row }: Names,
): void {
  const all = (text: string) => Array.from({ length: n }, () => text)
  if (people.length > 1) add('participant', all(participant))
  if (items.length > 1) add('item', all(item))
  if (beside.includes('trial')) add('trial', all(String(k + 1)))
  if (beside.includes('condition')) add('condition', all(p % 2 ? 'control' : 'patient'))
  if (beside.includes('block')) add('block', all(k < items.length / 2 ? '1' : '2'))
  if (beside.includes('click'))
    add(
      'click',
      Array.from({ length: n }, (_, i) => (i % 97 < 6 ? '1' : '0')),
    )
  if (beside.includes('count'))
    add(
      'count',
      Array.from({ length: n }, (_, i) => String(row + i + 1)),
    )
}

/** Makes the columns of gaze, pupils and validity of one look; `read` returns the gaze that is to be read. */
function lookAt(plan: Plan, tMs: number[], random: Random) {
  const { screen, noisePx, eyes: kind } = plan
  const path = plan.scan === 'reading' ? makeReading(tMs, screen, random) : makeScanpath(tMs, screen, random)
  const blinks = makeBlinks(tMs, random)
  const gone = blinks.map(() => false)
  // Of one eye alone, now and then.
  if (kind !== 'one') for (let i = 30; i < gone.length && i < 30 + gone.length / 20; i++) gone[i] = true
  const eye = (offset: [number, number], isLost: boolean[]): Eye => ({
    ...seenBy(path, offset, noisePx, random),
    isLost,
  })
  const eyes =
    kind === 'one'
      ? [eye([0, 0], blinks)]
      : [
          eye([-9, 4], blinks),
          eye(
            [8, -3],
            blinks.map((is, i) => is || gone[i]),
          ),
        ]
  const written = eyes.map((one) => writeEye(plan, one))
  const gaze = new Map<string, string[]>()
  for (const [i, { x, y, valid }] of written.entries()) {
    const side = kind === 'one' ? 'eye' : ['left', 'right'][i]
    gaze.set(`${side} x`, x)
    gaze.set(`${side} y`, y)
    if (valid) gaze.set(`${side} validity`, valid)
    if (plan.beside.includes('pupil'))
      gaze.set(
        `${side} pupil`,
        makePupil(tMs, random).map((mm, k) => (eyes[i].isLost[k] ? '0' : mm.toFixed(3))),
      )
  }
  const values = written.map(({ read }) => read)
  const read = (i: number): [number | null, number | null] => {
    const seen = values.map((one) => one(i)).filter((one) => one !== null)
    if (seen.length === 0) return [null, null]
    return [0, 1].map((axis) => seen.reduce((sum, one) => sum + one[axis], 0) / seen.length) as [number, number]
  }
  if (kind === 'mean and both') {
    const mean = tMs.map((_, i) => placed(read(i), plan))
    gaze.set(
      'mean x',
      mean.map(([x]) => x),
    )
    gaze.set(
      'mean y',
      mean.map(([, y]) => y),
    )
  }
  return { gaze, read, path: seenBy(path, [0, 0], noisePx, random) }
}

function writeEye(plan: Plan, { x, y, isLost }: Eye) {
  const isStale = plan.validity === 'stale'
  let last: [string, string] = ['', '']
  const cells = x.map((_, i): [string, string] => {
    if (isLost[i]) return isStale && last[0] !== '' ? last : [plan.lost, plan.lost]
    last = placed([x[i], y[i]], plan)
    return last
  })
  const [bad, good] = { tobii: ['4', '0'], flag: ['0', '1'], words: ['Invalid', 'Valid'], stale: ['0', '1'] }[
    plan.validity ?? 'flag'
  ]
  return {
    x: cells.map(([one]) => one),
    y: cells.map(([, one]) => one),
    valid: plan.validity ? isLost.map((is) => (is ? bad : good)) : null,
    read: (i: number): [number, number] | null => (isLost[i] ? null : inPx(cells[i], plan)),
  }
}

/** Writes a position in the unit of a plan. */
function placed([x, y]: [number | null, number | null], { unit, screen, lost }: Plan): [string, string] {
  if (x === null || y === null) return [lost, lost]
  const { widthPx, heightPx } = screen
  if (unit === 'fraction') return [(x / widthPx).toFixed(5), (y / heightPx).toFixed(5)]
  if (unit === 'percent') return [((100 * x) / widthPx).toFixed(3), ((100 * y) / heightPx).toFixed(3)]
  if (unit === 'centred px') return [(x - widthPx / 2).toFixed(1), (heightPx / 2 - y).toFixed(1)]
  if (unit === 'deg') return [((x - widthPx / 2) / 38).toFixed(4), ((heightPx / 2 - y) / 38).toFixed(4)]
  return [x.toFixed(1), y.toFixed(1)]
}

function inPx([x, y]: [string, string], { unit, screen: { widthPx, heightPx } }: Plan): [number, number] {
  if (unit === 'fraction') return [Number(x) * widthPx, Number(y) * heightPx]
  if (unit === 'percent') return [(Number(x) / 100) * widthPx, (Number(y) / 100) * heightPx]
  if (unit === 'centred px') return [Number(x) + widthPx / 2, heightPx / 2 - Number(y)]
  return [Number(x), Number(y)]
}

/** Makes positions of other things than gaze. */
function placesBeside({ beside, screen, hz, unit }: Plan, tMs: number[], random: Random, gaze: Path): [string, Path][] {
  const camera = (scale: number, middle: [number, number], eyeX: number): Path => {
    const path = makeScanpath(tMs, screen, random)
    return {
      x: path.x.map((x) => middle[0] + eyeX + (x / screen.widthPx - 0.5) * scale + random.normal(scale / 200)),
      y: path.y.map((y) => middle[1] + (y / screen.heightPx - 0.5) * scale + random.normal(scale / 200)),
    }
  }
  const fixed = (path: Path, digits: number): Path => ({
    x: path.x.map((x) => Number(x.toFixed(digits))),
    y: path.y.map((y) => Number(y.toFixed(digits))),
  })
  const found: [string, Path][] = []
  if (beside.includes('target')) found.push(['target', makeTarget(tMs, screen, random)])
  if (beside.includes('mouse')) found.push(['mouse', makeMouse(tMs, screen, random)])
  if (beside.includes('head')) found.push(['head', fixed(makeSway(tMs, [0.2, 1.2], 0.08, random), 5)])
  if (beside.includes('camera')) found.push(['camera', fixed(makeSway(tMs, [312, 208], 2.5, random), 3)])
  if (beside.includes('trackbox')) found.push(['trackbox', fixed(makeSway(tMs, [0.5, 0.52], 0.02, random), 5)])
  if (beside.includes('raw')) found.push(['raw', fixed(camera(300, [2100, -1400], 0), 1)])
  if (beside.includes('raw of gaze'))
    found.push([
      'raw of gaze',
      fixed({ x: gaze.x.map((x) => 900 + x * 0.31), y: gaze.y.map((y) => 700 + y * 0.33) }, 1),
    ])
  if (beside.includes('velocity')) {
    const speed = (values: number[]) => values.map((value, i) => (i === 0 ? 0 : (value - values[i - 1]) * hz * 0.026))
    found.push(['velocity', fixed({ x: speed(gaze.x), y: speed(gaze.y) }, 2)])
  }
  if (beside.includes('smoothed')) {
    const smooth = (values: number[]) => values.map((_, i) => mean(values.slice(Math.max(0, i - 4), i + 1)))
    found.push(['smoothed', fixed({ x: smooth(gaze.x), y: smooth(gaze.y) }, 1)])
  }
  if (beside.includes('relative'))
    found.push(['relative', fixed({ x: gaze.x.map((x) => x - 160), y: gaze.y.map((y) => y - 90) }, 1)])
  if (beside.includes('other unit')) {
    const [width, height] = unit === 'px' ? [screen.widthPx, screen.heightPx] : [1, 1]
    found.push([
      'other unit',
      fixed({ x: gaze.x.map((x) => x / width), y: gaze.y.map((y) => y / height) }, unit === 'px' ? 5 : 1),
    ])
  }
  return found
}

const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length

function timeText(ms: number, unit: Plan['time']): string {
  if (unit === 's') return (ms / 1000).toFixed(6)
  if (unit === 'us') return String(Math.round(ms * 1000))
  if (unit === 'ns') return `${Math.round(ms * 1000)}000`
  if (unit === 'iso') {
    const us = String(Math.round((ms % 1000) * 1000)).padStart(6, '0')
    return `${new Date(Math.floor(ms / 1000) * 1000).toISOString().slice(0, 19).replace('T', ' ')}.${us}`
  }
  return String(Number(ms.toFixed(2)))
}

export function shuffled<T>(values: T[], random: Random): T[] {
  const left = [...values]
  return values.map(() => left.splice(Math.floor(random.uniform(0, left.length)), 1)[0])
}

/** Writes a table under given names of its columns. */
export function tableOf(
  columns: MadeColumn[],
  nameOf: (column: MadeColumn, at: number) => string,
  separator = ',',
): string {
  const rows = columns[0].cells.map((_, i) => columns.map(({ cells }) => cells[i]).join(separator))
  return `${[columns.map(nameOf).join(separator), ...rows].join('\n')}\n`
}
