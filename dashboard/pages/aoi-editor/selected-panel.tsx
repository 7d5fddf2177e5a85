import type { ComponentChildren } from 'preact'
import { useId, useState } from 'preact/hooks'
import type { Aoi, AoiPart } from '../../core/api.ts'
import { Button } from '../../ui/controls/button.tsx'
import { Check, Choice, type ChoiceOption } from '../../ui/controls/choice.tsx'
import { Field, TextInput } from '../../ui/controls/field.tsx'
import { Panel } from '../../ui/controls/panel.tsx'
import { type SelectedAoi, selectedAoi, selectedPart, withAoi, withPart } from './draft/draft.ts'
import { duplicate, type EditorParts, remove, reorder, splitInHalf, splitParts } from './draft/edits.ts'
import { addCorner, boxOf, cornersOf, fitArea, isPolygonPart, moveCorner, polygonArea } from './shapes/parts.ts'
import { TagsField } from './tags-field.tsx'

type Props = EditorParts & {
  /** Tags of all AOIs of the study. */
  knownTags: string[]
  /** Opens the dialog that copies the AOI to other items; null without other items. */
  onCopy: (() => void) | null
}

/** Draws the name, position and times of the selected AOI as fields, and its actions as buttons. */
export function SelectedPanel(props: Props) {
  const { draft } = props
  const [aoi, part] = [selectedAoi(draft), selectedPart(draft)]
  if (aoi === null || part === null || draft.selected === null) return null
  return (
    <Panel
      title={
        <>
          AOI {draft.aois.indexOf(aoi) + 1}: <bdi>{aoi.name}</bdi>
        </>
      }
      id="selected-aoi"
    >
      <NameField {...props} aoi={aoi} />
      <TagsField key={aoi.id} aoi={aoi} known={props.knownTags} draft={draft} apply={props.apply} />
      {aoi.parts.length > 1 && <PartChoice {...props} aoi={aoi} selected={draft.selected} />}
      <PlaceFields {...props} part={part} selected={draft.selected} />
      <TimeFields {...props} part={part} selected={draft.selected} />
      <Deeds {...props} aoi={aoi} part={part} />
    </Panel>
  )
}

function NameField({ aoi, draft, dispatch }: Props & { aoi: Aoi }) {
  const id = useId()
  const rename = (name: string) =>
    dispatch({ do: 'change', aois: withAoi(draft.aois, aoi.id, (own) => ({ ...own, name })), kind: `name ${aoi.id}` })
  return (
    <Field id={id} label="Name">
      <TextInput id={id} dir="auto" value={aoi.name} onText={rename} />
    </Field>
  )
}

function PartChoice({ aoi, selected, dispatch }: Props & { aoi: Aoi; selected: SelectedAoi }) {
  const choose = (part: number) => dispatch({ do: 'select', selected: { ...selected, part, corner: null } })
  return (
    <Choice
      isInline
      label="Part"
      value={selected.part}
      of={aoi.parts.map((_, p): ChoiceOption<number> => [p, `${p + 1} of ${aoi.parts.length}`])}
      onChange={choose}
    />
  )
}

type NumberFieldProps = {
  label: string
  unit: string
  value: number
  step: number
  /** Exclusive minimum. */
  above?: number
  onChange: (value: number) => void
  onRefused: (sentence: string) => void
}

/** Draws a number field that applies on blur; typed text survives a redraw of the page. */
function NumberField(props: NumberFieldProps) {
  const { label, unit, value, step, above = Number.NEGATIVE_INFINITY, onChange, onRefused } = props
  const [typed, setTyped] = useState<string | null>(null)
  const change = ({ currentTarget: field }: { currentTarget: HTMLInputElement }) => {
    setTyped(null)
    if (field.value !== '' && Number(field.value) > above) return onChange(Number(field.value))
    const rule = `${label} must be a number${above === 0 ? ' above 0' : ''}`
    onRefused(`${rule}, not “${typed ?? ''}”; the value is still ${value} ${unit}.`)
    field.value = String(value)
  }
  return (
    <Field
      class="number-field"
      label={
        <>
          {label} <small>{unit}</small>
        </>
      }
    >
      <input
        type="number"
        step={step}
        value={typed ?? String(value)}
        onInput={({ currentTarget }) => setTyped(currentTarget.value)}
        onChange={change}
      />
    </Field>
  )
}

