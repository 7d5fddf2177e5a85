import type { ComponentType } from 'preact'
import { useEffect, useLayoutEffect, useState } from 'preact/hooks'
import { missingCode } from '../../core/missing-code.ts'
import { reloadWhenBack } from '../../core/reload-when-back.ts'
import { Loading, Trouble } from './states.tsx'

/** Name of the part while it loads, and title of the problem if it could not be loaded. */
type Words = { what: string; missing: string }
const PAGE: Words = { what: 'the page', missing: 'This page could not be loaded' }
const BACK = 'The page is loaded again once the server answers'

/** A page whose code is loaded when it is first shown, or ahead of that. */
export type LazyPage<Props> = ComponentType<Props> & { loadAhead: () => void }

/** Returns a page, or a part of one, whose code is loaded when it is first shown. */
export function lazyPage<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  { what, missing }: Words = PAGE,
): LazyPage<Props> {
  let known: ComponentType<Props> | null = null
  function Lazy(props: Props) {
    const [Page, setPage] = useState<{ is: ComponentType<Props> } | null>(known === null ? null : { is: known })
    const [isMissing, setMissing] = useState(false)
    // A layout effect, since an ordinary one would start one frame later.
    useLayoutEffect(() => {
      if (Page !== null) return
      // Loaded ahead, it may have come since the page was drawn: the module is loaded once.
      load().then(
        (page) => {
          known = page
          setPage({ is: page })
        },
        () => setMissing(true),
      )
    }, [])
    useEffect(() => (isMissing ? reloadWhenBack() : undefined), [isMissing])
    if (isMissing) return <Trouble problem={missingCode(missing, BACK)} retry={() => location.reload()} />
    return Page === null ? <Loading what={what} /> : <Page.is {...props} />
  }
  // What is missing is told when the page is shown.
  const loadAhead = () =>
    void load().then(
      (page) => {
        known = page
      },
      () => {},
    )
  return Object.assign(Lazy, { loadAhead })
}
