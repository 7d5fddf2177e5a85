import { createHook } from 'node:async_hooks'
import { writeSync } from 'node:fs'
import { runSeed } from './run-seed.ts'
const seen = new Map<string, number>()
createHook({ init(_id, type) { if (type === 'PROMISE' || type === 'Immediate') return; const k = type + ' ' + new Error().stack!.split('\n').slice(2, 14).map((x) => x.trim().replace('file:///work/wt/sim/', '')).join(' < '); seen.set(k, (seen.get(k) ?? 0) + 1) } }).enable()
await runSeed(4, {"studies":3,"workers":3,"servers":2,"minutes":0.3,"everyMs":600})
for (const [k, v] of seen) writeSync(1, v + ' ' + k + '\n')
process.exit()
