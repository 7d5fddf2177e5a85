import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { useAnalysis } from '../../core/analysis/analysis-seen.ts'
import { FIRST_ANALYSIS } from '../../core/analysis/decided.ts'
import { setQuery, usePlace } from '../../core/router.ts'
import { reportText } from '../../core/view/report-contents.ts'
import { Button } from '../../ui/controls/button.tsx'
import { Loading } from '../../ui/waiting/states.tsx'

/** Draws a report once the address has the contents that the analysis in use keeps, if it names none itself. */
export function WithKeptContents({ children }: { children: ComponentChildren }) {
  const { query } = usePlace()
  const kept = useAnalysis()?.current?.analysis.report ?? ''
  const [isTaken, setIsTaken] = useState(kept === '' || reportText(query) !== '')
  useEffect(() => {
    if (isTaken) return
    setQuery(Object.fromEntries(new URLSearchParams(kept)))
    setIsTaken(true)
  }, [])
  return isTaken ? children : <Loading what="the report" />
}

/** Draws the button that keeps the contents of the report in the analysis in use, for users who may change it. */
export function KeepContents() {
  const { query } = usePlace()
  const analysis = useAnalysis()
  if (analysis === null || !analysis.mayChange) return null
  const { current, all, store } = analysis
  const name = current?.name ?? FIRST_ANALYSIS
  const base = current ?? all.find((each) => each.name === name)
  const own = reportText(query)
  if (own === (base?.analysis.report ?? '')) return null
  return (
    <Button class="small" onClick={() => void store(name, { ...base?.analysis, report: own || undefined })}>
      Keep these contents in the analysis “{name}”
    </Button>
  )
}
