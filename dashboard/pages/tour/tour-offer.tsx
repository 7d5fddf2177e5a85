import type { Study } from '../../core/api.ts'
import { useLink } from '../../core/link-seen.ts'
import { isDemo, setTour, useTour } from '../../core/tour.ts'
import { Button } from '../../ui/controls/button.tsx'
import './tour.css'

/** Offers the tour on the page of a demo study: first as a note that can be dismissed, later as a quiet button. */
export function TourOffer({ study }: { study: Study }) {
  const { tour, isOver } = useTour()
  const link = useLink()
  if (link !== null || tour !== null || !isDemo(study) || study.items.length === 0) return null
  const start = () => setTour({ studyId: study.id, itemId: study.items[0].id, step: 0 })
  if (isOver)
    return (
      <p class="no-print">
        <Button class="link" onClick={start}>
          Tour of this demo
        </Button>
      </p>
    )
  return (
    <section class="row tour-offer no-print" aria-label="Tour">
      <p class="hint">
        This is a demo study with synthetic recordings. A tour of six pages shows what you can do with a study.
      </p>
      <Button class="small" onClick={start}>
        Take the tour
      </Button>
      <Button class="small quiet" onClick={() => setTour(null)}>
        Not now
      </Button>
    </section>
  )
}
