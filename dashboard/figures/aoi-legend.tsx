import type { Aoi, AoisData } from '../core/api.ts'
import { type AoiPaint, COLORED_MAX, inkOn } from '../core/colors/aoi-colors.ts'
import { isolate } from '../core/number-texts.ts'
import { useOneStop } from '../core/one-stop.ts'
import { setQuery } from '../core/router.ts'
import { toggled } from '../core/toggled.ts'
import { Button } from '../ui/controls/button.tsx'
import { Check, Chips } from '../ui/controls/choice.tsx'
import { aoiFacts } from './aoi-bars.tsx'
import type { LegendEntry } from './save.ts'
import './figures.css'

export function AoiSwatch({ color, place }: { color: string; place: number }) {
  return (
    <svg class="aoi-swatch" width="22" height="18" aria-hidden="true" focusable="false">
      <rect width="22" height="18" fill={color} />
      <text x="11" y="13.500" text-anchor="middle" font-size="12" font-weight="700" fill={inkOn(color)}>
        {place + 1}
      </text>
    </svg>
  )
}

type AoiLegendProps = { aois: Aoi[]; paint: AoiPaint; bars?: AoisData | null; onLight: (a: number | null) => void }

/** Lists AOIs with their numbers and colours; pressing one highlights it. */
export function AoiLegend({ aois, paint, bars = null, onLight }: AoiLegendProps) {
  const stop = useOneStop<HTMLUListElement>()
  return (
    <ul class={`legend${bars === null ? '' : ' told'}`} aria-label="Areas of interest" {...stop}>
      {aois.map((aoi, a) => (
        <li key={aoi.id}>
          <Button
            class="legend-entry"
            aria-pressed={paint.lit === a}
            title={`${isolate(aoi.name)}: click to highlight it`}
            onClick={() => onLight(paint.lit === a ? null : a)}
          >
            <AoiSwatch color={paint.colors[a]} place={a} />
            <span>
              <bdi>{aoi.name}</bdi>
              {bars !== null && <small> {aoiFacts(aoi, bars)}</small>}
            </span>
          </Button>
        </li>
      ))}
    </ul>
  )
}

type AoiChooserProps = { aois: Aoi[]; chosen: number[]; colors: string[] }

/** Chooses the AOIs with a colour of their own, as many as eyes can distinguish. */
export function AoiChooser({ aois, chosen, colors }: AoiChooserProps) {
  const toggle = (a: number) => {
    const places = toggled(chosen, a)
      .sort((one, other) => one - other)
      .map((each) => each + 1)
    setQuery({ aois: places.join('.') || 'none' })
  }
  return (
    <details class="chooser">
      <summary>
        Choose AOIs: {chosen.length} of {aois.length} have a colour of their own
      </summary>
      <p class="hint">
        At most {COLORED_MAX} colours remain distinguishable; the other AOIs are grey, with their numbers.
      </p>
      <Chips legend="AOIs with a colour of their own">
        {aois.map((aoi, a) => (
          <Check
            key={aoi.id}
            isOn={chosen.includes(a)}
            disabled={!chosen.includes(a) && chosen.length >= COLORED_MAX}
            onChange={() => toggle(a)}
          >
            <AoiSwatch color={colors[a]} place={a} />
            <bdi>{aoi.name}</bdi>
          </Check>
        ))}
      </Chips>
      <p class="row">
        <Button class="small" onClick={() => setQuery({ aois: 'none' })}>
          None
        </Button>
        <Button class="small" onClick={() => setQuery({ aois: null })}>
          The first {Math.min(COLORED_MAX, aois.length)}
        </Button>
      </p>
    </details>
  )
}

export function legendOf(aois: Aoi[], colors: string[], bars: AoisData | null = null): LegendEntry[] {
  return aois.map((aoi, a) => ({
    color: colors[a],
    mark: String(a + 1),
    label: bars === null ? isolate(aoi.name) : `${isolate(aoi.name)}: ${aoiFacts(aoi, bars)}`,
  }))
}
