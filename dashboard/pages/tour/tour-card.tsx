import './tour.css'
import { useEffect, useRef } from 'preact/hooks'
import { navigate } from '../../core/router.ts'
import { setTour, type Tour } from '../../core/tour.ts'
import { Button } from '../../ui/controls/button.tsx'
import { TOUR_STEPS } from './steps.ts'

/** Draws a step of the tour beside the page, which stays usable. Escape within the card ends the tour. */
export function TourCard({ tour }: { tour: Tour }) {
  const step = TOUR_STEPS[tour.step]
  const heading = useRef<HTMLHeadingElement | null>(null)
  useEffect(() => heading.current?.focus({ preventScroll: true }), [tour.step])
  const go = (to: number) => {
    const next = { ...tour, step: to }
    setTour(next)
    navigate(TOUR_STEPS[to].pathOf(next))
  }
  const leave = () => {
    setTour(null)
    document.getElementById('main')?.focus({ preventScroll: true })
  }
  return (
    <aside
      class="card tour no-print"
      aria-label="Tour of the demo"
      onKeyDown={(event) => event.key === 'Escape' && leave()}
    >
      <p class="hint">
        Tour of the demo, {tour.step + 1} of {TOUR_STEPS.length}
      </p>
      <h2 ref={heading} tabIndex={-1}>
        {step.title}
      </h2>
      <p>{step.text}</p>
      <div class="row">
        {tour.step > 0 && (
          <Button class="small" onClick={() => go(tour.step - 1)}>
            Back
          </Button>
        )}
        {tour.step < TOUR_STEPS.length - 1 && (
          <Button class="small primary" onClick={() => go(tour.step + 1)}>
            Next: {TOUR_STEPS[tour.step + 1].title.toLowerCase()}
          </Button>
        )}
        <Button class="small" onClick={leave}>
          {tour.step < TOUR_STEPS.length - 1 ? 'Leave the tour' : 'End the tour'}
        </Button>
      </div>
    </aside>
  )
}
