import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import {
  type Aoi,
  type AoisData,
  type ChangedDescription,
  type FixationsData,
  type Item,
  useData,
} from '../../core/api.ts'
import { COLORED_MAX, paintAois } from '../../core/colors/aoi-colors.ts'
import { countOf, slug } from '../../core/number-texts.ts'
import { usePlace } from '../../core/router.ts'
import { pageQuery, queryString } from '../../core/view/chart-settings.ts'
import { AoiFigure } from '../../figures/aoi-figure.tsx'
import { useWidth } from '../../figures/figure.tsx'
import { aspectOf, usePicture } from '../../figures/picture.ts'
import { saveBlob } from '../../figures/save.ts'
import { Button } from '../../ui/controls/button.tsx'
import { fitting, type KnownItem, useLinkSettings } from '../../ui/waiting/await-item.tsx'
import { RefusedLink, Trouble } from '../../ui/waiting/states.tsx'
import { AoiList } from './aoi-list.tsx'
import { Board } from './board/board.tsx'
import { type Tool, type View, WHOLE } from './board/view.ts'
import { Dialogs, type Opened } from './dialogs/dialogs.tsx'
import { differencesOf, sameAois } from './draft/compare-aois.ts'
import { keepUnsaved, placeOf, readUnsaved, selectedAoi, selectedPart, useDraft } from './draft/draft.ts'
import type { Edit } from './draft/edits.ts'
import { type Base, useSaving } from './draft/use-saving.ts'
import { useDrawnNumbers } from './drawn-numbers.ts'
import { NumbersPanel } from './numbers-panel.tsx'
import { SelectedPanel } from './selected-panel.tsx'
import type { XY } from './shapes/parts.ts'
import { Timeline } from './timeline.tsx'
import { HINTS, Toolbar } from './toolbar.tsx'

/** Draws the AOIs of an item, with their numbers beside them, and saves them. */
export function AoiEditor({ study: first, item, parameters }: KnownItem) {
  const [left] = useState(() => readUnsaved(first.id, item.id))
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
  const { drawn, saved, who, link } = numbers
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
  useKeys({ ask: isChanged ? ask : () => {}, step: (way) => dispatch({ do: way }) })
  return (
    <>
      <EditorHead
        item={item}
        itemPath={`/studies/${study.id}/items/${item.id}${link}`}
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
            {...{ draft, dispatch, apply, item, colors, tMs, say, isChanged, setOpened }}
            spotsPath={numbers.spotsPath}
          />
          <Timeline {...{ draft, dispatch, item, colors, tMs, setT }} />
          {drawn.data !== null && aois.length > 0 && <DrawnBars {...{ item, aois, colors, who }} drawn={drawn} />}
        </div>
        <aside class="stack" aria-label="AOIs and their numbers">
          <NumbersPanel aoi={selectedAoi(draft)} drawn={drawn} saved={saved.data} who={who} />
          <SelectedPanel
            {...{ draft, dispatch, apply, item }}
            onCopy={study.items.length > 1 ? () => setOpened({ dialog: 'copy' }) : null}
          />
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
      These are your unsaved AOIs from last time.{' '}
      <Button class="link" onClick={onDrop}>
        Discard them
      </Button>
    </p>
  )
}

