// Exports by three workers from a bucket on this machine and from files: whole processes, the same jobs in the same
// parts, and the bytes of one process without a queue. BENCH_SIZE=120m takes a study of 100 million samples,
// BENCH_EXPORTS names exports between commas.
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { makePlan } from '../../dist/engine/exports/make-plan.js'
import { openRemoteJobs, storeInstance } from '../../dist/engine/jobs/bucket/remote-jobs.js'
import { removeJob } from '../../dist/engine/jobs/expire-job.js'
import { openJobs } from '../../dist/engine/jobs/open-jobs.js'
import { defaultParameters } from '../../dist/engine/model/parameters.js'
import { jobId } from '../../dist/engine/model/plan.js'
import { estimatePlan } from '../../dist/engine/run/estimate.js'
import { openObjects } from '../../dist/engine/storage/objects/open-objects.js'
import { openQueue } from '../../dist/worker/queue/queue.js'
import { serveBucket } from './bucket-server.mjs'
import { OUT, snapshotOf } from './data.mjs'
import { row } from './measure.mjs'
import { gazette, lineOf, stop, watchPeak } from './process.mjs'
import { startRedis } from './service.mjs'
import { runJob } from './sharing.mjs'

const WORKERS = 3
const OWN = join(OUT, 'bucket')

/** Starts workers of one thread and opens what gives them jobs; each has a cache of its own if there is a store. */
async function openSide({ env, redis, jobs, instance, name, splitSamples }) {
  const dataDirs = Array.from({ length: WORKERS }, (_, i) => join(OWN, env.STORE_URL ? `${name}-${i}` : name))
  const settings = { QUEUE_URL: redis.url, ENGINE_THREADS: '1', SPLIT_SAMPLES: String(splitSamples), ...env }
  const workers = dataDirs.map((dataDir) => gazette(['work'], { dataDir, env: settings }))
  await Promise.all(workers.map((worker) => lineOf(worker, /waiting for jobs/)))
  const peaks = workers.map(watchPeak)
  const queue = await openQueue({ queueUrl: redis.url, dataDir: dataDirs[0], instance, onError: () => {} })
  return {
    jobs,
    queue,
    workers,
    peak: () => Math.max(...peaks.map((peak) => peak())),
    close: async () => {
      await queue.close()
      await Promise.all(workers.map(stop))
    },
  }
}

/** The SHA-256 of an export as one process makes it of files. */
async function hashAlone({ dataDir, studyId }, name) {
  const child = gazette(['export', name, '--study', studyId], { dataDir })
  const hash = createHash('sha256')
  const closing = once(child, 'close')
  child.stderr.resume()
  for await (const chunk of child.stdout) hash.update(chunk)
  const [code] = await closing
  if (code !== 0) throw new Error(`${name} ended with ${code}`)
  return hash.digest('hex')
}

async function openBucket(dataDir) {
  const { server, env } = await serveBucket(dataDir, ['--directory', join(OWN, 's3')])
  const { STORE_URL, ...credentials } = env
  Object.assign(process.env, credentials)
  return { server, env, objects: await openObjects(STORE_URL) }
}

export async function benchBucket({ wanted, quick, runs }) {
  if (!wanted('bucket')) return []
  const redis = await startRedis()
  if (redis === null) return []
  const size = process.env.BENCH_SIZE ?? (quick ? '1m' : '12m')
  const names = (process.env.BENCH_EXPORTS ?? 'fixations,gazes-raw,gazes-split').split(',')
  const study = await snapshotOf(size)
  const each = { study, size, runs: size === '120m' ? 1 : Math.min(3, runs) }
  await rm(OWN, { recursive: true, force: true })
  await mkdir(join(OWN, 'files'), { recursive: true, mode: 0o700 })
  await symlink(join(study.dataDir, 'studies'), join(OWN, 'files', 'studies'))
  const { server, env, objects } = await openBucket(study.dataDir)
  const sides = []
  const common = { redis, splitSamples: size === '1m' ? 1e5 : 1e7 }
  try {
    const files = await openSide({ name: 'files', env: {}, ...common, jobs: openJobs(join(OWN, 'files')) })
    sides.push(files)
    const instance = await storeInstance(objects)
    const bucket = await openSide({ name: 'cache', env, ...common, jobs: openRemoteJobs(objects), instance })
    sides.push(bucket)
    const rows = []
    // The first loads and compiles.
    await compare({ ...each, files, bucket, runs: 1 }, 'keyboard-mouse-overall')
    for (const name of names) rows.push(await compare({ ...each, files, bucket }, name))
    return rows
  } finally {
    for (const side of sides) await side.close()
    objects.close()
    await stop(server)
    await stop(redis.child)
    await rm(OWN, { recursive: true, force: true, maxRetries: 5 })
  }
}

async function compare({ study, files, bucket, size, runs }, exportName) {
  const plan = makePlan({ snapshot: study.snapshot, exportName, parameters: defaultParameters(), formulaGuard: true })
  const { samples } = await estimatePlan(plan, study.snapshot)
  const alone = await hashAlone(study, exportName)
  const times = { files: Object.assign([], { cpu: [] }), bucket: Object.assign([], { cpu: [] }) }
  for (let run = 0; run < runs; run++) {
    for (const [name, side] of Object.entries({ files, bucket })) {
      const { seconds, cpu, sha256 } = await runJob(side, plan, samples)
      if (sha256 !== alone) throw new Error(`${exportName} of the ${name} has other bytes`)
      times[name].push(seconds)
      times[name].cpu.push(cpu)
      await removeJob(side.jobs, await side.jobs.read(jobId(plan)))
    }
  }
  const mib = (bytes) => `${Math.round(bytes / 2 ** 20)} MiB`
  const detail = `equal to one process; at most ${mib(bucket.peak())} in a worker so far, from files ${mib(files.peak())}`
  const what = `\`${exportName}\` of ${size} samples by three workers from a bucket on this machine`
  return row(what, 'the same from files', '≥ 0.77 ×', { ours: times.bucket, theirs: times.files, detail })
}
