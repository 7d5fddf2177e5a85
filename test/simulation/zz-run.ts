import { runSeed } from './run-seed.ts'
const first = Number(process.argv[2]), n = Number(process.argv[3]), size = JSON.parse(process.argv[4] ?? '{"studies":3,"workers":3,"servers":2,"minutes":0.3,"everyMs":600}')
const hist = process.hrtime
const t = process.cpuUsage(); let calls=0, jobs=0, bad=0
const w = performance.now()
for (let s = first; s < first+n; s++) { const o = await runSeed(s, size); calls+=o.calls; jobs+=o.jobs; if (o.faults.length) { bad++; console.log('seed', s, o.faults.slice(0,Number(process.env.SHOW ?? 2)).map(x=>x.slice(0,1200))); if (bad >= Number(process.env.BAD ?? 5)) break } }
const u = process.cpuUsage(t)
console.log({ cpuMs: (u.user+u.system)/1000/n, wall: (performance.now()-w)/n, calls: calls/n, jobs: jobs/n, bad })
process.exit()
