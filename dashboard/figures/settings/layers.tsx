import type { HeatmapData } from '../../core/api.ts'
import { HEAT_MAPS } from '../../core/colors/heat-colors.ts'
import { useTheme } from '../../core/colors/theme.ts'
import type { Heat } from '../../core/heat/paint-heat.ts'
import { significant } from '../../core/number-texts.ts'
import { setQuery } from '../../core/router.ts'
import { KERNEL, LAYER_NAMES, type Layers, OPACITY, type View } from '../../core/view/chart-view.ts'
import { ColorBar } from '../color-bar.tsx'

const LABELS: Record<keyof Layers, string> = {
  scanpath: 'Fixations',
  gaze: 'Gaze points',
  heatmap: 'Heatmap',
  aois: 'AOIs',
}

/** Draws the choice of layers over the picture. */
export function LayerControls({ layers, hasAois }: { layers: Layers; hasAois: boolean }) {
  const toggle = (name: keyof Layers) => {
    const next = LAYER_NAMES.filter((each) => (each === name ? !layers[name] : layers[each]))
    setQuery({ layers: next.join('.') || 'none' })
  }
  return (
    <fieldset class="row chips">
      <legend class="unseen">Show over the picture</legend>
      {LAYER_NAMES.map((name) => {
        const isOff = name === 'aois' && !hasAois
        return (
          <label key={name} class="chip" title={isOff ? 'This item has no AOIs' : undefined}>
            <input type="checkbox" checked={layers[name] && !isOff} disabled={isOff} onChange={() => toggle(name)} />
            {LABELS[name]}
          </label>
        )
      })}
    </fieldset>
  )
}

/** Draws the settings of the heatmap. */
export function HeatControls({ view: { of, weighting, heat }, drawn }: { view: View; drawn: Heat | null }) {
  const opacity = Math.round(100 * heat.opacity)
  return (
    <div class="row heat-controls">
      <label class="inline">
        Of{' '}
        <select value={of} onChange={(event) => setQuery({ of: event.currentTarget.value, max: null })}>
          <option value="gazes">gaze points</option>
          <option value="fixations">fixation time</option>
        </select>
      </label>
      <label class="inline">
        Weighting{' '}
        <select value={weighting} onChange={(event) => setQuery({ weighting: event.currentTarget.value, max: null })}>
          <option value="counts">{of === 'gazes' ? 'every point equally' : 'all time equally'}</option>
          <option value="participants">every participant equally (share of time)</option>
        </select>
      </label>
      <label class="inline">
        Colours{' '}
        <select value={heat.colors} onChange={(event) => setQuery({ colors: event.currentTarget.value })}>
          {Object.entries(HEAT_MAPS).map(([name, { label }]) => (
            <option key={name} value={name}>
              {label}
            </option>
          ))}
        </select>
      </label>
      <label class="inline">
        Scale{' '}
        <select
          value={heat.max === null ? 'own' : 'same'}
          disabled={drawn === null}
          onChange={({ currentTarget: { value } }) =>
            setQuery({ max: value === 'own' || drawn === null ? null : String(Number(drawn.end.toPrecision(3))) })
          }
        >
          <option value="own">up to its own peak</option>
          <option value="same">fixed, up to {significant(heat.max ?? drawn?.end ?? 0)}</option>
        </select>
      </label>
      <label class="inline">
        Smoothing σ{' '}
        <input
          type="range"
          min={KERNEL.min}
          max={KERNEL.max}
          step={KERNEL.step}
          value={heat.kernel}
          aria-valuetext={`${heat.kernel} % of the item's mean side`}
          onInput={(event) => setQuery({ kernel: event.currentTarget.value })}
        />{' '}
        {heat.kernel} %
      </label>
      <label class="inline">
        Opacity{' '}
        <input
          type="range"
          min={OPACITY.min}
          max={OPACITY.max}
          step={OPACITY.step}
          value={opacity}
          aria-valuetext={`${opacity} %`}
          onInput={(event) => setQuery({ opacity: event.currentTarget.value })}
        />{' '}
        {opacity} %
      </label>
    </div>
  )
}

export function HeatLegend({ data, heat }: { data: HeatmapData; heat: Heat }) {
  const { colors } = useTheme()
  return <ColorBar data={data} heat={heat} colors={colors} />
}
