import { type ComponentChildren, createContext, type VNode } from 'preact'
import { useContext, useEffect, useRef, useState } from 'preact/hooks'
import { FigureHeading } from '../../figures/figure.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { SaveMenu } from './save-menu.tsx'

/** Report on the page, and the number of its parts that are still loading. */
const Drawn = createContext<{ article: { current: HTMLElement | null }; waiting: number }>({
  article: { current: null },
  waiting: 1,
})

type BusyArticleProps = { hasTools: boolean; left: VNode | null; right: VNode | null; children: ComponentChildren }

/**
 * Draws a report, and counts its parts that are still loading by their spinners. A change of the count does not render
 * the parts again.
 *
 * @param hasTools false to hide the tools of figures and tables
 * @param left, right drawn beside the report on a wide window; null on others
 */
export function BusyArticle({ hasTools, left, right, children }: BusyArticleProps) {
  const article = useRef<HTMLElement | null>(null)
  // Parts may not have started loading yet.
  const [waiting, setWaiting] = useState(1)
  useEffect(() => {
    const look = () => setWaiting(article.current!.querySelectorAll('.spinner').length)
    const observer = new MutationObserver(look)
    observer.observe(article.current!, { subtree: true, childList: true })
    look()
    return () => observer.disconnect()
  }, [])
  return (
    <Drawn.Provider value={{ article, waiting }}>
      <div class={left === null ? undefined : 'report-places'}>
        {left}
        <article ref={article} class={`report${hasTools ? '' : ' plain'}`} aria-busy={waiting > 0}>
          <FigureHeading.Provider value="h3">{children}</FigureHeading.Provider>
        </article>
        {right}
      </div>
    </Drawn.Provider>
  )
}

/** Prints the report, or saves it as a document, once all parts are loaded. @param program with its version */
export function PrintAndSave({ program }: { program: string }) {
  const { article, waiting } = useContext(Drawn)
  return (
    <>
      <Button class="primary" disabled={waiting > 0} onClick={() => window.print()}>
        {waiting > 0 ? `Loading ${waiting} parts …` : 'Print or save as PDF'}
      </Button>
      <SaveMenu {...{ article, program }} isLoading={waiting > 0} />
    </>
  )
}
