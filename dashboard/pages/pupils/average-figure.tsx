import type { PupilsData } from '../../core/api.ts'
import { GROUP_COLORS } from '../../core/colors/group-colors.ts'
import { useTheme } from '../../core/colors/theme.ts'
import { countOf, isolate, wholeText } from '../../core/number-texts.ts'
import { setQuery, usePlace } from '../../core/router.ts'
import type { Loaded } from '../../core/use-data.ts'
import type { Caption } from '../../figures/caption.ts'
import { NO_CAPTION } from '../../figures/captions.ts'
import { ColorKey } from '../../figures/color-key.tsx'
import { Figure } from '../../figures/figure.tsx'
import { Choice } from '../../ui/controls/choice.tsx'
import { Empty } from '../../ui/waiting/states.tsx'
import { type Group, groupColors } from '../groups/group-list.ts'
import { averageNumbers, type Edge, type EdgeTimes, PupilAverages, type PupilMeasure } from './averages.tsx'
import { averagingOf, type PupilFacts } from './pupil-methods.ts'

type AverageFigureProps = {
  loaded: Loaded<PupilsData>
  groups: Group[]
  times: EdgeTimes
  facts: PupilFacts
  subject: string
  /** Called while an edge is dragged, and on release. */
  onMove: (times: EdgeTimes) => void
  onDrop: (times: EdgeTimes) => void
}

/** Draws averages of pupils; the edges of the time and of the baseline can be dragged. */
export function AverageFigure({ loaded, groups, times, facts, subject, onMove, onDrop }: AverageFigureProps) {
  const { query } = usePlace()
  const { colors } = useTheme()
  const { data } = loaded
  const measure: PupilMeasure = query.get('pupil') === 'size' ? 'size' : 'aboveBaseline'
  const legend = groups.map(({ name }, g) => ({ color: GROUP_COLORS[g], mark: String(g + 1), label: name }))
  const isEmpty = data?.groups.every(({ participants }) => participants === 0) ?? false
  // The axis is fixed while one of its ends is dragged.
  const { pupilFromMs, pupilToMs } = facts.settings
  const shown = { ...times, pupilFromMs, pupilToMs }
  return (
    <Figure
      title="Average pupil"
      {...{ subject, loaded }}
      caption={data === null ? NO_CAPTION : captionOf(data, groups, measure, facts)}
      fileName="gazette-pupil-averages"
      draw={
        data === null || data.groups.length !== groups.length
          ? null
          : (own, width) => (
              <PupilAverages
                {...{ data, groups, measure, width }}
                times={shown}
                colors={own}
                onGrab={(edge, msPerPx, fromX) => drag({ edge, msPerPx, fromX }, times, { onMove, onDrop })}
              />
            )
      }
      madeOf={[data, measure, ...Object.values(shown), groups.map(({ name }) => name).join()]}
      numbers={() => averageNumbers(data!, groups)}
      empty={isEmpty ? NO_PUPIL : null}
      legend={groups.length > 1 ? legend : []}
      controls={
        <div class="row no-print">
          <Choice
            isInline
            label="Show"
            value={measure}
            of={{ aboveBaseline: 'Size above the baseline', size: 'Size' }}
            onChange={(value) => setQuery({ pupil: value === 'size' ? value : null })}
          />
          <span class="hint" role="status">
            Baseline {times.pupilBaselineFromMs} to {times.pupilBaselineToMs} ms, time {times.pupilFromMs} to{' '}
            {times.pupilToMs} ms: drag an edge of the shaded baseline or an end of the axis, or use the settings.
          </span>
        </div>
      }
      below={
        groups.length > 1 ? (
          <ColorKey label="Groups" of={groups.map(({ name }, g) => ({ label: name, color: groupColors(colors)[g] }))} />
        ) : null
      }
    />
  )
}

const NO_PUPIL = (
  <Empty title="No pupil in these tests">
    <p>None of the kept tests has a pupil size in this time window. Change the filter, the time window or the eye.</p>
  </Empty>
)

/** Dragged edge, with the position in px where the drag began. */
type Held = { edge: Edge; msPerPx: number; fromX: number }

/** Moves an edge with the pointer until its release; an edge stays where it was if the press becomes a scroll. */
function drag(
  { edge, msPerPx, fromX }: Held,
  times: EdgeTimes,
  { onMove, onDrop }: Pick<AverageFigureProps, 'onMove' | 'onDrop'>,
): void {
  const at = (event: PointerEvent) => withEdge(times, edge, times[edge] + (event.clientX - fromX) * msPerPx)
  const end = new AbortController()
  const { signal } = end
  const drop = (dropped: EdgeTimes) => {
    end.abort()
    onDrop(dropped)
  }
  window.addEventListener('pointermove', (event) => onMove(at(event)), { signal })
  window.addEventListener('pointerup', (event) => drop(at(event)), { signal })
  window.addEventListener('pointercancel', () => drop(times), { signal })
}

/** Returns times with one moved to a multiple of 10 ms, in order with the others. */
function withEdge(times: EdgeTimes, edge: Edge, ms: number): EdgeTimes {
  const rounded = Math.round(ms / 10) * 10
  const { pupilFromMs, pupilToMs, pupilBaselineFromMs, pupilBaselineToMs } = times
  const within = {
    pupilFromMs: () => Math.min(rounded, pupilToMs - 10),
    pupilToMs: () => Math.max(rounded, pupilFromMs + 10),
    pupilBaselineFromMs: () => Math.min(rounded, pupilBaselineToMs),
    pupilBaselineToMs: () => Math.max(rounded, pupilBaselineFromMs),
  }
  return { ...times, [edge]: within[edge]() }
}

function captionOf(data: PupilsData, groups: Group[], measure: PupilMeasure, facts: PupilFacts): Caption {
  const what = measure === 'size' ? 'Pupil size' : 'Pupil size above the baseline'
  const n = data.groups.map(({ participants, epochs }, g) => {
    const name = groups.length === 1 ? '' : ` in ${isolate(groups[g].name)}`
    return `${countOf(participants, 'participant')}${name} (${wholeText(epochs)} ${data.event === null ? 'tests' : 'events'})`
  })
  return {
    short: `${what}, mean and 95 % interval over participants, of ${n.join(', ')}.`,
    reading: averagingOf(facts),
    sources: data.groups.map(({ export: name, notes, participants }, g) => ({
      text: `${name} · ${isolate(groups[g].name)} · n = ${countOf(participants, 'participant')}`,
      notes,
    })),
  }
}
