// How several workers share one export: as many real processes of one thread each, Redis between them, one data
// directory.
import { readFileSync } from 'node:fs'
import { mkdir, rm, symlink } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { makePlan } from '../../dist/engine/exports/make-plan.js'
import { removeJob } from '../../dist/engine/jobs/expire-job.js'
import { openJobs } from '../../dist/engine/jobs/open-jobs.js'
import { readEndFile } from '../../dist/engine/jobs/record/read-job.js'
import { totalsOf } from '../../dist/engine/jobs/record/state.js'
import { requestJob } from '../../dist/engine/jobs/request-job.js'
import { defaultParameters } from '../../dist/engine/model/parameters.js'
import { jobId } from '../../dist/engine/model/plan.js'
import { estimatePlan } from '../../dist/engine/run/estimate.js'
import { countParts } from '../../dist/engine/run/parts/run-part.js'
import { openQueue } from '../../dist/worker/queue/queue.js'
import { OUT, snapshotOf } from './data.mjs'
import { median, row } from './measure.mjs'
import { gazette, lineOf, stop } from './process.mjs'
import { startRedis } from './service.mjs'

const TICKS_PER_SECOND = 100

/** Seconds of processor that a process has taken so far, all threads together. */
function cpuOf({ pid }) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1].split(' ')
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
}

/** Runs one job to its end; returns its seconds, and those of processor of all workers. */
export async function runJob({ jobs, queue, workers }, plan, samplesTotal) {
  const earlier = await jobs.read(jobId(plan))
  if (earlier !== null) await removeJob(jobs, earlier)
  const parameters = defaultParameters()
  const request = { tokenId: 'bench', parameters, samplesTotal, fileName: 'a.csv', now: new Date() }
  const { id, attempt } = await requestJob(jobs, plan, request)
  const cpu = () => workers.reduce((sum, worker) => sum + cpuOf(worker), 0)
  const cpuBefore = cpu()
  const start = performance.now()
  await queue.add(id, attempt)
  let end
  do {
    await new Promise((done) => setTimeout(done, 50))
    // One request to a store, and not the three by which a job is read.
    end = await readEndFile(jobs, id, attempt)
  } while (end === null)
  if (end.state !== 'succeeded') throw new Error(`the job ended as ${JSON.stringify(end)}`)
  const { rows } = totalsOf(end)
  return { seconds: (performance.now() - start) / 1000, cpu: cpu() - cpuBefore, sha256: end.file?.plain.sha256, rows }
}

/**
 * The times of jobs by export, run by so many workers; `splitSamples` decides whether in parts, which are the files of
 * the job if `areFiles`.
 */
async function timesOf({ dataDir, redis, snapshot, names, runs }, count, splitSamples, areFiles = false) {
  const env = { QUEUE_URL: redis.url, ENGINE_THREADS: '1', SPLIT_SAMPLES: String(splitSamples) }
  const workers = Array.from({ length: count }, () => gazette(['work'], { dataDir, env }))
  const queue = await openQueue({ queueUrl: redis.url, dataDir, onError: () => {} })
  const jobs = openJobs(dataDir)
  try {
    await Promise.all(workers.map((worker) => lineOf(worker, /waiting for jobs/)))
    const times = {}
    for (const exportName of names) {
      const one = makePlan({ snapshot, exportName, parameters: defaultParameters(), formulaGuard: true })
      const { samples } = await estimatePlan(one, snapshot)
      const plan = areFiles ? { ...one, parts: countParts(samples, snapshot, splitSamples) } : one
      const all = Object.assign([], { cpu: [], sha256: null, rows: 0 })
      // The first loads and compiles, and fills the page cache.
      for (let run = -1; run < runs; run++) {
        const { seconds, cpu, sha256, rows } = await runJob({ jobs, queue, workers }, plan, samples)
        Object.assign(all, { sha256, rows })
        if (run < 0) continue
        all.push(seconds)
        all.cpu.push(cpu)
      }
      times[exportName] = all
    }
    return times
  } finally {
    await queue.close()
    await Promise.all(workers.map(stop))
  }
}

export async function benchSharing({ wanted, quick, runs }) {
  if (!wanted('sharing')) return []
  const redis = await startRedis()
  if (redis === null) return []
  const { dataDir: source, snapshot } = await snapshotOf(quick ? '1m' : '12m')
  const dataDir = join(OUT, 'data-sharing')
  await rm(dataDir, { recursive: true, force: true })
  await mkdir(dataDir, { mode: 0o700 })
  await symlink(join(source, 'studies'), join(dataDir, 'studies'))
  const names = ['fixations', 'gazes-raw', 'gazes-split']
  const setting = { dataDir, redis, snapshot, names, runs: Math.min(3, runs) }
  const rows = []
  try {
    const whole = await timesOf(setting, 1, 1e12)
    for (const [count, areFiles] of [1, 2, 4].flatMap((each) => [false, true].map((files) => [each, files]))) {
      // Parts of 2.5 million samples, or as many as there are files of samples.
      const shared = await timesOf(setting, count, quick ? 1e5 : 1e7, areFiles)
      for (const name of names) {
        const isSame = areFiles ? shared[name].rows === whole[name].rows : shared[name].sha256 === whole[name].sha256
        if (!isSame) throw new Error(`${name} has other bytes or rows`)
        const [own, sum] = [median(whole[name].cpu), median(shared[name].cpu)]
        const detail = `processor: ${sum.toFixed(2)} s in all, ${own.toFixed(2)} s as a whole; ${availableParallelism()} cores`
        const how = areFiles ? 'in several files' : 'in parts'
        const what = `\`${name}\` ${how}, ${count === 1 ? 'one worker' : `${count} workers`} of one thread`
        rows.push(row(what, 'one worker, as a whole', '', { ours: shared[name], theirs: whole[name], detail }))
      }
    }
  } finally {
    await stop(redis.child)
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5 })
  }
  return rows
}
