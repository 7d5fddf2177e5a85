import { makeBatch } from '../draft/batch.ts'
import type { Reader } from '../reader/reader.ts'
import { bidsRecordingOf, EYETRACK, groupRuns, nameSubjects, OLDER_EYE } from './bids-recordings.ts'
import { readRun } from './bids-run.ts'
import { inShownOrder } from './bids-scans.ts'

/**
 * Reads eye tracking in BIDS 1.11: `…_recording-…_physio.tsv.gz` without a header, whose JSON sidecar has `PhysioType:
 * eyetrack`, `Columns`, `SamplingFrequency` and `StartTime` (s); positions in the unit of their column, `n/a` for lost.
 * Items come from `…_events.tsv` (onset and duration in s, `stim_file` or `trial_type`), the screen from
 * `StimulusPresentation` of its JSON. The sidecar of a file has the same name; sidecars in parent folders apply by
 * BIDS' inheritance principle. Drafts before 1.11 named the file `…_eyetrack.tsv.gz` and its columns after their eye,
 * and had the screen in its sidecar; some labs write a header.
 */
export const bids: Reader = {
  name: 'bids',
  title: 'BIDS eye tracking',
  hasSidecars: true,
  heeds: ['events'],
  recognises: ({ name, head }) =>
    EYETRACK.test(name) || OLDER_EYE.test(name) || (/^\s*\{/.test(head) && /"PhysioType"\s*:\s*"eyetrack"/.test(head)),
  async *read(_sidecars, all, draft, options) {
    const batch = makeBatch()
    const recordings = all.map((file) => bidsRecordingOf(file, all, draft)).filter((one) => one !== null)
    const subjects = nameSubjects(recordings, draft)
    const runs = await inShownOrder(groupRuns(recordings, draft), all, draft)
    for (const run of runs) yield* readRun(run, subjects(run.first), all, draft, options, batch)
    if (batch.n > 0) yield batch
  },
}
