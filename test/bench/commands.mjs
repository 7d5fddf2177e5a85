// Whole processes from a bundle to a CSV of fixations; the study has no more AOIs than a demo, since what is quoted
// beside reads none.
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { csvBundleOf, OUT } from './data.mjs'
import { inTurn, median, row } from './measure.mjs'
import { finished, gazette } from './process.mjs'

export async function benchCommands({ runs, wanted }) {
  if (!wanted('process')) return []
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
