import type { Scanpath } from '../../compute/scanpath.ts'
import { scanpathOf } from '../../exports/columns/test-scanpath.ts'
import type { Chart } from './chart.ts'
import { GAZE_COLUMNS } from './viewers.ts'

/** Scanpath of the first test of a participant. */
export type OwnScanpath = { participantId: string; testId: string; scanpath: Scanpath; aspect: number }
export type ScanpathsPart = { scanpaths: OwnScanpath[] }

/** Returns the chart that gathers the scanpaths of an item, of the first test of each participant. */
export function scanpathsChart(): Chart<ScanpathsPart> {
  return {
    export: 'scanpaths',
    reads: [...GAZE_COLUMNS, 'scrollYPx'],
    ofViewers: true,
    start: () => ({ scanpaths: [] }),
    addTest: (part, run, context) => {
      const { participant, test } = run.identity
      if (part.scanpaths.at(-1)?.participantId === participant.id) return
      const { scanpath, aspect } = scanpathOf(run, context)
      part.scanpaths.push({ participantId: participant.id, testId: test.id, scanpath, aspect })
    },
    merge: (total, part) => {
      const known = total.scanpaths.at(-1)?.participantId
      total.scanpaths.push(...part.scanpaths.filter(({ participantId }) => participantId !== known))
    },
  }
}
