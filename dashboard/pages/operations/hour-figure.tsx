import type { LastHour } from '../../core/api.ts'
import { type Colors, LIGHT, useTheme } from '../../core/colors/theme.ts'
import { bytes, countOf, lasting, wholeText } from '../../core/number-texts.ts'
import type { Numbers } from '../../core/numbers-csv.ts'
import { useData } from '../../core/use-data.ts'
import { ColorKey } from '../../figures/color-key.tsx'
import { Figure } from '../../figures/figure.tsx'
import { useInks } from '../../ui/chart/drawing.tsx'
import { PlotDrawing, useFrame } from '../../ui/chart/plot.tsx'
import { Words } from '../../ui/chart/words.tsx'

const LOOK_EVERY_MS = 15_000
const HOW = ['succeeded', 'failed', 'canceled'] as const
const colorOf = (colors: Colors, how: (typeof HOW)[number]) =>
  ({ succeeded: colors.accent, failed: colors.second, canceled: colors.muted })[how]

/** Draws how many jobs ended in the last hour and how long they waited, from the end files on disk. */
export function HourFigure({ version }: { version: string }) {
  const hour = useData<LastHour>('/api2/operations/last-hour', LOOK_EVERY_MS)
  const { data } = hour
  const { colors: onPage } = useTheme()
  const shown = HOW.filter((how) => data !== null && data.ended[how] > 0)
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
      legend={shown.map((how) => ({ color: colorOf(LIGHT, how), mark: '', label: how }))}
      below={
        shown.length > 0 && (
          <ColorKey label="Jobs" of={shown.map((how) => ({ label: how, color: colorOf(onPage, how) }))} />
        )
      }
    />
  )
}

function Facts({ hour: { ended, waitSeconds, runSeconds, samples, bytes: written } }: { hour: LastHour }) {
  const said = (spread: LastHour['waitSeconds']) =>
    spread === null ? '–' : `${lasting(spread.median)} · ${lasting(spread.p90)} · ${lasting(spread.longest)}`
  const facts: [string, string][] = [
    ['Jobs succeeded', wholeText(ended.succeeded)],
    ['Failed', wholeText(ended.failed)],
    ['Canceled', wholeText(ended.canceled)],
    ['Samples computed', wholeText(samples)],
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

const PLOT_PX = 134
/** Room for the times at the ends of the axis, px. */
const BELOW_PX = 30
const mostOf = (bins: LastHour['bins']) =>
  Math.max(1, ...bins.map((bin) => HOW.reduce((sum, how) => sum + bin[how], 0)))

function HourBars({ hour, colors, width }: { hour: LastHour; colors: Colors; width: number }) {
  const most = mostOf(hour.bins)
  return (
    <PlotDrawing
      {...{ width, colors }}
      plotPx={PLOT_PX}
      below={BELOW_PX}
      label={`Jobs that ended in the last hour: ${HOW.map((how) => `${how} ${hour.ended[how]}`).join(', ')}`}
      y={{ of: [0, most], label: 'Jobs', n: Math.min(4, most), isNice: true, isWhole: true }}
    >
      <Bars hour={hour} />
    </PlotDrawing>
  )
}

function Bars({ hour: { bins, startsAt, endsAt } }: { hour: LastHour }) {
  const { y, left, right, bottom } = useFrame()
  const colors = useInks()
  const step = (right - left) / bins.length
  return (
    <>
      {bins.map((bin, i) => {
        let base = 0
        return HOW.map((how) => {
          const [from, to] = [base, base + bin[how]]
          base = to
          return (
            <rect
              key={how}
              x={left + i * step + 2}
              y={y(to)}
              width={Math.max(1, step - 4)}
              height={y(from) - y(to)}
              fill={colorOf(colors, how)}
            />
          )
        })
      })}
      <Words x={left} y={bottom + 18} isMuted>
        {timeOf(startsAt)}
      </Words>
      <Words x={right} y={bottom + 18} anchor="end" isMuted>
        {timeOf(endsAt)}
      </Words>
    </>
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
