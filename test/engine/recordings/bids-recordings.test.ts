import { expect, test } from 'vitest'
import { makeDraft } from '../../../engine/recordings/draft/draft.ts'
import { type BidsSource, groupRuns } from '../../../engine/recordings/trackers/bids-recordings.ts'

/** Recordings of a run, in which only the name of the file and the eye count. */
function grouped(eyes: string[]) {
  const draft = makeDraft('Study')
  const recordings = eyes.map((eye, i) => ({ stem: 'run-1', eye, data: { name: `${i}.tsv` } }) as BidsSource)
  const [{ first, others }] = groupRuns(recordings, draft)
  const left = draft.notes.left.get('further recordings of the same eye')?.count ?? 0
  return [first.data.name, others.map(({ data }) => data.name), left]
}

test('a run has one recording of each eye, and further ones of the same eye are counted as left out', () => {
  expect(grouped(['left', 'right'])).toEqual(['0.tsv', ['1.tsv'], 0])
  expect(grouped(['left', 'left', 'right'])).toEqual(['0.tsv', ['2.tsv'], 1])
  expect(grouped(['left', 'right', 'cyclopean', 'right', 'cyclopean'])).toEqual(['2.tsv', ['0.tsv', '1.tsv'], 2])
})
