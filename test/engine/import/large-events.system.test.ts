import { expect, test } from 'vitest'
import { loadEvents } from '../../../engine/snapshot/rows/read-events.ts'
import { makeStudyFixture, STUDY_ID, smallBundle, uuid } from './bundles.ts'
import { currentSnapshot } from './contents.ts'

test('events may take more than 64 MiB, as a conversion may write them', async () => {
  const fixture = await makeStudyFixture()
  try {
    const test_id = uuid('c', 1)
    const long = 'x'.repeat(10_000)
    const events = Array.from({ length: 7000 }, (_, i) => ({ test_id, t_ms: String(i), name: 'text', value: long }))
    await fixture.importing({ ...smallBundle(), events })
    const found = await loadEvents(await currentSnapshot(fixture.dataDir, STUDY_ID), Int32Array.of(0))
    expect(found.get(test_id)!.value.filter((value) => value === long)).toHaveLength(7000)
  } finally {
    await fixture.remove()
  }
})
