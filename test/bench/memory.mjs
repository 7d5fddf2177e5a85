// Peak memory of a whole export process, by size of the study.
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { OUT, snapshotOf } from './data.mjs'
import { median, row } from './measure.mjs'
import { finished, gazette, watchPeak } from './process.mjs'

export async function benchMemory({ quick, large, threads, runs, wanted }) {
  if (!wanted('memory')) return []
  const sizes = quick ? ['small', '1m'] : large ? ['12m', '120m'] : ['1m', '12m']
  const output = join(OUT, 'memory.csv')
  const peaks = []
  for (const size of sizes) {
    const { dataDir, studyId } = await snapshotOf(size)
    const found = []
    for (let run = 0; run < (size === '120m' ? 1 : Math.min(3, runs)); run++) {
      const child = gazette(['export', 'gazes-split', '--study', studyId, '-o', output], {
        dataDir,
        env: { ENGINE_THREADS: String(threads) },
      })
      const peak = watchPeak(child)
      await finished(child)
      found.push(peak() / 2 ** 20)
    }
    peaks.push(median(found))
  }
  await rm(output, { force: true })
  const detail = `${sizes.map((size, i) => `${size}: ${peaks[i].toFixed(0)} MiB`).join(', ')}; ${(peaks[1] / peaks[0]).toFixed(2)} ×`
  return [
    row(
      `peak memory of gazes-split, ${threads} threads, ${sizes.join(' to ')}`,
      '',
      '12 M to 120 M: ≤ 1.1 ×, ≤ 512 MB',
      { detail },
    ),
  ]
}
