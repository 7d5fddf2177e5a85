import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { useLink } from '../../core/link-seen.ts'
import { count, countOf } from '../../core/number-texts.ts'
import { Button } from '../../ui/controls/button.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { type Counts, leftOut } from '../captions.ts'
import './item-side.css'

/**
 * Participant and settings. On a narrow screen they lie along its lower edge, so that the picture above redraws in
 * sight; `startsFolded` concerns that alone.
 */
export function Side({ startsFolded = false, children }: { startsFolded?: boolean; children: ComponentChildren }) {
  const [isFolded, setIsFolded] = useState(startsFolded)
  return (
    <aside class={`item-side${isFolded ? ' folded' : ''}`} aria-label="Participant and settings">
      <Button class="fold small" aria-expanded={!isFolded} onClick={() => setIsFolded(!isFolded)}>
        {isFolded ? 'Show participant and settings' : 'Hide participant and settings'}
      </Button>
      <div class="side-panels">{children}</div>
    </aside>
  )
}

/** Says how many tests are kept, and how many of them are left out; null leaves room for it. */
export function KeptLine({ counts }: { counts: Counts | null }) {
  return (
    <p class="kept" role="status">
      {counts === null ? '\u00a0' : keptWords(counts)}
    </p>
  )
}

function keptWords(counts: Counts): string {
  const { tests, testsTotal } = counts.kept
  const left = leftOut(counts)
  return `${count(tests)} of ${countOf(testsTotal, 'test')} kept${left === '' ? '' : `. ${left}`}`
}

export function CopyLink() {
  if (useLink() !== null) return null
  return (
    <p class="row">
      <CopyButton label="Copy link to this view" text={() => location.href} />
      <span class="hint">The link includes the settings.</span>
    </p>
  )
}
