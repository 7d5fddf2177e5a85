import { runSeed } from './run-seed.ts'
const size = {"studies":3,"workers":3,"servers":2,"minutes":0.3,"everyMs":600}
for (const s of process.argv.slice(2).map(Number)) { const o = await runSeed(s, size); console.log(s, o.calls, o.jobs, o.seconds, o.faults.length) }
process.exit()
