import type { Mapping } from './mapping.ts'
import { numberIn } from './numbers.ts'
import type { TableHead } from './table.ts'

/** A mapping guessed from a header and the first rows, and what a person should look at before trusting it. */
export type Guess = { mapping: Mapping; doubts: string[] }

/** Stands for a column that could not be found: whoever uses the mapping is told that it is missing. */
export const UNKNOWN = '?'

const PEOPLE =
  /^(participant|subject|subj|user|ppt?|person|respondent|tester|observer|viewer)(_?(id|name|nr|no|num|number|code|label))?$/
const ITEMS =
  /^(item|stimulus|stimuli|stim|image|img|picture|pic|media|medium|scene|page|video|slide)(_?(id|name|nr|no|file|filename|label))?$/
const TRIALS = /^trial(_?(id|nr|no|num|number|index))?$/
const TIMES = [
  /^(t|time|timestamp)(_?(s|sec|secs|seconds?|ms|msec|milliseconds?|us|ns))?$/,
  /^(trial|sample|relative|rel|recording|elapsed|gaze)_?time(_?stamp)?(_.*)?$/,
  /time/,
]
const AXIS = (axis: string) => [
  new RegExp(`^${axis}$`),
  new RegExp(`^(gaze|gaze_point|gazepoint|por|pog|bpog|eye|screen|pred|predicted)_?${axis}(_.*)?$`),
  new RegExp(`^${axis}_?(px|pixels?|pos|position|coord|coordinate|norm|normali[sz]ed|percents?|gaze|pred)(_.*)?$`),
]
const EYE_AXIS = (side: string, axis: string) =>
  new RegExp(
    `^((gaze_?(point_?)?)?${side}_?(eye_?)?(gaze_?)?(point_?)?${axis}|${side[0]}_?${axis}|${axis}_?${side}|${axis}_?${side[0]}|gaze_?${axis}_?${side}|${side}_?(por|pog)_?${axis})(_.*)?$`,
  )

/** What a header and the rows below it look like. Only columns decide; people know better, and are asked. */
export function guessMapping({ header, rows, decimalMark }: TableHead): Guess {
  const doubts: string[] = []
  const plain = header.map((name) =>
    name
      .toLowerCase()
      .replace(/[μµ]/g, 'u')
      .replace(/[^a-z0-9]+/g, '_')
      .replace(/^_|_$/g, ''),
  )
  const find = (...patterns: RegExp[]) => {
    for (const pattern of patterns) {
      const at = plain.findIndex((name) => pattern.test(name))
      if (at >= 0) return at
    }
    return -1
  }
  const nameAt = (at: number) => (at < 0 ? null : header[at])
  const values = (at: number) => rows.map((cells) => numberIn(cells[at] ?? '', decimalMark))
  const participant = find(PEOPLE)
  const trial = find(TRIALS)
  const item = find(ITEMS)
  const time = find(...TIMES)
  if (time < 0) doubts.push('no column looks like a time')
  if (participant < 0) doubts.push('no column names the participant: each file is one')
  if (item < 0) doubts.push(trial < 0 ? 'no column names the item: all samples are of one' : 'the trial is the item')
  const eyes = eyeColumns(find, nameAt)
  if (eyes.length === 0) doubts.push('no columns look like x and y of gaze')
  const firstX = header.indexOf(eyes[0]?.x ?? '')
  const firstY = header.indexOf(eyes[0]?.y ?? '')
  const unit = lengthUnit([...values(firstX), ...values(firstY)])
  if (unit !== 'px') doubts.push(`positions look like ${unit === 'fraction' ? 'fractions' : 'percent'} of the screen`)
  const groups = groupTimes(rows, [participant, item, trial], values(time))
  const timeUnit = unitOfTime(plain[time] ?? '', groups)
  const firsts = groups.map(([first]) => Math.abs(first) * { s: 1000, ms: 1, us: 1e-3, ns: 1e-6 }[timeUnit])
  const origin = firsts.every((ms) => ms < 1000) ? 'item' : 'first'
  if (origin === 'first') doubts.push("times do not begin at 0: an item's onset is taken to be its first sample")
  const missing = [-1, -9999, 9999, -99999, -32768].filter((code) => {
    const [x, y] = [values(firstX), values(firstY)]
    return x.filter((value, i) => value === code && y[i] === code).length > 1
  })
  if (missing.length > 0) doubts.push(`${missing.join(', ')} in both x and y is taken for a lost gaze`)
  const [mouseX, mouseY] = [find(/^(mouse|cursor).*x/), find(/^(mouse|cursor).*y/)]
  doubts.push('the size of the screen is not in the table: fill in screen, or give --screen')
  return {
    mapping: {
      gazetteMapping: 1,
      participant: nameAt(participant),
      item: nameAt(item >= 0 ? item : trial),
      trial: item >= 0 ? nameAt(trial) : null,
      time: { column: nameAt(time) ?? UNKNOWN, unit: timeUnit, origin },
      gaze:
        eyes.length === 0
          ? [{ x: UNKNOWN, y: UNKNOWN, unit, valid: null }]
          : eyes.map(({ x, y }) => ({ x, y, unit, valid: null })),
      origin: 'top-left',
      missing: missing.map(String),
      mouse:
        mouseX < 0 || mouseY < 0
          ? null
          : { x: header[mouseX], y: header[mouseY], unit: lengthUnit([...values(mouseX), ...values(mouseY)]) },
      scroll: nameAt(find(/^scroll(_?(y|top))?(_px)?$/)),
      click: nameAt(find(/^(is_)?(mouse_)?click(ed)?$/)),
      screen: null,
    },
    doubts,
  }
}

