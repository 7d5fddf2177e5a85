import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { Kept } from '../api.ts'
import { useLink } from '../link/link-seen.ts'
import { count, countOf } from '../number-texts.ts'
import { CopyButton } from '../parts/copy.tsx'

/** Participant and settings. On a narrow screen they lie along its lower edge, so that the picture above redraws in sight; `startsFolded` concerns that alone. */
export function Side({ startsFolded = false, children }: { startsFolded?: boolean; children: ComponentChildren }) {
  const [isFolded, setIsFolded] = useState(startsFolded)
  return (
    <aside class={`item-side${isFolded ? ' folded' : ''}`} aria-label="Participant and settings">
      <button type="button" class="fold small" aria-expanded={!isFolded} onClick={() => setIsFolded(!isFolded)}>
        {isFolded ? 'Show participant and settings' : 'Hide participant and settings'}
      </button>
      <div class="side-panels">{children}</div>
    </aside>
  )
}

/** Says how many tests are kept; null leaves room for it. */
export function KeptLine({ kept }: { kept: Kept | null }) {
  return (
    <p class="kept" role="status">
      {kept === null ? '\u00a0' : `${count(kept.tests)} of ${countOf(kept.testsTotal, 'test')} kept`}
    </p>
  )
}

export function CopyLink() {
  if (useLink() !== null) return null
  return (
    <p class="row">
      <CopyButton label="Copy link to this view" text={() => location.href} />
      <span class="hint">It carries the settings.</span>
    </p>
  )
}
