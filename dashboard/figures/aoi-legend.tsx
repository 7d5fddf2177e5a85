import { AOI_COLOR_NAMES } from '../../isomorphic/aoi-color-names.ts'
import { usePickedColors } from '../core/analysis/use-aoi-colors.ts'
import type { Aoi, AoisData, Study } from '../core/api.ts'
import { type AoiPaint, COLORED_MAX, inkOn } from '../core/colors/aoi-colors.ts'
import { PAINT } from '../core/colors/picked-colors.ts'
import { isolate } from '../core/number-texts.ts'
import { useOneStop } from '../core/one-stop.ts'
import { setQuery } from '../core/router.ts'
import { Button } from '../ui/controls/button.tsx'
import { Select } from '../ui/controls/choice.tsx'
import { aoiFacts } from './aoi-bars.tsx'
import type { LegendEntry } from './save.ts'
import './figures.css'

/** Draws a number or a letter on its colour. */
export function AoiSwatch({ color, mark }: { color: string; mark: string | number }) {
  return (
    <svg class="aoi-swatch" width="22" height="18" aria-hidden="true" focusable="false">
      <rect width="22" height="18" fill={color} />
      <text x="11" y="13.500" text-anchor="middle" font-size="12" font-weight="700" fill={inkOn(color)}>
        {mark}
      </text>
    </svg>
  )
}

/** Lists AOIs with their numbers and colours, where nothing is to be pressed: in a report and on paper. */
export function AoiKey({ aois, colors }: { aois: Aoi[]; colors: string[] }) {
  if (aois.length === 0) return null
  return (
    <ul class="legend" aria-label="Areas of interest">
      {aois.map(({ id, name }, a) => (
        <li key={id}>
          <AoiSwatch color={colors[a]} mark={a + 1} />
          <bdi>{name}</bdi>
        </li>
      ))}
    </ul>
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
            <AoiSwatch color={paint.colors[a]} mark={a + 1} />
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

type AoiChooserProps = { study: Study; aois: Aoi[]; chosen: number[]; colors: string[] }

/** Chooses the colours of AOIs, of which as many as eyes can distinguish have one of their own. */
export function AoiChooser({ study, aois, chosen, colors }: AoiChooserProps) {
  const { names, pick } = usePickedColors(study, aois, chosen)
  return (
    <details class="chooser">
      <summary>
        Colours: {chosen.length} of {aois.length} AOIs have one of their own
      </summary>
      <p class="hint">
        A colour belongs to a name, on all items. At most {COLORED_MAX} remain distinguishable; the other AOIs are grey,
        with their numbers. “Save” above keeps the colours in the analysis.
      </p>
      <ul class="colors" aria-label="Colours of AOIs">
        {aois.map((aoi, a) => (
          <li key={aoi.id} class="row">
            <AoiSwatch color={colors[a]} mark={a + 1} />
            <bdi>{aoi.name}</bdi>
            <Select
              aria-label={`Colour of ${isolate(aoi.name) || `AOI ${a + 1}`}`}
              value={names[a] ?? 'grey'}
              of={['grey' as const, ...AOI_COLOR_NAMES].map((name) => [name, name] as const)}
              onChange={(color) => pick(a, color === 'grey' ? null : color)}
            />
          </li>
        ))}
      </ul>
      <p class="row">
        <Button class="small" onClick={() => setQuery({ aois: 'none' })}>
          All grey
        </Button>
        <Button class="small" onClick={() => setQuery({ aois: null, [PAINT]: null })}>
          As they were
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
