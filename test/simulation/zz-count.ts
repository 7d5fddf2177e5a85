const { runSeed } = await import('/work/wt/sim/test/simulation/run-seed.ts')
const first = Number(process.argv[2]), n = Number(process.argv[3]), size = JSON.parse(process.argv[4] ?? '{"studies":4,"workers":3,"servers":2,"minutes":0.4}')
const t = process.cpuUsage(); let calls=0, jobs=0, bad=0
const w = performance.now()
for (let s = first; s < first+n; s++) { const o = await runSeed(s, size); calls+=o.calls; jobs+=o.jobs; if (o.faults.length) { bad++; console.log('seed', s, o.faults.slice(0,4)); if (bad >= Number(process.env.BAD ?? 5)) break } }
const u = process.cpuUsage(t)
console.log({ cpuMs: (u.user+u.system)/1000/n, wall: (performance.now()-w)/n, calls: calls/n, jobs: jobs/n, bad })
const KK=(globalThis as any).KK; console.log([...KK].sort((a,b)=>b[1]-a[1]).slice(0,40).map(([k,v])=>(v/n).toFixed(0)+" "+k).join("\n")); let P=0,H=0; for (const [k,v] of KK) if (k.endsWith(" P")) P+=v; else H+=v; console.log(P/n,H/n)
process.exit()
