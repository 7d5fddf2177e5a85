// Moves the clock of a process, and of the threads that it starts, ahead by TEST_DAYS_AHEAD days: `Date`, and
// the times of files, which the kernel writes by the real clock. Loaded by `--import`, so that everything sees it.
// Plain JavaScript, since threads of Node 20 load no TypeScript.
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

const DAY_MS = 86_400_000
const RealDate = Date

const AHEAD_MS = Number(process.env.TEST_DAYS_AHEAD) * DAY_MS

globalThis.Date = class MovedDate extends RealDate {
  constructor(...given) {
    if (given.length === 0) super(RealDate.now() + AHEAD_MS)
    else super(...given)
  }
  static now() {
    return RealDate.now() + AHEAD_MS
  }
}

const TIMES = ['atime', 'mtime', 'ctime', 'birthtime']

/** Moves the times of a file ahead. */
function moved(stats) {
  if (stats === undefined) return stats
  for (const name of TIMES) {
    const isBig = typeof stats[`${name}Ms`] === 'bigint'
    const ms = stats[`${name}Ms`] + (isBig ? BigInt(AHEAD_MS) : AHEAD_MS)
    Object.defineProperty(stats, `${name}Ms`, { value: ms, writable: true, enumerable: true, configurable: true })
    if (isBig) stats[`${name}Ns`] += BigInt(AHEAD_MS) * 1_000_000n
    Object.defineProperty(stats, name, { value: new RealDate(Number(ms)), writable: true, configurable: true })
  }
  return stats
}

/** Moves a time that is given to a file back to the clock of the kernel: seconds since the epoch, or a Date. */
function movedBack(time) {
  return typeof time === 'object' ? new RealDate(time.getTime() - AHEAD_MS) : Number(time) - AHEAD_MS / 1000
}

/** Replaces a function of a module, as far as the module has it, with its properties. */
function replace(module, name, make) {
  const real = module[name]
  module[name] = Object.assign(make(real), real)
}

for (const name of ['stat', 'lstat', 'fstat']) {
  replace(
    fs,
    `${name}Sync`,
    (real) =>
      (...args) =>
        moved(real(...args)),
  )
  replace(fs, name, (real) => (...args) => {
    const done = args.pop()
    return real(...args, (error, stats) => done(error, error ? stats : moved(stats)))
  })
}
for (const name of ['stat', 'lstat'])
  replace(
    fs.promises,
    name,
    (real) =>
      async (...args) =>
        moved(await real(...args)),
  )
for (const name of ['utimes', 'lutimes', 'futimes']) {
  const back =
    (real) =>
    (file, a, m, ...rest) =>
      real(file, movedBack(a), movedBack(m), ...rest)
  replace(fs, `${name}Sync`, back)
  replace(fs, name, back)
  if (name !== 'futimes') replace(fs.promises, name, back)
}
const file = await fs.promises.open(new URL(import.meta.url))
const handle = Object.getPrototypeOf(file)
await file.close()
replace(
  handle,
  'stat',
  (real) =>
    async function (...args) {
      return moved(await real.apply(this, args))
    },
)
replace(
  handle,
  'utimes',
  (real) =>
    function (a, m) {
      return real.call(this, movedBack(a), movedBack(m))
    },
)
syncBuiltinESMExports()
