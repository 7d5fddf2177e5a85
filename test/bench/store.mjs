// Exports from a bucket on this machine beside the same from files: whole processes, with nothing in the cache before.
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { serveBucket } from './bucket-server.mjs'
import { OUT, snapshotOf } from './data.mjs'
import { inTurn, row } from './measure.mjs'
import { finished, gazette, stop, watchPeak } from './process.mjs'

export async function benchStore({ quick, runs, wanted }) {
  if (!wanted('store')) return []
  const { dataDir, studyId } = await snapshotOf(quick ? '1m' : '12m')
  const { server, env } = await serveBucket(dataDir)
  const cached = join(OUT, 'store')
  const output = join(OUT, 'store.csv')
  try {
    const rows = []
    for (const name of ['fixations', 'gazes-raw', 'gazes-split']) {
      const peaks = { files: 0, bucket: 0 }
      const args = ['export', name, '--study', studyId, '-o', output, '--force']
      const timed = (which, options) => async () => {
        const child = gazette(args, options)
        const peak = watchPeak(child)
        await finished(child)
        peaks[which] = Math.max(peaks[which], peak())
      }
      const before = () => rm(cached, { recursive: true, force: true })
      const seconds = await inTurn(
        {
          bucket: timed('bucket', { dataDir: cached, env }),
          files: timed('files', { dataDir }),
        },
        runs,
        { before },
      )
      const mib = (bytes) => `${Math.round(bytes / 2 ** 20)} MiB`
      const detail = `at most ${mib(peaks.bucket)} of memory, from files ${mib(peaks.files)}`
      const what = `${name} of ${quick ? 1 : 12} M samples from a bucket on this machine, nothing cached`
      rows.push(row(what, 'the same from files', '≥ 0.77 ×', { ours: seconds.bucket, theirs: seconds.files, detail }))
    }
    return rows
  } finally {
    await stop(server)
    await rm(cached, { recursive: true, force: true })
    await rm(output, { force: true })
  }
}
