import { countOf, GRADES } from '../core/number-texts.ts'
import type { People } from '../core/people/people.ts'
import type { Settings } from '../core/view/chart-settings.ts'
import { Empty, HowToBringIn } from '../ui/waiting/states.tsx'
import type { FigureCounts } from './captions.ts'

/** Explains why there is nothing to draw. */
export function emptyOf(
  counts: FigureCounts | null,
  people: People,
  { participantQualityGradeItemMin: least, filter }: Settings,
) {
  if (counts === null || counts.counted.tests > 0) return null
  const { kept } = counts
  if (kept.tests > 0)
    return (
      <Empty title="There is no gaze to draw">
        <p>
          {kept.tests === 1 ? 'The kept test has' : `None of the ${countOf(kept.tests, 'kept test')} has`}{' '}
          {kept.tests === 1 ? 'no' : 'a'} sample with valid gaze, so it is unknown where its participant looked.
        </p>
      </Empty>
    )
  if (people.first.data?.total === 0)
    return (
      <Empty title="This study has no participants yet">
        <HowToBringIn />
      </Empty>
    )
  if (kept.testsTotal === 0)
    return (
      <Empty title="No gaze was recorded on this item">
        <p>The study has no test of this item, so there is nothing to draw. Other items may have tests.</p>
      </Empty>
    )
  return (
    <Empty title={`None of ${countOf(kept.testsTotal, 'test')} is kept`}>
      <p>
        {filter === ''
          ? `No test has at least quality grade ${least} (${GRADES[least]}). Choose a lower minimum quality grade.`
          : 'No test with the minimum quality grade matches the filter. Change the filter, or choose a lower grade.'}
      </p>
    </Empty>
  )
}
