import { useState } from 'preact/hooks'
import type { FixationsData } from '../core/api.ts'
import { isolate } from '../core/number-texts.ts'
import { useOneStop } from '../core/one-stop.ts'
import { whoOf } from '../core/people/people.ts'
import { setQuery } from '../core/router.ts'
import { PLOTTED_MAX, type Plotted } from '../core/view/chart-view.ts'
import { Button } from '../ui/controls/button.tsx'
import { Choice, type ChoiceOption } from '../ui/controls/choice.tsx'
import { AoiSwatch } from './aoi-legend.tsx'
import type { GazePlots } from './gaze-plots.ts'

/** Names the participants of gaze plots, with their colours and letters. */
export function PlotsKey({ plots }: { plots: GazePlots }) {
  return (
    <ul class="legend" aria-label="Participants with a gaze plot">
      {plots.drawn.map(({ participantId, name, color, letter }) => (
        <li key={participantId}>
          <AoiSwatch color={color} mark={letter} />
          <bdi>{name}</bdi>
        </li>
      ))}
    </ul>
  )
}

type GazePlotsChoiceProps = {
  plotted: Plotted | null
  plots: GazePlots | null
  tests: FixationsData['tests']
  names: Map<string, string>
}

/** Draws the choice of participants whose gaze plots are drawn, with their colours; the address keeps it. */
export function GazePlotsChoice({ plotted, plots, tests, names }: GazePlotsChoiceProps) {
  const stop = useOneStop<HTMLUListElement>()
  // Decided once, so that nothing folds while it is changed.
  const [isChosen] = useState(() => plotted !== null)
  const drawn = plots?.drawn ?? []
  const ids = drawn.map(({ participantId }) => participantId)
  // Those who have no test here, with these settings, stay chosen.
  const chosen = plotted === null || plotted === 'all' ? ids : plotted
  const choose = (next: string[] | 'all') => setQuery({ plots: next === 'all' ? next : next.join('.') || null })
  const free = [...new Set(tests.map(({ participantId }) => participantId))].filter((id) => !ids.includes(id))
  const options = free.map((id): ChoiceOption => [id, isolate(whoOf({ names }, id))])
  return (
    <details class="advanced no-print" open={isChosen}>
      <summary>Gaze plots of single participants</summary>
      <ul class="legend" aria-label="Participants with a gaze plot" {...stop}>
        {drawn.map(({ participantId, name, color, letter }) => (
          <li key={participantId}>
            <Button
              class="legend-entry"
              title="Click to remove"
              onClick={() => choose(chosen.filter((id) => id !== participantId))}
            >
              <AoiSwatch color={color} mark={letter} />
              <bdi>{name}</bdi> <span aria-hidden="true">×</span>
              <span class="unseen">: remove</span>
            </Button>
          </li>
        ))}
      </ul>
      <p class="row">
        {chosen.length < PLOTTED_MAX && free.length > 0 && (
          <Choice
            isInline
            label="Add"
            value=""
            of={[['', 'choose a participant'], ...options]}
            onChange={(id) => id !== '' && choose([...chosen, id])}
          />
        )}
        <Button class="small" onClick={() => choose('all')}>
          All shown, up to {PLOTTED_MAX}
        </Button>
        <Button class="small" disabled={plotted === null} onClick={() => choose([])}>
          None
        </Button>
      </p>
    </details>
  )
}
