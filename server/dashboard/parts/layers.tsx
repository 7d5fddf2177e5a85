import type { HeatmapData } from '../api.ts'
import type { Heat } from '../charts/heat.ts'
import type { Layers } from '../charts/stimulus.tsx'
import { decimal } from '../number-texts.ts'
import { setQuery } from '../router.ts'

const LAYER_NAMES: { name: keyof Layers; label: string }[] = [
  { name: 'scanpath', label: 'Fixations' },
  { name: 'gaze', label: 'Gaze points' },
  { name: 'heatmap', label: 'Heatmap' },
  { name: 'aois', label: 'AOIs' },
]
export const KERNEL_DEFAULT = 2.5

/** Reads the layers from the address; by default those that suit all participants, or one. */
export function readLayers(text: string | null, isOne: boolean): Layers {
  const chosen = text === null ? (isOne ? ['scanpath'] : ['heatmap']) : text.split('.')
  const has = (name: string) => chosen.includes(name)
  return { gaze: has('gaze'), scanpath: has('scanpath'), heatmap: has('heatmap'), aois: has('aois') }
}

export function LayerControls({
  layers,
  of,
  kernel,
  hasAois,
}: {
  layers: Layers
  of: string
  kernel: number
  hasAois: boolean
}) {
  const toggle = (name: keyof Layers) => {
    const next = LAYER_NAMES.filter((layer) => (layer.name === name ? !layers[name] : layers[layer.name]))
    setQuery({ layers: next.map((layer) => layer.name).join('.') || 'none' })
  }
  return (
    <div class="layer-bar">
      <fieldset class="row chips">
        <legend class="unseen">Show over the picture</legend>
        {LAYER_NAMES.map(({ name, label }) => {
          const isOff = name === 'aois' && !hasAois
          return (
            <label key={name} class="chip" title={isOff ? 'This item has no AOIs' : undefined}>
              <input type="checkbox" checked={layers[name] && !isOff} disabled={isOff} onChange={() => toggle(name)} />
              {label}
            </label>
          )
        })}
      </fieldset>
      {layers.heatmap && (
        <div class="row">
          <label class="inline">
            Heat of{' '}
            <select value={of} onChange={(event) => setQuery({ of: event.currentTarget.value })}>
              <option value="gazes">gaze points</option>
              <option value="fixations">fixation time</option>
            </select>
          </label>
          <label class="inline">
            Kernel σ{' '}
            <input
              type="range"
              min={0.5}
              max={8}
              step={0.5}
              value={kernel}
              aria-valuetext={`${kernel} % of the item's width`}
              onInput={(event) => setQuery({ kernel: event.currentTarget.value })}
            />{' '}
            {kernel} %
          </label>
        </div>
      )}
    </div>
  )
}

export function HeatLegend({ heatmap, heat }: { heatmap: HeatmapData | null; heat: Heat | null }) {
  if (heatmap === null || heat === null) return null
  const cellWidth = decimal(100 / heatmap.columns)
  const cellHeight = decimal(100 / heatmap.rows)
  return (
    <div class="heat-legend">
      <span>0</span>
      <span class="ramp" aria-hidden="true" />
      <span>
        {decimal(heat.peak)} {heatmap.unit} per cell of {cellWidth} × {cellHeight} %
      </span>
    </div>
  )
}
