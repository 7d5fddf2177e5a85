// Peak memory of a whole export process, by format and size of the study. What it writes is dropped: NDJSON of 120 M
// samples is more than most disks have room for.
import { snapshotOf } from './data.mjs'
import { median, row } from './measure.mjs'
import { finished, gazette, watchPeak } from './process.mjs'

const FORMATS = ['csv', 'ndjson', 'arrow', 'parquet']

export async function benchMemory({ quick, large, threads, runs, wanted }) {
  const formats = FORMATS.filter((format) => wanted('memory') || wanted(`memory-${format}`))
  if (formats.length === 0) return []
  const sizes = quick ? ['small', '1m'] : large ? ['12m', '120m'] : ['1m', '12m']
  const studies = []
  for (const size of sizes) studies.push(await snapshotOf(size))
  const rows = []
  for (const format of formats) rows.push(await rowOf(format, sizes, studies, { threads, runs }))
  return rows
}

async function rowOf(format, sizes, studies, { threads, runs }) {
  const peaks = sizes.map(() => [])
  for (let run = 0; run < runs; run++) {
    for (const [i, { dataDir, studyId }] of studies.entries()) {
      const child = gazette(['export', 'gazes-split', '--study', studyId, '--format', format], {
        dataDir,
        stdout: 'ignore',
        env: { ENGINE_THREADS: String(threads) },
      })
      const peak = watchPeak(child)
      await finished(child)
      peaks[i].push(peak() / 2 ** 20)
    }
  }
  const told = sizes.map((size, i) => {
    const [middle, least, most] = [median(peaks[i]), Math.min(...peaks[i]), Math.max(...peaks[i])]
    return `${size}: ${middle.toFixed(0)} MiB (${least.toFixed(0)} to ${most.toFixed(0)})`
  })
  const detail = `${told.join(', ')}; ${(median(peaks[1]) / median(peaks[0])).toFixed(2)} ×`
  const what = `peak memory of gazes-split as ${format}, ${threads} threads, ${sizes.join(' to ')}`
  return row(what, '', '12 M to 120 M: ≤ 1.2 ×, ≤ 512 MiB', { detail })
}
