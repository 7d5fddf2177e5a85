import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { canLimit, limitFiles, limitLeaving } from '../../../file-limit.ts'

const THREADS = new URL('../../../../dist/engine/run/pool/threads.js', import.meta.url).href
const DYING = fileURLToPath(new URL('dying.mjs', import.meta.url))
const SCRIPT = `
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
const { startThreads } = await import(${JSON.stringify(THREADS)})
process.stdout.write('ready')
await once(process.stdin, 'data')
let isBroken = false
const faults = new Set()
const onBroken = () => { isBroken = true }
const threads = startThreads({ threads: 1, tasksPerThread: 1, niceIncrement: 0, alsoLoad: [], onBroken })
for (let hasRun = false; !hasRun && !isBroken; ) {
  hasRun = await threads.run(null, { name: 'wake' }).then(() => true, (error) => void faults.add(error.code))
  await sleep(50)
}
// One that dies with its task leaves those that wait to another.
const after = await Promise.allSettled([
  threads.run(null, { filename: ${JSON.stringify(DYING)}, name: 'die' }),
  threads.run(null, { name: 'wake' }),
])
await threads.close()
process.stdout.write(JSON.stringify({ isBroken, faults: [...faults], after: after.map(({ status }) => status) }))`

// A thread opens some files to begin with, and then those of its code: what it lacks, and how that is told, is another
// thing each time.
test.skipIf(!canLimit).concurrent.for([0, 5, 9, 14, 20])(
  'threads that find no more than %j files to open start once there are enough',
  async (files, { onTestFinished }) => {
    const child = spawn(process.execPath, ['--input-type=module', '--eval', SCRIPT])
    onTestFinished(() => void child.kill('SIGKILL'))
    await once(child.stdout, 'data')
    let said = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (text) => {
        said += text
      })
    const pid = child.pid as number
    const lift = await limitFiles(pid, await limitLeaving(pid, files))
    child.stdin.write('go')
    await sleep(4000)
    await lift()
    // Until then it stays, also where the files were enough.
    child.stdin.end()
    const [code] = await once(child, 'close')
    const after = ['rejected', 'fulfilled']
    expect({ code, ...JSON.parse(said) }).toMatchObject({ code: 0, isBroken: false, after })
  },
)

const WORK = fileURLToPath(new URL('../../../../dist/engine/live/thread-work.js', import.meta.url))
const LATER = `
import { once } from 'node:events'
const { startThreads } = await import(${JSON.stringify(THREADS)})
const alsoLoad = [${JSON.stringify(WORK)}]
const threads = startThreads({ threads: 1, tasksPerThread: 1, niceIncrement: 0, alsoLoad, onBroken: () => {} })
await threads.run(null, { name: 'wake' })
process.stdout.write('ready')
await once(process.stdin, 'data')
const task = { work: 'describe', args: [Buffer.from('[]')] }
const told = await threads.run(task, { filename: alsoLoad[0], name: 'doInThread' }).catch(String)
await threads.close()
process.stdout.write(JSON.stringify(told))`

test.skipIf(!canLimit)('what threads load besides is there, however few files are left to open then', async () => {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', LATER])
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  const pid = child.pid as number
  await limitFiles(pid, await limitLeaving(pid, 0))
  child.stdin.end('go')
  const [said] = await once(child.stdout, 'data')
  // It has run, and found that this is no description.
  expect(JSON.parse(String(said))).toMatchObject({ failed: { code: 'invalid_bundle' } })
})
