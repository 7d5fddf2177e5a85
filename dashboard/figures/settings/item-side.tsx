import type { ComponentChildren } from 'preact'
import { useLink } from '../../core/link-seen.ts'
import { countOf, wholeText } from '../../core/number-texts.ts'
import { useOneStop } from '../../core/one-stop.ts'
import { useFoldedSettings } from '../../core/view/places.ts'
import { CopyButton } from '../../ui/copy.tsx'
import { type FigureCounts, leftOut } from '../captions.ts'
import { FoldPlace } from '../places/fold-place.tsx'
import './item-side.css'

/**
 * Draws the choice of tests and settings beside the charts of a page, with a button that copies its link. On a narrow
 * screen, it is folded at the lower edge, so that the picture is seen first and changes in view; beside the charts, it
 * can be folded to make room for them. Its "?", and the button that folds it, are one stop of Tab.
 *
 * @param what its contents, in words
 */
export function Side({ what = 'tests and settings', children }: { what?: string; children: ComponentChildren }) {
  const [isFolded, fold] = useFoldedSettings()
  const link = useLink()
  const stop = useOneStop<HTMLElement>(isFolded ? '.fold' : '.fold, .question')
  return (
    <aside class={`item-side${isFolded ? ' folded' : ''}`} aria-label={what[0].toUpperCase() + what.slice(1)} {...stop}>
      <FoldPlace what={what} isFolded={isFolded} shortcut="]" onFold={fold} />
      <div class="side-panels">
        {children}
        {link === null && (
          <section class="card panel">
            <p class="row">
              <CopyButton label="Copy link to this view" shortcut="L" text={() => location.href} />
              <span class="hint">The link includes the settings.</span>
            </p>
          </section>
        )}
      </div>
    </aside>
  )
}

/** Says how many tests are kept, and how many of them are left out; null reserves the space. */
export function KeptLine({ counts }: { counts: FigureCounts | null }) {
  return (
    <p class="kept" role="status">
      {counts === null ? '\u00a0' : keptWords(counts)}
    </p>
  )
}

function keptWords(counts: FigureCounts): string {
  const { tests, testsTotal } = counts.kept
  const left = leftOut(counts)
  return `${wholeText(tests)} of ${countOf(testsTotal, 'test')} kept${left === '' ? '' : `. ${left}`}`
}
