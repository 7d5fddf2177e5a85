import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { canLimit, limitFiles, limitLeaving } from '../../../file-limit.ts'

const THREADS = new URL('../../../../dist/engine/run/pool/threads.js', import.meta.url).href
const SCRIPT = `
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
const { startThreads } = await import(${JSON.stringify(THREADS)})
process.stdout.write('ready')
await once(process.stdin, 'data')
let isBroken = false
const faults = new Set()
const onBroken = () => { isBroken = true }
const threads = startThreads({ threads: 1, tasksPerThread: 1, niceIncrement: 0, onBroken })
for (let hasRun = false; !hasRun && !isBroken; ) {
  hasRun = await threads.run(null, { name: 'wake' }).then(() => true, (error) => void faults.add(error.code))
  await sleep(50)
}
await threads.close()
process.stdout.write(JSON.stringify({ isBroken, faults: [...faults] }))`

// A thread opens some files to begin with, and then those of its code: what it lacks, and how that is told, is another thing each time.
test.skipIf(!canLimit).concurrent.for([0, 5, 9, 14, 20])(
  'threads that find no more than %j files to open start once there are enough',
  { timeout: 60_000 },
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
    expect({ code, ...JSON.parse(said) }).toMatchObject({ code: 0, isBroken: false })
  },
)
