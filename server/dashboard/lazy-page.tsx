import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { asProblem, type Problem } from './api.ts'
import { Loading, Trouble } from './waiting/states.tsx'

/** Returns a page whose code is asked for when it is first shown. */
export function lazyPage<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  let known: ComponentType<Props> | null = null
  return function LazyPage(props: Props) {
    const [Page, setPage] = useState<{ is: ComponentType<Props> } | null>(known === null ? null : { is: known })
    const [problem, setProblem] = useState<Problem | null>(null)
    const ask = () => {
      setProblem(null)
      load().then(
        (page) => {
          known = page
          setPage({ is: page })
        },
        (error) => setProblem(asProblem(error)),
      )
    }
    useEffect(() => {
      if (known === null) ask()
    }, [])
    if (problem !== null) return <Trouble problem={problem} retry={ask} />
    return Page === null ? <Loading what="the page" /> : <Page.is {...props} />
  }
}
