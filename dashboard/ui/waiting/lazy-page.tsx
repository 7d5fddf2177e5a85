import type { ComponentType } from 'preact'
import { useLayoutEffect, useState } from 'preact/hooks'
import { missingCode } from '../../core/missing-code.ts'
import { Loading, Trouble } from './states.tsx'

const NOT_COME = missingCode('This page could not be loaded')

/** A page whose code is loaded when it is first shown, or ahead of that. */
export type LazyPage<Props> = ComponentType<Props> & { loadAhead: () => void }

/** Returns a page, or a part of one, whose code is loaded when it is first shown. @param what named while it loads */
export function lazyPage<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  what = 'the page',
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
    if (isMissing) return <Trouble problem={NOT_COME} retry={() => location.reload()} />
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
