// Whole processes.
import { spawn } from 'node:child_process'
import { cp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { csvBundleOf, OUT, snapshotOf } from './data.mjs'
import { inTurn, median, row } from './measure.mjs'
import { finished, gazette, lineOf, stop } from './process.mjs'

export async function benchCommands({ runs, wanted }) {
  return [...(wanted('process') ? await benchBundle(runs) : []), ...(wanted('cold') ? await benchCold(runs) : [])]
}

/** Commands on a small study, which mostly load the program, beside Node that does nothing. */
async function benchCold(runs) {
  const { dataDir: small, studyId } = await snapshotOf('small')
  // With the embedded queue, which a second start finds.
  const dataDir = join(OUT, 'cold')
  await rm(dataDir, { recursive: true, force: true })
  await cp(small, dataDir, { recursive: true })
  const output = join(OUT, 'fixations.csv')
  const exported = ['export', 'fixations', '--study', studyId, '-o', output, '--force']
  const startOnce = async () => {
    const child = gazette(['start'], { dataDir })
    await lineOf(child, /listening on/)
    return child
  }
  const starts = []
  const seconds = await inTurn(
    {
      node: () => finished(spawn(process.execPath, ['-e', '0'], { stdio: ['ignore', 'pipe', 'pipe'] })),
      help: () => finished(gazette(['--help'], { dataDir })),
      exported: () => finished(gazette(exported, { dataDir })),
      start: async () => {
        const begunMs = performance.now()
        const child = await startOnce()
        starts.push((performance.now() - begunMs) / 1000)
        await stop(child)
      },
    },
    runs,
  )
  await rm(dataDir, { recursive: true, force: true })
  await rm(output, { force: true })
  const times = (ours) => `${(median(ours) / median(seconds.node)).toFixed(1)} × Node`
  return [
    row('gazette --help', 'node -e 0', '≤ 2 ×', { ours: seconds.help, detail: times(seconds.help) }),
    row('gazette export fixations of a small study', 'node -e 0', '≤ 4 ×', {
      ours: seconds.exported,
      detail: times(seconds.exported),
    }),
    row('gazette start, with data and queue, until it listens', '', '≤ 2 s', { ours: starts.slice(1) }),
  ]
}

/**
 * From a bundle to a CSV of fixations; the study has no more AOIs than a demo, since what is quoted beside reads none.
 */
async function benchBundle(runs) {
  const dataDir = join(OUT, 'imported')
  const directory = await csvBundleOf('1m-plain')
  const output = join(OUT, 'fixations.csv')
  const before = () => rm(dataDir, { recursive: true, force: true })
  const importSeconds = []
  const ours = async () => {
    const start = performance.now()
    const study = await finished(gazette(['import', directory], { dataDir }))
    importSeconds.push((performance.now() - start) / 1000)
    await finished(gazette(['export', 'fixations', '--study', study, '-o', output, '--force'], { dataDir }))
  }
  const seconds = await inTurn({ ours }, runs, { before })
  await before()
  await rm(output, { force: true })
  const detail = `of it ${median(importSeconds).toFixed(2)} s import; others read one file and check nothing`
  return [
    row(
      'a bundle of 1 M gaze rows in CSV to fixations, two processes',
      'quoted: PyGazeAnalyser 1.1 s, saccades 7.3 s, REMoDNaV 28 s',
      '≤ 0.9 s',
      { ours: seconds.ours, detail },
    ),
  ]
}
