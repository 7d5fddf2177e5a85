import { clickDisparities, type Disparities, targetDisparities } from '../../compute/disparities.ts'
import type { Chart } from './chart.ts'

/** Disparities at the clicks of each test, in the order of output, and at each participant's validations. */
export type OffsetsPart = {
  tests: ({ testId: string; itemId: string; participantId: string } & Disparities)[]
  participants: Map<string, Disparities>
}

/** Returns the chart that collects the disparities between gaze and clicks or targets. */
export function offsetsChart(): Chart<OffsetsPart> {
  return {
    export: 'quality-stats',
    reads: ['gazeXPx', 'gazeYPx', 'scrollYPx', 'clicks'],
    needsValidations: true,
    start: () => ({ tests: [], participants: new Map() }),
    addTest: (part, { identity: { test, item, participant }, samples }, context) => {
      const clicks = clickDisparities(samples)
      if (clicks.dx.length > 0)
        part.tests.push({ testId: test.id, itemId: item.id, participantId: participant.id, ...clicks })
      if (!part.participants.has(participant.id))
        part.participants.set(participant.id, targetDisparities(context.validationsOf(participant)))
    },
    merge: (total, part) => {
      for (const test of part.tests) total.tests.push(test)
      for (const [id, own] of part.participants) total.participants.set(id, own)
    },
  }
}
