import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { Problem } from '../../core/api.ts'
import { Loading, Trouble } from './states.tsx'

/** Browsers cache that a module failed to load, so a retry needs a reload of the page. */
const NOT_COME: Problem = {
  status: 0,
  title: 'This page could not be loaded',
  detail:
    'The server may have stopped, its version may have changed since you opened Gazette, or the network may be down. Reload the page; your unsaved AOIs are kept.',
  type: null,
}

/** A page whose code is loaded when it is first shown, or ahead of that. */
export type LazyPage<Props> = ComponentType<Props> & { loadAhead: () => void }

/** Returns a page whose code is loaded when it is first shown. */
export function lazyPage<Props extends object>(load: () => Promise<ComponentType<Props>>): LazyPage<Props> {
  let known: ComponentType<Props> | null = null
  function Lazy(props: Props) {
    const [Page, setPage] = useState<{ is: ComponentType<Props> } | null>(known === null ? null : { is: known })
    const [isMissing, setMissing] = useState(false)
    useEffect(() => {
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
    return Page === null ? <Loading what="the page" /> : <Page.is {...props} />
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
