import { scaleLinear } from 'd3-scale'
import type { LastHour } from '../../core/api.ts'
import type { Colors } from '../../core/colors/theme.ts'
import { bytes, count, countOf, lasting } from '../../core/number-texts.ts'
import type { Numbers } from '../../core/numbers-csv.ts'
import { useData } from '../../core/use-data.ts'
import { AxisLeft } from '../../figures/axis.tsx'
import { Drawing } from '../../figures/drawing.tsx'
import { Figure } from '../../figures/figure.tsx'

const LOOK_EVERY_MS = 15_000
const HOW = ['succeeded', 'failed', 'canceled'] as const
const colorOf = (colors: Colors, how: (typeof HOW)[number]) =>
  ({ succeeded: colors.accent, failed: colors.second, canceled: colors.muted })[how]

/** Draws how many jobs ended in the last hour and how long they waited, from the end files on disk. */
export function HourFigure({ version }: { version: string }) {
  const hour = useData<LastHour>('/api2/operations/last-hour', LOOK_EVERY_MS)
  const { data } = hour
  const short = data === null ? '' : captionOf(data)
  return (
    <Figure
      title="The last hour"
      caption={{
        short,
        reading: 'Each job counts by its last attempt; jobs removed since then do not count.',
        sources: [{ text: short.replace(/\.$/, ''), notes: `Gazette v${version}` }],
      }}
      fileName="gazette-last-hour"
      draw={data && ((colors, width) => <HourBars hour={data} colors={colors} width={width} />)}
      numbers={() => numbersOf(data!)}
      loaded={{ ...hour, isFresh: data !== null }}
      narrowest={320}
      controls={data !== null && <Facts hour={data} />}
    />
  )
}

function Facts({ hour: { ended, waitSeconds, runSeconds, samples, bytes: written } }: { hour: LastHour }) {
  const said = (spread: LastHour['waitSeconds']) =>
    spread === null ? '–' : `${lasting(spread.median)} · ${lasting(spread.p90)} · ${lasting(spread.longest)}`
  const facts: [string, string][] = [
    ['Jobs succeeded', count(ended.succeeded)],
    ['Failed', count(ended.failed)],
    ['Canceled', count(ended.canceled)],
    ['Samples computed', count(samples)],
    ['Written', bytes(written)],
    ['Waited: median · 90 % · maximum', said(waitSeconds)],
    ['Ran: median · 90 % · maximum', said(runSeconds)],
  ]
  return (
    <dl class="facts wide">
      {facts.map(([label, value]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

const timeOf = (iso: string) =>
  new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' }).format(new Date(iso))

function captionOf({ startsAt, endsAt, ended }: LastHour): string {
  const all = ended.succeeded + ended.failed + ended.canceled
  return `${countOf(all, 'job')} that ended from ${timeOf(startsAt)} to ${timeOf(endsAt)}; each bar is five minutes.`
}

const HEIGHT = 190
const [TOP, BOTTOM, LEFT] = [26, 160, 44]

type HourBarsProps = { hour: LastHour; colors: Colors; width: number }

function HourBars({ hour: { bins, startsAt, endsAt, ended }, colors, width }: HourBarsProps) {
  const most = Math.max(1, ...bins.map((bin) => HOW.reduce((sum, how) => sum + bin[how], 0)))
  const y = scaleLinear([0, most], [BOTTOM, TOP]).nice(4)
  const step = (width - LEFT - 8) / bins.length
  const legend = HOW.filter((how) => ended[how] > 0)
  return (
    <Drawing
      width={width}
      height={HEIGHT}
      label={`Jobs that ended in the last hour: ${HOW.map((how) => `${how} ${ended[how]}`).join(', ')}`}
    >
      <AxisLeft scale={y} x={LEFT} right={width - 8} n={Math.min(4, most)} label="Jobs" colors={colors} />
      {bins.map((bin, i) => {
        let base = 0
        return HOW.map((how) => {
          const [from, to] = [base, base + bin[how]]
          base = to
          const x = LEFT + i * step + 2
          return (
            <rect
              key={how}
              x={x}
              y={y(to)}
              width={Math.max(1, step - 4)}
              height={y(from) - y(to)}
              fill={colorOf(colors, how)}
            />
          )
        })
      })}
      <g font-size="12" fill={colors.muted}>
        <text x={LEFT} y={BOTTOM + 18}>
          {timeOf(startsAt)}
        </text>
        <text x={width - 8} y={BOTTOM + 18} text-anchor="end">
          {timeOf(endsAt)}
        </text>
        {legend.map((how, i) => (
          <g key={how} transform={`translate(${LEFT + i * 100},4)`}>
            <rect width="11" height="11" fill={colorOf(colors, how)} />
            <text x="17" y="10">
              {how}
            </text>
          </g>
        ))}
      </g>
    </Drawing>
  )
}

function numbersOf({ bins }: LastHour): Numbers {
  return {
    columns: ['from', 'succeeded', 'failed', 'canceled', 'wait_median_s'],
    rows: bins.map(({ startsAt, succeeded, failed, canceled, waitMedianSeconds }) => [
      startsAt,
      succeeded,
      failed,
      canceled,
      waitMedianSeconds,
    ]),
  }
}
