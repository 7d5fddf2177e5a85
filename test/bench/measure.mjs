// Measuring pairs side by side: one machine, one run, in turn, so that what disturbs one disturbs the other.
import { performance } from 'node:perf_hooks'
import { Worker } from 'node:worker_threads'

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

export function quantile(values, q) {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.ceil(q * sorted.length) - 1)]
}

/** Half the way between the quartiles over the median, in percent. */
export function spread(values) {
  return (50 * (quantile(values, 0.75) - quantile(values, 0.25))) / median(values)
}

/** Seconds that passed, and seconds of processor that this process took in them, all threads together. */
async function timed(work) {
  const start = performance.now()
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return { seconds: (performance.now() - start) / 1000, cpu: (user + system) / 1e6 }
}

/**
 * Runs each of several works in turn, `runs` times after one that is not counted.
 *
 * @param works name to function; what it returns is dropped
 * @param before called before each, which takes no time of it
 * @returns name to the seconds of each run; their property `cpu` holds the seconds of processor, which others disturb
 * less
 */
export async function inTurn(works, runs, { warmUps = 1, before = async () => {} } = {}) {
  const seconds = Object.fromEntries(Object.keys(works).map((name) => [name, Object.assign([], { cpu: [] })]))
  for (let run = -warmUps; run < runs; run++) {
    for (const [name, work] of Object.entries(works)) {
      await before()
      const taken = await timed(work)
      if (run < 0) continue
      seconds[name].push(taken.seconds)
      seconds[name].cpu.push(taken.cpu)
    }
  }
  return seconds
}

const SPIN = `let x = 1
for (let i = 0; i < 5e8; i++) x = (Math.imul(x, 1103515245) + 12345) | 0
require('node:worker_threads').parentPort.postMessage(x)`

/** Measures the speedup of so many threads for work that shares nothing, not even memory: the limit of the machine. */
export async function machineScaling(threads) {
  const spin = () =>
    new Promise((resolve, reject) => new Worker(SPIN, { eval: true }).on('error', reject).on('exit', resolve))
  const seconds = await inTurn({ one: spin, all: () => Promise.all(Array.from({ length: threads }, spin)) }, 3)
  return (threads * median(seconds.one)) / median(seconds.all)
}

/** One line of the table. `ratio` is how often ours fits into theirs; null where there is nothing beside it. */
export function row(what, against, goal, { ours, theirs, detail = '' }) {
  return {
    what,
    against,
    goal,
    oursSeconds: ours ? median(ours) : null,
    theirsSeconds: theirs ? median(theirs) : null,
    ratio: ours && theirs ? median(theirs) / median(ours) : null,
    cpuRatio: ours?.cpu && theirs?.cpu ? median(theirs.cpu) / median(ours.cpu) : null,
    spreadPercent: Math.max(ours ? spread(ours) : 0, theirs ? spread(theirs) : 0),
    runs: ours?.length ?? 0,
    detail,
  }
}

export function table(rows) {
  const cells = rows.map(
    ({ what, against, goal, oursSeconds, theirsSeconds, ratio, cpuRatio, spreadPercent, detail }) => [
      what,
      against,
      goal,
      oursSeconds === null ? '' : secondsText(oursSeconds),
      theirsSeconds === null ? '' : secondsText(theirsSeconds),
      ratio === null ? '' : `${ratio.toFixed(2)} ×`,
      cpuRatio === null ? '' : `${cpuRatio.toFixed(2)} ×`,
      spreadPercent === 0 ? '' : `± ${spreadPercent.toFixed(0)} %`,
      detail,
    ],
  )
  const head = ['what', 'against', 'goal', 'ours', 'theirs', 'ratio', 'of CPU', 'spread', 'measured']
  return [head, head.map(() => '---'), ...cells].map((line) => `| ${line.join(' | ')} |`).join('\n')
}

function secondsText(seconds) {
  return seconds >= 1 ? `${seconds.toFixed(2)} s` : `${(seconds * 1000).toFixed(1)} ms`
}

export function millions(count, seconds) {
  return (count / seconds / 1e6).toFixed(1)
}