/** The numbers of what is drawn and of what is saved, of the tests and by the settings that the link names. */
function useNumbers({ study, item, parameters, aois }: KnownItem & { aois: Aoi[] }) {
  const { query } = usePlace()
  const { settings, defaults, refused } = useLinkSettings(parameters)
  const participantId = query.get('participant') || null
  const path = `/api2/studies/${study.id}/charts`
  const at = queryString(settings, defaults, { itemId: item.id, participantId })
  const drawn = useDrawnNumbers(`${path}/aois${at}`, aois)
  const saved = useData<AoisData>(`${path}/aois${at}`)
  const who = participantId === null ? 'all participants' : 'one participant'
  const link = pageQuery(settings, defaults, { participant: participantId })
  return { drawn, saved, who, link, refused, spotsPath: `${path}/fixations${at}` }
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

const SAID_AFTER_MS = 300

/** Tells those who hear the page what was done, once it rests. */
function useSaid(): [string, (text: string) => void] {
  const [said, setSaid] = useState('')
  const timer = useRef(0)
  const say = (text: string) => {
    window.clearTimeout(timer.current)
    timer.current = window.setTimeout(() => setSaid(text), SAID_AFTER_MS)
  }
  return [said, say]
}

/** Says where the selected part is whenever it has moved. */
function useMoved(part: ReturnType<typeof selectedPart>, item: Item, say: (text: string) => void): void {
  const before = useRef(part)
  useEffect(() => {
    if (part !== null && before.current !== null && part !== before.current) say(`Now ${placeOf(part, item)}`)
    before.current = part
  }, [part])
}

/** Keeps what is not saved: in this tab at once, and asks before the tab is closed. */
function useLeaving(isChanged: boolean, studyId: string, itemId: string, base: Base, aois: Aoi[]): void {
  useEffect(() => {
    keepUnsaved(studyId, itemId, isChanged ? { snapshot: base.snapshot, base: base.aois, aois } : null)
    if (!isChanged) return
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    window.addEventListener('beforeunload', ask)
    return () => window.removeEventListener('beforeunload', ask)
  }, [isChanged, base, aois])
}

function useKeys({ ask, step }: { ask: () => void; step: (way: 'undo' | 'redo') => void }): void {
  const now = useRef({ ask, step })
  now.current = { ask, step }
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const key = event.key.toLowerCase()
      const isTyping = event.target instanceof HTMLInputElement && event.target.type !== 'checkbox'
      const isHere = document.querySelector('dialog[open]') === null
      if (!(event.ctrlKey || event.metaKey) || !isHere || (key !== 's' && isTyping)) return
      if (key === 's') now.current.ask()
      else if (key === 'z') now.current.step(event.shiftKey ? 'redo' : 'undo')
      else if (key === 'y') now.current.step('redo')
      else return
      event.preventDefault()
    }
    window.addEventListener('keydown', press)
    return () => window.removeEventListener('keydown', press)
  }, [])
}

type CardProps = Pick<
  Parameters<typeof Board>[0],
  'draft' | 'dispatch' | 'apply' | 'item' | 'colors' | 'tMs' | 'say'
> & {
  isChanged: boolean
  setOpened: (opened: Opened) => void
  spotsPath: string
}

/** The board with its tools. */
function DrawingCard({ setOpened, spotsPath, ...props }: CardProps) {
  const { item, draft, dispatch } = props
  const [tool, setTool] = useState<Tool>('select')
  const [view, setView] = useState<View>(WHOLE)
  const [asPart, setAsPart] = useState(false)
  const [snaps, setSnaps] = useState(true)
  const [showsGaze, setShowsGaze] = useState(false)
  const studyId = usePlace().path.split('/')[2]
  const picture = usePicture(studyId, item)
  const { aspect } = picture
  const [box, width] = useWidth()
  const boardRef = useRef<SVGSVGElement | null>(null)
  const spots = useSpots(showsGaze ? spotsPath : null)
  const choose = (next: Tool) => {
    setTool(next)
    boardRef.current?.focus({ preventScroll: true })
  }
  return (
    <section class="card panel drawing-card" aria-label="Board">
      <div class="row">
        <Button class="small" onClick={() => setOpened({ dialog: 'grid' })}>
          Grid …
        </Button>
        <Button class="small" onClick={() => setOpened({ dialog: 'file' })}>
          From a file …
        </Button>
        <Button class="small" disabled={draft.aois.length === 0} onClick={() => saveFile(draft.aois, item)}>
          To a file
        </Button>
        <Button class="small" onClick={() => setOpened({ dialog: 'past' })}>
          History …
        </Button>
      </div>
      <Toolbar
        {...{ tool, draft, view, setView, asPart, setAsPart, snaps, setSnaps, showsGaze, setShowsGaze }}
        setTool={choose}
        step={(way) => dispatch({ do: way })}
      />
      <div ref={box} class="board-box">
        {width > 0 && (
          <Board
            {...props}
            {...{ aspect, picture, tool, asPart, snaps, view, setView, spots, boardRef, setTool }}
            width={fitting(width, aspect)}
          />
        )}
      </div>
      <p class="hint">{HINTS[tool]}</p>
    </section>
  )
}

function saveFile(aois: Aoi[], item: Item): void {
  saveBlob(
    new Blob([JSON.stringify(aois, null, 2)], { type: 'application/json' }),
    `gazette-aois-${slug(item.filename)}.json`,
  )
}

function useSpots(path: string | null): XY[] {
  const { data } = useData<FixationsData>(path)
  return useMemo(() => data?.tests.flatMap(({ fixations }) => fixations.map(([x, y]): XY => [x, y])) ?? [], [data])
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
