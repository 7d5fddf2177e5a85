import type { DropRate, Participants, Study } from '../core/api.ts'
import type { Colors } from '../core/colors/theme.ts'
import { isolate, wholeText } from '../core/number-texts.ts'
import type { Numbers } from '../core/numbers-csv.ts'
import { Drawing } from '../ui/chart/drawing.tsx'
import { cutTo, Words } from '../ui/chart/words.tsx'

type Rate = DropRate['studies'][number] | undefined

const LEFT = 190
const RIGHT = 130
const ROW = 26

/** Returns the stages of a study: started, participants on each item in the order of the study, completed. */
function stages(study: Study, people: Participants, rate: Rate): { label: string; n: number }[] {
  const onItems = study.items.map((item, i) => ({
    label: item.filename || `Item ${i + 1}`,
    n: people.testsByGrade[i].reduce((sum, n) => sum + n, 0),
  }))
  return [
    { label: 'Started', n: people.total },
    ...onItems,
    ...(rate === undefined ? [] : [{ label: 'Completed', n: rate.completedCount }]),
  ]
}

type DropOutProps = { study: Study; people: Participants; rate: Rate; width: number; colors: Colors }

export function DropOut({ study, people, rate, width, colors }: DropOutProps) {
  const rows = stages(study, people, rate)
  const height = rows.length * ROW + 8
  const most = Math.max(1, ...rows.map(({ n }) => n))
  // On a phone, numbers stay visible and names are truncated.
  const left = Math.min(LEFT, Math.round(width * 0.36))
  const full = width - left - RIGHT
  return (
    <Drawing
      {...{ width, height, colors }}
      label={`Drop-out: ${rows.map(({ label, n }) => `${isolate(label)} ${n}`).join(', ')}`}
    >
      {rows.map(({ label, n }, i) => {
        const isEnd = i === 0 || (i === rows.length - 1 && rate !== undefined)
        return (
          <g key={i} transform={`translate(0,${4 + i * ROW})`}>
            <Words y={16} fontPx={13} isStrong={isEnd}>
              {isolate(cutTo(label, left - 12, 13))}
            </Words>
            <rect x={left} y="3" width={full} height="18" fill={colors.sunken} />
            <rect
              x={left}
              y="3"
              width={full * (n / most)}
              height="18"
              fill={colors.accent}
              fill-opacity={isEnd ? 1 : 0.6}
            />
            <Words x={left + full + 10} y={16.5} fontPx={13}>
              {wholeText(n)}
              <tspan fill={colors.muted}>{` · ${percent(n, people.total)}`}</tspan>
            </Words>
          </g>
        )
      })}
    </Drawing>
  )
}

function percent(n: number, of: number): string {
  return of === 0 ? '–' : `${Math.round((100 * n) / of)} %`
}

export function dropOutNumbers(study: Study, people: Participants, rate: Rate): Numbers {
  return {
    columns: ['stage', 'participants', 'percent_of_started'],
    rows: stages(study, people, rate).map(({ label, n }) => [
      label,
      n,
      people.total === 0 ? null : Math.round((10_000 * n) / people.total) / 100,
    ]),
  }
}
