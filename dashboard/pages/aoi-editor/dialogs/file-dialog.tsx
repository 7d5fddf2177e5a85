import { useEffect, useState } from 'preact/hooks'
import type { Aoi } from '../../../core/api.ts'
import { countOf, wholeText } from '../../../core/number-texts.ts'
import { Button } from '../../../ui/controls/button.tsx'
import { Field } from '../../../ui/controls/field.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import type { AoiDraft } from '../draft/draft.ts'
import { addAois, type Edit, type EditorParts } from '../draft/edits.ts'
import { type ReadAoiFile, readAoiFile } from '../shapes/read-aoi-file.ts'
import { readBoxes } from '../shapes/read-boxes.ts'
import { nameAois, PreviewPanel } from './preview.tsx'

const FAULTS_SHOWN = 20

type NamedFile = { name: string } & ReadAoiFile
type FileDialogProps = Omit<EditorParts, 'dispatch'> & {
  studyId: string
  aspect: number
  /** File that was dropped on the page, which is read at once. */
  dropped?: File
  onClose: () => void
}

/** Imports AOIs from a file of JSON, SVG or CSV: all of them, or none with the reasons. */
export function FileDialog({ studyId, draft, item, aspect, dropped, apply, onClose }: FileDialogProps) {
  const [read, setRead] = useState<NamedFile | null>(null)
  const take = async (file: File | undefined) => {
    if (file === undefined) return
    const read = await readAoiFile(file, item.id, item, (csv) => readBoxes(csv, studyId, item.id))
    setRead({ name: file.name, ...read })
  }
  useEffect(() => void take(dropped), [])
  const made: Aoi[] = (read?.aois ?? []).map((aoi) => ({ id: crypto.randomUUID(), itemId: item.id, ...aoi }))
  const done = (edit: Edit) => {
    apply(edit)
    onClose()
  }
  const isFine = read !== null && read.faults.length === 0
  const replaces = isFine && read.replaces === true
  return (
    <Dialog title="AOIs from a file" onClose={onClose}>
      <p class="hint">
        Choose or drop JSON as in study.json (a list of AOIs, or a whole study with AOIs of this item), an SVG with the
        item’s aspect ratio (each rect, polygon, ellipse, circle and path of straight lines becomes an AOI, named by its
        title, label or id), or a <a href="/help/reading#files-of-boxes">CSV with the boxes of the words</a> of a text.
      </p>
      <Field label="File">
        <input
          type="file"
          accept=".json,.svg,.csv,application/json,image/svg+xml,text/csv"
          onChange={({ currentTarget }) => take(currentTarget.files?.[0])}
        />
      </Field>
      {read !== null && !isFine && <NotRead {...read} />}
      {isFine && (
        <>
          <PreviewPanel aois={made} item={item} aspect={aspect} label={nameAois(made)} />
          <p class="address">{nameAois(made)}</p>
          <TakeButtons {...{ draft, made, replaces }} onTake={done} />
        </>
      )}
    </Dialog>
  )
}

type TakeButtonsProps = { draft: AoiDraft; made: Aoi[]; replaces: boolean; onTake: (edit: Edit) => void }

/** Draws the buttons that add the AOIs of a file, or put them in the place of those that are drawn. */
function TakeButtons({ draft, made, replaces, onTake }: TakeButtonsProps) {
  const aois = countOf(made.length, 'AOI')
  const replace = () => onTake({ change: { do: 'change', aois: made, selected: null }, said: `Replaced by ${aois}` })
  const drawn = draft.aois.length
  return (
    <p class="row">
      {!replaces && (
        <Button class="primary" onClick={() => onTake(addAois(draft, made, `${aois} added`))}>
          Add AOIs
        </Button>
      )}
      {(drawn > 0 || replaces) && (
        <Button class={replaces ? 'primary' : ''} onClick={replace}>
          {drawn > 0 ? `Replace the ${countOf(drawn, 'AOI')} drawn` : 'Use them'}
        </Button>
      )}
    </p>
  )
}

/** Says why nothing was read from a file. */
function NotRead({ name, faults }: NamedFile) {
  return (
    <div class="trouble" role="alert">
      <p>
        Nothing was read from <bdi>{name}</bdi>:
      </p>
      <ul class="bulleted">
        {faults.slice(0, FAULTS_SHOWN).map((fault) => (
          <li key={fault}>{fault}</li>
        ))}
      </ul>
      {faults.length > FAULTS_SHOWN && <p>And {wholeText(faults.length - FAULTS_SHOWN)} more.</p>}
    </div>
  )
}
