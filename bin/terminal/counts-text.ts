import type { Snapshot } from '../../engine/model/study.ts'
import { countText } from './count.ts'

/** Formats the contents of a snapshot: "2 participants, 1 item, 2 tests, 4 samples". */
export function heldText({ participants, items, tests, samples }: Snapshot['manifest']['counts']): string {
  const held = [
    countText(participants, 'participant'),
    countText(items, 'item'),
    countText(tests, 'test'),
    countText(samples, 'sample'),
  ]
  return held.join(', ')
}
