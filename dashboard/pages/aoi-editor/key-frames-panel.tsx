import { useState } from 'preact/hooks'
import { isShownVideo } from '../../../isomorphic/picture-names.ts'
import type { AoiPart, Item } from '../../core/api.ts'
import { Button } from '../../ui/controls/button.tsx'
import { Choice } from '../../ui/controls/choice.tsx'
import { numberOptions } from '../../ui/controls/options.ts'
import { Panel } from '../../ui/controls/panel.tsx'
import { type AoiDraft, selectedAoi, withAoi } from './draft/draft.ts'
import type { Edit } from './draft/edits.ts'
import { keyFramesOf, movedOnLines, withKeyFrame } from './shapes/key-frames.ts'
import { rangeSpan } from './timeline.tsx'

const STEPS_MS = [20, 40, 100, 200]

type Props = { draft: AoiDraft; apply: (edit: Edit) => void; item: Item; tMs: number | null }

/** Moves an AOI of a video between key frames, which are its parts. */
export function KeyFramesPanel({ draft, apply, item, tMs }: Props) {
  const [stepMs, setStep] = useState(40)
  const aoi = selectedAoi(draft)
  if (aoi === null || !isShownVideo(item.filename)) return null
  const put = (parts: AoiPart[] | string, said: string, part = 0) => {
    if (typeof parts === 'string') return apply({ refused: parts })
    const aois = withAoi(draft.aois, aoi.id, (own) => ({ ...own, parts }))
    apply({ change: { do: 'change', aois, selected: { id: aoi.id, part, corner: null } }, said })
  }
  const begin = () => {
    const cut = withKeyFrame(aoi.parts, tMs!, rangeSpan(draft.aois, item))
    if (typeof cut === 'string') apply({ refused: cut })
    else put(cut.parts, `Key frame at ${tMs} ms`, cut.at)
  }
  const move = () => put(movedOnLines(aoi.parts, stepMs), 'The AOI moves between its key frames')
  return (
    <Panel title="Key frames" id="key-frames">
      <p class="hint">
        Choose a time below the board, add a key frame there, and move the AOI to its position. Between key frames, its
        corners move on straight lines, in steps of at most the chosen length.
      </p>
      <div class="row">
        <Button class="small" disabled={tMs === null} onClick={begin}>
          Begin a key frame{tMs === null ? '' : ` at ${tMs} ms`}
        </Button>
        <Choice isInline label="Steps of at most, ms" value={stepMs} of={numberOptions(STEPS_MS)} onChange={setStep} />
        <Button class="small" disabled={aoi.parts.length < 2} onClick={move}>
          Move between key frames
        </Button>
        <Button
          class="small"
          disabled={aoi.parts.length < 3}
          onClick={() => put(keyFramesOf(aoi.parts), 'The key frames are parts again')}
        >
          Back to key frames
        </Button>
      </div>
    </Panel>
  )
}