function eyeColumns(
  find: (...patterns: RegExp[]) => number,
  nameAt: (at: number) => string | null,
): { x: string; y: string }[] {
  const pair = (x: number, y: number) => (x < 0 || y < 0 ? [] : [{ x: nameAt(x)!, y: nameAt(y)! }])
  const both = pair(find(...AXIS('x')), find(...AXIS('y')))
  if (both.length > 0) return both
  return ['left', 'right'].flatMap((side) => pair(find(EYE_AXIS(side, 'x')), find(EYE_AXIS(side, 'y'))))
}

/** Fractions lie about 0 to 1 and have decimals; percent about 0 to 100 cannot be told from the corner of a screen. */
function lengthUnit(values: number[]): 'px' | 'fraction' | 'percent' {
  const known = values.filter((value) => !Number.isNaN(value) && value !== -1)
  if (known.length === 0) return 'px'
  const inside = known.filter((value) => Math.abs(value) <= 2).length
  return inside > known.length * 0.9 && known.some((value) => !Number.isInteger(value)) ? 'fraction' : 'px'
}

/** The times of each run of rows of the same participant, item and trial. */
function groupTimes(rows: string[][], keys: number[], times: number[]): number[][] {
  const groups: number[][] = []
  let last: string | null = null
  rows.forEach((cells, i) => {
    if (Number.isNaN(times[i])) return
    const key = JSON.stringify(keys.map((at) => cells[at]))
    if (key !== last) groups.push([])
    last = key
    groups.at(-1)!.push(times[i])
  })
  return groups
}

/** By the column's name, else by the step between samples: trackers make 2 to 2000 a second. */
function unitOfTime(name: string, groups: number[][]): 's' | 'ms' | 'us' | 'ns' {
  const named = /_(s|sec|secs|seconds?|ms|msec|milliseconds?|us|ns)$/.exec(name)?.[1]
  if (named) return named.startsWith('m') ? 'ms' : named.startsWith('u') ? 'us' : named.startsWith('n') ? 'ns' : 's'
  const steps = groups.flatMap((times) => times.slice(1).map((time, i) => time - times[i]))
  const usual = steps.filter((step) => step > 0).sort((a, b) => a - b)
  const step = usual[usual.length >> 1] ?? 16
  return step < 0.45 ? 's' : step < 450 ? 'ms' : step < 450_000 ? 'us' : 'ns'
}
