import { useMemo, useState } from 'preact/hooks'
import { useAoiColors } from '../../core/analysis/use-aoi-colors.ts'
import type { Aoi, AoisData, Item } from '../../core/api.ts'
import { COLORED_MAX } from '../../core/colors/aoi-colors.ts'
import { countOf } from '../../core/number-texts.ts'
import { usePlace } from '../../core/router.ts'
import { useData } from '../../core/use-data.ts'
import { queryString } from '../../core/view/chart-settings.ts'
import { useLinkSettings } from '../../core/view/link-settings.ts'
import { useStudyLink } from '../../core/view/study-links.ts'
import { AoiFigure } from '../../figures/aoi-figure.tsx'
import { aspectOf, usePicture } from '../../figures/picture.ts'
import type { Picture } from '../../figures/stimulus.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { DropTarget } from '../../ui/drop-target.tsx'
import type { KnownItem } from '../../ui/waiting/await-item.tsx'
import { RefusedLink, Trouble } from '../../ui/waiting/states.tsx'
import { AoiList } from './aoi-list.tsx'
import { Dialogs } from './dialogs/dialogs.tsx'
import { aoiChanges, sameAois } from './draft/compare-aois.ts'
import { selectedAoi } from './draft/draft.ts'
import { faultsOf } from './draft/faults.ts'
import { DrawingCard } from './drawing-card.tsx'
import { useDrawnNumbers } from './drawn-numbers.ts'
import { KeyFramesPanel } from './key-frames-panel.tsx'
import { NumbersPanel } from './numbers-panel.tsx'
import { SelectedPanel } from './selected-panel.tsx'
import { EditorTimeline } from './timeline.tsx'
import { type Editor, useEditor } from './use-editor.ts'

/** Edits and saves the AOIs of an item, with their numbers beside them. */
export function AoiEditor({ study: first, item, parameters }: KnownItem) {
  const editor = useEditor(first, item, () => numbers.saved.retry())
  const { saving, draft, dispatch, apply, isChanged, opened, setOpened, say, publish } = editor
  const { study } = saving
  const { aois } = draft
  const [tMs, setT] = useState<number | null>(null)
  const colors = useAoiColors(study, aois, firstPlaces(aois.length))
  const numbers = useNumbers({ study, item, parameters, aois })
  const { drawn, saved, who } = numbers
  const faults = faultsOf(drawn.problem)
  const at = String(tMs ?? 0)
  const picture = usePicture(study.id, item, { fromMs: at, toMs: at })
  const timed = timedBy(item, picture)
  const hasOthers = study.items.length > 1
  return (
    <>
      <EditorHead {...{ item, editor }} isFaulty={[...faults.keys()].some((place) => place >= 0)} />
      <RefusedLink refused={numbers.refused} />
      <Notices editor={editor} faults={faults.get(-1) ?? []} />
      <div class="editor-grid">
        <div class="stack">
          <DrawingCard
            {...{ draft, dispatch, apply, item, picture, colors, tMs, say, isChanged, setOpened }}
            spotsPath={numbers.spotsPath}
            mayCopy={hasOthers && aois.length > 0 && !isChanged}
          />
          <EditorTimeline {...{ draft, dispatch, colors, tMs, setT }} item={timed} />
          {drawn.data !== null && aois.length > 0 && <DrawnBars {...{ item, aois, colors, who }} drawn={drawn} />}
        </div>
        <aside class="stack" aria-label="AOIs and their numbers">
          <NumbersPanel aoi={selectedAoi(draft)} drawn={drawn} saved={saved.data} who={who} />
          <SelectedPanel
            {...{ draft, dispatch, apply, item }}
            knownTags={[...new Set([...study.aois, ...aois].flatMap(({ tags = [] }) => tags))]}
            onCopy={hasOthers ? () => setOpened({ dialog: 'copy' }) : null}
          />
          <KeyFramesPanel {...{ draft, apply, tMs }} item={timed} />
          <AoiList {...{ draft, dispatch, item, colors, faults }} />
        </aside>
      </div>
      <DropTarget
        onDrop={([entry]) => {
          if (entry?.isFile) (entry as FileSystemFileEntry).file((dropped) => setOpened({ dialog: 'file', dropped }))
        }}
      />
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

type EditorHeadProps = { item: Item; editor: Editor; isFaulty: boolean }

function EditorHead({ item, editor: { saving, draft, isChanged, ask }, isFaulty }: EditorHeadProps) {
  const itemPath = useStudyLink(saving.study.id)(`/items/${item.id}`)
  const base = saving.base.aois
  const changes = useMemo(() => (isChanged ? aoiChanges(base, draft.aois).length : 0), [isChanged, base, draft.aois])
  return (
    <div class="page-head">
      <h1>
        AOIs of <bdi>{item.filename || 'Item'}</bdi>
      </h1>
      <div class="row">
        <a class="button" href={itemPath}>
          Back to the item
        </a>
        <span class="badge save-state">{isChanged ? `${countOf(changes, 'change')} not saved` : 'All saved'}</span>
        <Button class="primary" disabled={!isChanged || isFaulty} onClick={ask}>
          Save …
        </Button>
      </div>
    </div>
  )
}

/** Says what is wrong with the draft, and what was just done. @param faults those of all AOIs together */
function Notices({ editor, faults }: { editor: Editor; faults: string[] }) {
  const { left, isChanged, draft, dispatch, saving, ask, refused, said } = editor
  return (
    <>
      {left !== null && isChanged && sameAois(left.aois, draft.aois) && (
        <LeftUnsaved onDrop={() => dispatch({ do: 'change', aois: saving.base.aois, selected: null })} />
      )}
      {saving.problem !== null && <Trouble problem={saving.problem} retry={ask} />}
      {[refused, ...faults].map((text) =>
        text === '' ? null : (
          <p key={text} class="notice" role="alert">
            {text}
          </p>
        ),
      )}
      <p class="unseen" role="status" aria-live="polite">
        {said}
      </p>
    </>
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

type BarsProps = { item: Item; aois: Aoi[]; colors: string[]; who: string; drawn: ReturnType<typeof useDrawnNumbers> }

function DrawnBars({ item, aois, colors, who, drawn }: BarsProps) {
  const paint = useMemo(() => ({ colors, lit: null }), [colors])
  return (
    <AoiFigure
      title="Areas of interest as drawn"
      itemName={item.filename}
      subject={`${item.filename}, ${who}, AOIs as drawn`}
      {...{ aois, paint }}
      loaded={{ data: drawn.data, isFresh: drawn.isFresh, problem: null, retry: () => {} }}
      asDrawn
    />
  )
}
