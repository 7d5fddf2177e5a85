import type { Scanpath } from '../../compute/scanpath.ts'
import { measureScanpath, type PairSums, type ScanpathMeasures } from '../../exports/columns/scanpath-measures.ts'
import { scanpathOf } from '../../exports/columns/test-scanpath.ts'
import type { Chart } from './chart.ts'
import { GAZE_COLUMNS } from './viewers.ts'

/** Scanpath of the first test of a participant, its measures, and the index of the test among all. */
export type OwnScanpath = {
  participantId: string
  testId: string
  scanpath: Scanpath
  aspect: number
  measures: ScanpathMeasures
  place: number
}
/** `pairs` are those of all tests, over which K is standardized. */
export type ScanpathsPart = { scanpaths: OwnScanpath[]; pairs: PairSums[] }

/** Returns the chart that gathers the scanpaths of an item, of the first test of each participant. */
export function scanpathsChart(): Chart<ScanpathsPart> {
  return {
    export: 'scanpaths',
    reads: [...GAZE_COLUMNS, 'scrollYPx'],
    ofViewers: true,
    start: () => ({ scanpaths: [], pairs: [] }),
    addTest: (part, run, context) => {
      const { participant, test } = run.identity
      const own = scanpathOf(run, context)
      const measures = measureScanpath(own, run, context)
      const place = part.pairs.push(measures.pairs) - 1
      if (part.scanpaths.at(-1)?.participantId === participant.id) return
      const { scanpath, aspect } = own
      part.scanpaths.push({ participantId: participant.id, testId: test.id, scanpath, aspect, measures, place })
    },
    merge: (total, part) => {
      const known = total.scanpaths.at(-1)?.participantId
      const before = total.pairs.length
      const added = part.scanpaths.filter(({ participantId }) => participantId !== known)
      total.scanpaths.push(...added.map((own) => ({ ...own, place: own.place + before })))
      total.pairs.push(...part.pairs)
    },
  }
}