/** Draws fields for positions: in pixels of the item, or in percent if its size is unknown. */
function PlaceFields({ item, part, selected, draft, apply }: Props & { part: AoiPart; selected: SelectedAoi }) {
  const isInPx = item.widthPx !== null && item.heightPx !== null
  const [across, down] = isInPx ? [item.widthPx!, item.heightPx!] : [100, 100]
  const [unit, step] = isInPx ? ['px', 1] : ['%', 0.1]
  const corners = cornersOf(part.areaPoints, item)
  const { left, top, right, bottom } = boxOf(corners)
  const tenth = (value: number) => Math.round(value * 10) / 10
  const put = (areaPoints: AoiPart['areaPoints']) =>
    apply({
      change: { do: 'change', aois: withPart(draft.aois, selected, (own) => ({ ...own, areaPoints })) },
      said: '',
    })
  const onRefused = (refused: string) => apply({ refused })
  const field = (label: string, value: number, onChange: (value: number) => void, above?: number) => (
    <NumberField key={label} value={tenth(value)} {...{ label, unit, step, above, onChange, onRefused }} />
  )
  const stretch = (box: Partial<Record<'left' | 'top' | 'right' | 'bottom', number>>) =>
    put(fitArea(part.areaPoints, { left, top, right, bottom, ...box }, item))
  const [width, height] = [right - left, bottom - top]
  return (
    <fieldset class="number-fields">
      <legend>Place</legend>
      {field('Left', left * across, (value) => stretch({ left: value / across, right: value / across + width }))}
      {field('Top', top * down, (value) => stretch({ top: value / down, bottom: value / down + height }))}
      {field('Width', width * across, (value) => stretch({ right: left + value / across }), 0)}
      {field('Height', height * down, (value) => stretch({ bottom: top + value / down }), 0)}
      {selected.corner !== null && (
        <>
          {field('Corner x', corners[selected.corner][0] * across, (value) =>
            put(moveCorner(part.areaPoints, selected.corner!, [value / across, corners[selected.corner!][1]], item)),
          )}
          {field('Corner y', corners[selected.corner][1] * down, (value) =>
            put(moveCorner(part.areaPoints, selected.corner!, [corners[selected.corner!][0], value / down], item)),
          )}
        </>
      )}
    </fieldset>
  )
}

function TimeFields({ part, selected, draft, apply, item }: Props & { part: AoiPart; selected: SelectedAoi }) {
  const put = (timeRange: AoiPart['timeRange']) => {
    const timed = ({ areaPoints }: AoiPart): AoiPart => (timeRange ? { areaPoints, timeRange } : { areaPoints })
    apply({ change: { do: 'change', aois: withPart(draft.aois, selected, timed) }, said: '' })
  }
  const { timeRange } = part
  const onRefused = (refused: string) => apply({ refused })
  return (
    <fieldset class="number-fields">
      <legend>Time</legend>
      <Check
        isOn={!timeRange}
        onChange={() => put(timeRange ? null : { fromMs: 0, toMs: item.stimuliDurationMs ?? 1000 })}
      >
        Always counts
      </Check>
      {timeRange && (
        <>
          <NumberField
            label="From"
            unit="ms"
            value={timeRange.fromMs}
            step={1}
            onChange={(fromMs) => put({ ...timeRange, fromMs })}
            onRefused={onRefused}
          />
          <NumberField
            label="Until before"
            unit="ms"
            value={timeRange.toMs}
            step={1}
            onChange={(toMs) => put({ ...timeRange, toMs })}
            onRefused={onRefused}
          />
        </>
      )}
    </fieldset>
  )
}

function Deeds({ draft, dispatch, apply, item, onCopy, aoi, part }: Props & { aoi: Aoi; part: AoiPart }) {
  const { selected } = draft
  const reshape = (areaPoints: AoiPart['areaPoints'], said: string) =>
    apply({
      change: { do: 'change', aois: withPart(draft.aois, selected!, (own) => ({ ...own, areaPoints })) },
      said,
    })
  const addPart = () => {
    const aois = withAoi(draft.aois, aoi.id, (own) => ({ ...own, parts: [...own.parts, structuredClone(part)] }))
    dispatch({ do: 'change', aois, selected: { id: aoi.id, part: aoi.parts.length, corner: null } })
  }
  const button = (label: ComponentChildren, act: () => void, name?: string) => (
    <Button class="small" aria-label={name} onClick={act}>
      {label}
    </Button>
  )
  const corner = selected?.corner ?? null
  return (
    <div class="row deeds">
      {button('Duplicate', () => apply(duplicate(draft, item)))}
      {onCopy !== null && button('Copy to other items …', onCopy)}
      {button('Duplicate this part', addPart)}
      {button('Split left and right', () => apply(splitInHalf(draft, 'across', item)))}
      {button('Split top and bottom', () => apply(splitInHalf(draft, 'down', item)))}
      {aoi.parts.length > 1 && button('An AOI for each part', () => apply(splitParts(draft)))}
      {!isPolygonPart(part.areaPoints) &&
        button('Convert to a polygon', () =>
          reshape(polygonArea(cornersOf(part.areaPoints, item)), 'Converted to a polygon'),
        )}
      {button('Add a corner', () => reshape(addCorner(part.areaPoints, corner ?? 0, item), 'Corner added'))}
      {corner !== null && button('Remove this corner', () => apply(remove(draft, item)))}
      {button('↑', () => apply(reorder(draft, -1)), 'Move up')}
      {button('↓', () => apply(reorder(draft, 1)), 'Move down')}
      {aoi.parts.length > 1 &&
        button('Remove this part', () => apply(remove({ ...draft, selected: { ...selected!, corner: null } }, item)))}
      {button('Remove AOI', () => apply(remove(draft, item, true)))}
    </div>
  )
}
