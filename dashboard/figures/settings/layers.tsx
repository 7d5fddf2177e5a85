import { useId, useState } from 'preact/hooks'
import type { HeatmapData } from '../../core/api.ts'
import { FOGS, HEAT_MAPS } from '../../core/colors/heat-maps.ts'
import { useTheme } from '../../core/colors/theme.ts'
import type { Heat } from '../../core/heat/paint-heat.ts'
import { significant } from '../../core/number-texts.ts'
import { useOneStop } from '../../core/one-stop.ts'
import { setQuery } from '../../core/router.ts'
import { FOG_OPACITY, KERNEL, LAYER_NAMES, type Layers, OPACITY, type View } from '../../core/view/chart-view.ts'
import { Check, Chips, Choice, type ChoiceOption } from '../../ui/controls/choice.tsx'
import { Inline } from '../../ui/controls/field.tsx'
import { Panel } from '../../ui/controls/panel.tsx'
import { ColorBar } from '../color-bar.tsx'

const LABELS: Record<keyof Layers, string> = {
  scanpath: 'Fixations',
  gaze: 'Gaze points',
  heatmap: 'Heatmap',
  fog: 'Fog map',
  aois: 'AOIs',
}

/** Layer that another one replaces: both draw the same density. */
const INSTEAD: { [Name in keyof Layers]?: keyof Layers } = { heatmap: 'fog', fog: 'heatmap' }

/** Draws the choice of layers over the picture. */
export function LayerControls({ layers, hasAois }: { layers: Layers; hasAois: boolean }) {
  const toggle = (name: keyof Layers) => {
    const next = LAYER_NAMES.filter((each) => (each === name ? !layers[name] : layers[each] && each !== INSTEAD[name]))
    setQuery({ layers: next.join('.') || 'none' })
  }
  const stop = useOneStop<HTMLFieldSetElement>('input:enabled')
  return (
    <Chips legend="Show over the picture" {...stop}>
      {LAYER_NAMES.map((name) => {
        const isOff = name === 'aois' && !hasAois
        return (
          <Check
            key={name}
            title={isOff ? 'This item has no AOIs' : undefined}
            isOn={layers[name] && !isOff}
            disabled={isOff}
            onChange={() => toggle(name)}
          >
            {LABELS[name]}
          </Check>
        )
      })}
    </Chips>
  )
}

/** Draws the settings of the heatmap or fog map as a panel beside it. */
export function HeatPanel({ view, drawn }: { view: View; drawn: Heat | null }) {
  const { layers, of, weighting, heat } = view
  // What differs from its default is not folded; decided once, so that nothing folds while it is changed.
  const [isChanged] = useState(
    () =>
      heat.colors !== 'magma' ||
      heat.fog === 'light' ||
      weighting !== 'participants' ||
      heat.max !== null ||
      heat.kernel !== KERNEL.default ||
      opacityOf(view) !== opacityRange(layers).default,
  )
  return (
    <Panel title={layers.fog ? 'Fog map' : 'Heatmap'}>
      <Choice
        id={useId()}
        label="Of"
        value={of}
        of={{ gazes: 'gaze points', fixations: 'fixation time' }}
        onChange={(value) => setQuery({ of: value, max: null })}
      />
      <details class="advanced" open={isChanged}>
        <summary>Weighting, colours, scale, smoothing, opacity</summary>
        <Choice
          id={useId()}
          label="Weighting"
          value={weighting}
          of={{
            participants: 'every participant equally',
            counts: of === 'gazes' ? 'every point equally' : 'all time equally',
          }}
          onChange={(value) => setQuery({ weighting: value, max: null })}
        />
        <div class="row">
          <HeatColors heat={heat} />
          <HeatScale {...{ heat, drawn }} />
          <HeatSlider
            name="kernel"
            label="Smoothing σ"
            range={KERNEL}
            value={heat.kernel}
            words={`${heat.kernel} % of the item's mean side`}
          />
          <OpacitySlider view={view} />
        </div>
      </details>
    </Panel>
  )
}

function opacityRange({ fog }: Layers) {
  return fog ? FOG_OPACITY : OPACITY
}

/** Returns the opacity, in percent. */
function opacityOf({ heat }: View): number {
  return Math.round(100 * heat.opacity)
}

function OpacitySlider({ view }: { view: View }) {
  const opacity = opacityOf(view)
  const range = opacityRange(view.layers)
  return <HeatSlider name="opacity" label="Opacity" range={range} value={opacity} words={`${opacity} %`} />
}

function HeatColors({ heat: { fog, colors } }: { heat: View['heat'] }) {
  return fog === null ? (
    <Choice
      isInline
      label="Colours"
      value={colors}
      of={labelled(HEAT_MAPS)}
      onChange={(value) => setQuery({ colors: value })}
    />
  ) : (
    <Choice
      isInline
      label="Fog"
      value={fog}
      of={labelled(FOGS)}
      onChange={(value) => setQuery({ fog: value === 'dark' ? null : value })}
    />
  )
}

function HeatScale({ heat, drawn }: { heat: View['heat']; drawn: Heat | null }) {
  return (
    <Choice
      isInline
      label="Scale"
      value={heat.max === null ? 'own' : 'same'}
      disabled={drawn === null}
      of={{ own: 'up to its own peak', same: `fixed, up to ${significant(heat.max ?? drawn?.end ?? 0)}` }}
      onChange={(value) =>
        setQuery({ max: value === 'own' || drawn === null ? null : String(Number(drawn.end.toPrecision(3))) })
      }
    />
  )
}

function labelled(of: Record<string, { label: string }>): ChoiceOption[] {
  return Object.entries(of).map(([name, { label }]): ChoiceOption => [name, label])
}

type HeatSliderProps = {
  /** Name of the setting in the address. */
  name: string
  label: string
  range: { min: number; max: number; step: number }
  value: number
  words: string
}

function HeatSlider({ name, label, range: { min, max, step }, value, words }: HeatSliderProps) {
  return (
    <Inline label={label}>
      <input
        type="range"
        {...{ min, max, step, value }}
        aria-valuetext={words}
        onInput={(event) => setQuery({ [name]: event.currentTarget.value })}
      />{' '}
      {value} %
    </Inline>
  )
}

export function HeatLegend({ data, heat }: { data: HeatmapData; heat: Heat }) {
  const { colors } = useTheme()
  return <ColorBar data={data} heat={heat} colors={colors} />
}
