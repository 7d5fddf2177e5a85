import './pictures.css'
import { useEffect } from 'preact/hooks'
import type { Item, Study } from '../../core/api.ts'
import { countOf, isolate } from '../../core/number-texts.ts'
import { Actions } from '../../ui/actions.tsx'
import { ColumnNames } from '../../ui/column-names.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { type ChoiceOption, Select } from '../../ui/controls/choice.tsx'
import { itemOptions } from '../../ui/controls/options.ts'
import { PickFiles } from '../../ui/controls/pick-files.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Scrolling } from '../../ui/scrolling.tsx'
import { Trouble } from '../../ui/waiting/states.tsx'
import { HOW_SHOWN, type HowShown, placeIn } from './as-shown.ts'
import { type ChosenPicture, howsOf, sizeOf, usePictures } from './use-pictures.ts'

type PicturesDialogProps = {
  study: Study
  only?: Item | null
  files?: File[]
  /** Called when the dialog closes; `isChanged` is true if an item has a new picture. */
  onClose: (isChanged: boolean) => void
}

/**
 * Adds pictures to items of a study: many at once, matched by name.
 *
 * @param only item of the first picture; null to match by name
 * @param files dropped files
 */
export function PicturesDialog({ study, only = null, files = [], onClose }: PicturesDialogProps) {
  const { pictures, left, isBusy, choose, assign, send, tell } = usePictures(study, only)
  useEffect(() => {
    if (files.length > 0) void choose(files)
  }, [])
  const { done, ready, unanswered, twice } = progressOf(pictures, study)
  return (
    <Dialog
      title={only === null ? 'Add pictures' : `Add a picture of ${isolate(only.filename)}`}
      onClose={() => onClose(done > 0)}
    >
      <p class="hint">
        {only === null
          ? 'Pictures and videos (MP4, WebM) are matched to items by name, with or without extension. Correct wrong matches below.'
          : 'PNG, JPEG, GIF, WebP, AVIF or SVG; or a video, MP4 or WebM.'}
      </p>
      <p class="row">
        <PickFiles
          label={pictures.length === 0 ? 'Choose pictures' : 'Choose more'}
          accept="image/*,video/mp4,video/webm"
          isMany={only === null}
          onPick={(input) => {
            void choose([...(input.files ?? [])])
            input.value = ''
          }}
        />
      </p>
      <Unread names={left} />
      {pictures.length > 0 && (
        <Scrolling class="table-scroll" label="Pictures and their items">
          <table class="picture-matches">
            <ColumnNames of={['Picture', 'Item', 'How it was shown']} />
            <tbody>
              {pictures.map((each, i) => (
                <PictureRow key={i} {...{ each, study, only, isBusy, assign, tell }} />
              ))}
            </tbody>
          </table>
        </Scrolling>
      )}
      <ToDo {...{ done, twice }} unanswered={isBusy ? 0 : unanswered} />
      <Actions cancel={done > 0 ? 'Done' : 'Cancel'} onCancel={() => onClose(done > 0)}>
        <Button
          class="primary"
          busy={isBusy && 'Adding …'}
          disabled={ready === 0 || unanswered > 0 || twice > 0}
          onClick={send}
        >
          {ready === 0 ? 'Add' : `Add ${countOf(ready, 'picture')}`}
        </Button>
      </Actions>
    </Dialog>
  )
}

type Progress = { done: number; ready: number; unanswered: number; twice: number }

/** Counts the pictures that are added, can be added, need an answer first, and share an item. */
function progressOf(pictures: ChosenPicture[], study: Study): Progress {
  const ready = pictures.filter((each) => each.itemId !== null && each.state === 'waiting')
  return {
    done: pictures.filter(({ state }) => state === 'done').length,
    ready: ready.length,
    unanswered: ready.filter((each) => each.shown === null || needsAnswer(each, study)).length,
    twice: ready.filter(({ itemId }) => ready.filter((each) => each.itemId === itemId).length > 1).length,
  }
}

function Unread({ names }: { names: string[] }) {
  if (names.length === 0) return null
  return (
    <p class="refused" role="status">
      Not a picture or a video that this browser shows: {names.slice(0, 5).join(', ')}
      {names.length > 5 && ` and ${names.length - 5} more`}.
    </p>
  )
}

