import { useEffect, useRef, useState } from 'preact/hooks'
import type { FixationsData } from '../../core/api.ts'
import { countOf } from '../../core/number-texts.ts'
import type { Loaded } from '../../core/use-data.ts'

const SAID_AFTER_MS = 600

type RedrawnProps = { fixations: Loaded<FixationsData>; subject: string }

/** Announces the result of a change of settings to screen readers, debounced. */
export function Redrawn({ fixations: { data, isFresh, problem }, subject }: RedrawnProps) {
  const [text, setText] = useState('')
  const first = useRef(true)
  useEffect(() => {
    if (data === null || !isFresh || problem !== null) return
    const isFirst = first.current
    first.current = false
    if (isFirst) return
    const timer = window.setTimeout(
      () =>
        setText(
          `Redrawn: ${countOf(data.fixationCount, 'fixation')}, ${countOf(data.kept.tests, 'test')} kept, ${subject}`,
        ),
      SAID_AFTER_MS,
    )
    return () => window.clearTimeout(timer)
  }, [data, isFresh, problem, subject])
  return (
    <p class="unseen redrawn" role="status" aria-live="polite">
      {text}
    </p>
  )
}
