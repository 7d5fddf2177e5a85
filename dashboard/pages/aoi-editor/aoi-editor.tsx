import { useMemo, useState } from 'preact/hooks'
import { type Aoi, type AoisData, type ChangedDescription, type Item, useData } from '../../core/api.ts'
import { COLORED_MAX, paintAois } from '../../core/colors/aoi-colors.ts'
import { countOf } from '../../core/number-texts.ts'
import { usePlace } from '../../core/router.ts'
import { readUnsaved } from '../../core/unsaved-aois.ts'
import { queryString } from '../../core/view/chart-settings.ts'
import { useLinkSettings } from '../../core/view/link-settings.ts'
import { useStudyLink } from '../../core/view/study-links.ts'
import { AoiFigure } from '../../figures/aoi-figure.tsx'
import { aspectOf, usePicture } from '../../figures/picture.ts'
import type { Picture } from '../../figures/stimulus.tsx'
import { Button } from '../../ui/controls/button.tsx'
import type { KnownItem } from '../../ui/waiting/await-item.tsx'
import { RefusedLink, Trouble } from '../../ui/waiting/states.tsx'
import { AoiList } from './aoi-list.tsx'
import { Dialogs, type Opened } from './dialogs/dialogs.tsx'
import { differencesOf, sameAois } from './draft/compare-aois.ts'
import { selectedAoi, selectedPart, useDraft } from './draft/draft.ts'
import type { Edit } from './draft/edits.ts'
import { useSaving } from './draft/use-saving.ts'
import { DrawingCard } from './drawing-card.tsx'
import { useDrawnNumbers } from './drawn-numbers.ts'
import { useKeys, useLeaving, useMoved, useSaid } from './editor-hooks.ts'
import { KeyFramesPanel } from './key-frames-panel.tsx'
import { NumbersPanel } from './numbers-panel.tsx'
import { SelectedPanel } from './selected-panel.tsx'
import { Timeline } from './timeline.tsx'

/** Edits and saves the AOIs of an item, with their numbers beside them. */
export function AoiEditor({ study: first, item, parameters }: KnownItem) {
  const [left] = useState(() => readUnsaved(first.id, item.id))
  const linkTo = useStudyLink(first.id)
  const saving = useSaving(first, item, left && { snapshot: left.snapshot, aois: left.base })
  const { study, base } = saving
  const [draft, dispatch] = useDraft(left?.aois ?? base.aois)
  const { aois } = draft
  const isChanged = useMemo(() => !sameAois(base.aois, aois), [base.aois, aois])
  const [opened, setOpened] = useState<Opened | null>(null)
  const [said, say] = useSaid()
  const [refused, setRefused] = useState('')
  const [tMs, setT] = useState<number | null>(null)
  const apply = (edit: Edit) => {
    setRefused('refused' in edit ? edit.refused : '')
    if ('refused' in edit) return
    dispatch(edit.change)
    if (edit.said !== '') say(edit.said)
  }
  useLeaving(isChanged, first.id, item.id, base, aois)
  useMoved(draft.selected === null ? null : selectedPart(draft), item, say)
  const colors = useMemo(() => paintAois(aois.length, firstPlaces(aois.length)), [aois.length])
  const numbers = useNumbers({ study, item, parameters, aois })
  const { drawn, saved, who } = numbers
  const faults = faultsOf(drawn.problem?.errors ?? [])

  const ask = async () => {
    const effect = await saving.send(aois, true)
    if (effect !== null) setOpened({ dialog: 'save', effect })
  }
  const publish = async () => {
    const change: ChangedDescription | null = await saving.send(aois, false)
    setOpened(null)
    if (change === null) return
    saved.retry()
    say('Saved')
  }
  const at = String(tMs ?? 0)
  const picture = usePicture(study.id, item, { fromMs: at, toMs: at })
  const timed = timedBy(item, picture)
  useKeys({ ask: isChanged ? ask : () => {}, step: (way) => dispatch({ do: way }) })
  return (
    <>
      <EditorHead
        item={item}
        itemPath={linkTo(`/items/${item.id}`)}
        changes={isChanged ? differencesOf(base.aois, aois).length : null}
        maySave={isChanged && ![...faults.keys()].some((place) => place >= 0)}
        onSave={ask}
      />
      <RefusedLink refused={numbers.refused} />
      {left !== null && isChanged && sameAois(left.aois, aois) && (
        <LeftUnsaved onDrop={() => dispatch({ do: 'change', aois: base.aois, selected: null })} />
      )}
      {saving.problem !== null && <Trouble problem={saving.problem} retry={ask} />}
      {refused !== '' && (
        <p class="notice" role="alert">
          {refused}
        </p>
      )}
      {faults.get(-1)?.map((fault) => (
        <p key={fault} class="notice" role="alert">
          {fault}
        </p>
      ))}
      <p class="unseen" role="status" aria-live="polite">
        {said}
      </p>
      <div class="editor-grid">
        <div class="stack">
          <DrawingCard
            {...{ draft, dispatch, apply, item, picture, colors, tMs, say, isChanged, setOpened }}
            spotsPath={numbers.spotsPath}
            mayCopy={study.items.length > 1 && aois.length > 0 && !isChanged}
          />
          <Timeline {...{ draft, dispatch, colors, tMs, setT }} item={timed} />
          {drawn.data !== null && aois.length > 0 && <DrawnBars {...{ item, aois, colors, who }} drawn={drawn} />}
        </div>
        <aside class="stack" aria-label="AOIs and their numbers">
          <NumbersPanel aoi={selectedAoi(draft)} drawn={drawn} saved={saved.data} who={who} />
          <SelectedPanel
            {...{ draft, dispatch, apply, item }}
            knownTags={[...new Set([...study.aois, ...aois].flatMap(({ tags = [] }) => tags))]}
            onCopy={study.items.length > 1 ? () => setOpened({ dialog: 'copy' }) : null}
          />
          <KeyFramesPanel {...{ draft, apply, tMs }} item={timed} />
          <AoiList {...{ draft, dispatch, item, colors, faults }} />
        </aside>
      </div>
      <Dialogs
        {...{ opened, setOpened, draft, dispatch, apply, item, saving, publish, say }}
        aspect={aspectOf(item)}
        path={`/api2/studies/${study.id}/items/${item.id}/aois`}
      />
    </>
  )
}