/** Says what is done, and what must be decided before the rest. */
function ToDo({ done, unanswered, twice }: Omit<Progress, 'ready'>) {
  const isOne = unanswered === 1
  return (
    <>
      {twice > 0 && (
        <p class="refused" role="status">
          An item has one picture: {countOf(twice, 'picture')} are for the same.
        </p>
      )}
      <p class="row" role="status">
        {done > 0 && `${countOf(done, 'picture')} added. `}
        {unanswered > 0 &&
          `Choose how ${isOne ? 'a picture' : countOf(unanswered, 'picture')} with another aspect ratio ${isOne ? 'was' : 'were'} shown.`}
      </p>
    </>
  )
}

function needsAnswer(each: ChosenPicture, study: Study): boolean {
  const item = study.items.find(({ id }) => id === each.itemId)
  return item !== undefined && each.how === null && howsOf(each, item).length > 0
}

type PictureRowProps = {
  each: ChosenPicture
  study: Study
  only: Item | null
  isBusy: boolean
  assign: (file: File, itemId: string | null) => void
  tell: (file: File, how: HowShown) => void
}

function PictureRow({ each, study, only, isBusy, assign, tell }: PictureRowProps) {
  const { file, image, itemId, state, problem } = each
  const item = study.items.find(({ id }) => id === itemId) ?? null
  const hows = item === null ? [] : howsOf(each, item)
  return (
    <tr>
      <td>
        <div class="row">
          <img src={image.src} alt="" width={64} height={48} />
          <span>
            <bdi>{file.name}</bdi>
            <small>
              {image.naturalWidth} × {image.naturalHeight} px
            </small>
          </span>
        </div>
      </td>
      <td>
        {only === null ? (
          <Select
            aria-label={`Item of ${isolate(file.name)}`}
            value={itemId ?? ''}
            disabled={isBusy || state === 'done'}
            of={itemOptions(study.items, '– none')}
            onChange={(value) => assign(file, value || null)}
          />
        ) : (
          <bdi>{only.filename}</bdi>
        )}
      </td>
      <td>
        {state === 'done' ? (
          <strong>added</strong>
        ) : state === 'sending' ? (
          'adding …'
        ) : item === null ? (
          <span class="muted">not used</span>
        ) : hows.length === 0 ? (
          'as it is'
        ) : (
          <HowAsked {...{ each, item, hows }} onTell={(how) => tell(file, how)} />
        )}
        {problem !== null && <Trouble problem={problem} />}
      </td>
    </tr>
  )
}

type HowAskedProps = { each: ChosenPicture; item: Item; hows: HowShown[]; onTell: (how: HowShown) => void }

/** Asks how a picture with another aspect ratio was displayed, and previews the answer. */
function HowAsked({ each, item, hows, onTell }: HowAskedProps) {
  const { image, shown, how } = each
  const { widthPx, heightPx } = shown!.shown!
  return (
    <div class="how-asked">
      <p class="hint">
        {shown!.isVaried
          ? 'The item has no size, and was shown in windows with different aspect ratios. It was shown'
          : `The item was shown in ${Math.round(widthPx)} × ${Math.round(heightPx)} px, with another aspect ratio. The picture was shown`}
      </p>
      <Select
        aria-label={`How ${isolate(item.filename)} was shown`}
        value={how ?? ''}
        of={[['', 'choose …', true], ...hows.map((each): ChoiceOption => [each, HOW_SHOWN[each]])]}
        onChange={(value) => onTell(value as HowShown)}
      />
      {how !== null && <Preview image={image} area={{ widthPx, heightPx }} how={how} />}
      {how === 'sized' && (
        <p class="hint">
          The item gets the size of the picture, and its tests are repositioned: their gaze is then in percent of the
          picture, no longer of the screen.
        </p>
      )}
    </div>
  )
}

const PREVIEW_PX = 120

type PreviewProps = { image: HTMLImageElement; area: { widthPx: number; heightPx: number }; how: HowShown }

function Preview({ image, area, how }: PreviewProps) {
  const place = placeIn(area, sizeOf(image), how === 'sized' ? 'contain' : how)
  const width = Math.round(PREVIEW_PX * Math.min(1.6, area.widthPx / area.heightPx))
  return (
    <svg
      class="how-preview"
      width={width}
      height={Math.round((width * area.heightPx) / area.widthPx)}
      viewBox={`0 0 ${area.widthPx} ${area.heightPx}`}
      role="img"
      aria-label={HOW_SHOWN[how]}
    >
      <image
        href={image.src}
        x={place.x}
        y={place.y}
        width={place.widthPx}
        height={place.heightPx}
        preserveAspectRatio="none"
      />
    </svg>
  )
}