/** Returns an item with the duration of its video, if the study does not give one. */
function timedBy(item: Item, { durationMs }: Picture): Item {
  if (item.stimuliDurationMs !== null || durationMs === null) return item
  return { ...item, stimuliDurationMs: Math.ceil(durationMs) }
}

const firstPlaces = (n: number) => Array.from({ length: Math.min(COLORED_MAX, n) }, (_, a) => a)

type EditorHeadProps = {
  item: Item
  itemPath: string
  /** Number of unsaved changes; null without any. */
  changes: number | null
  maySave: boolean
  onSave: () => void
}

function EditorHead({ item, itemPath, changes, maySave, onSave }: EditorHeadProps) {
  return (
    <div class="page-head">
      <h1>
        AOIs of <bdi>{item.filename || 'Item'}</bdi>
      </h1>
      <div class="row">
        <a class="button" href={itemPath}>
          Back to the item
        </a>
        <span class="badge save-state">
          {changes === null ? 'All saved' : `${countOf(changes, 'change')} not saved`}
        </span>
        <Button class="primary" disabled={!maySave} onClick={onSave}>
          Save …
        </Button>
      </div>
    </div>
  )
}

function LeftUnsaved({ onDrop }: { onDrop: () => void }) {
  return (
    <p class="notice" role="status">
      These are your unsaved AOIs from your last visit.{' '}
      <Button class="link" onClick={onDrop}>
        Discard them
      </Button>
    </p>
  )
}

/** Loads the numbers of the drawn and of the saved AOIs, for the tests and settings of the link. */
function useNumbers({ study, item, parameters, aois }: Omit<KnownItem, 'catalog'> & { aois: Aoi[] }) {
  const { query } = usePlace()
  const { settings, defaults, refused } = useLinkSettings(parameters)
  const participantId = query.get('participant') || null
  const path = `/api2/studies/${study.id}/charts`
  const at = queryString(settings, defaults, { itemId: item.id, participantId })
  const drawn = useDrawnNumbers(`${path}/aois${at}`, aois)
  const saved = useData<AoisData>(`${path}/aois${at}`)
  const who = participantId === null ? 'all participants' : 'one participant'
  return { drawn, saved, who, refused, spotsPath: `${path}/fixations${at}` }
}

type Fault = { parameter: string; rule: string }

/** Faults from the server, by index of the AOI; `-1` for all. */
function faultsOf(errors: Fault[]): Map<number, string[]> {
  const found = new Map<number, string[]>()
  for (const { parameter, rule } of errors) {
    const [, place, rest] = /^aois\[(\d+)\]\.?(.*)$/.exec(parameter) ?? [null, '-1', parameter]
    const at = Number(place)
    found.set(at, [...(found.get(at) ?? []), `${wordsOf(rest)} ${rule}.`])
  }
  return found
}

function wordsOf(path: string): string {
  const [, part, rest] = /^parts\[(\d+)\]\.?(.*)$/.exec(path) ?? [null, null, path]
  const what = { areaPoints: 'its area', timeRange: 'its time', name: 'New name' }[rest] ?? rest
  return part === null ? what : `Part ${Number(part) + 1}: ${what}`
}

type BarsProps = { item: Item; aois: Aoi[]; colors: string[]; who: string; drawn: ReturnType<typeof useDrawnNumbers> }

function DrawnBars({ item, aois, colors, who, drawn }: BarsProps) {
  const paint = useMemo(() => ({ colors, lit: null }), [colors])
  return (
    <AoiFigure
      title="Areas of interest as drawn"
      itemName={item.filename}
      subject={`${item.filename}, ${who}, AOIs as drawn`}
      aois={aois}
      paint={paint}
      loaded={{ data: drawn.data, isFresh: drawn.isFresh, problem: null, retry: () => {} }}
      asDrawn
    />
  )
}
