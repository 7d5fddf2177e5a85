import { type ComponentChildren, Fragment } from 'preact'
import { useMemo } from 'preact/hooks'
import { Seen, useAnalyses } from '../../core/analysis/analysis-seen.ts'
import { decidedParameters } from '../../core/analysis/decided.ts'
import type { ParameterInfo } from '../../core/api.ts'
import { AnalysisStrip } from './analysis-strip.tsx'

type WithAnalysisProps = {
  studyId: string
  parameters: ParameterInfo[]
  waiting: ComponentChildren
  children: (decided: ParameterInfo[]) => ComponentChildren
}

/**
 * Draws a page of a study below the strip of its analysis once that is known, and again for each version of it.
 *
 * @param waiting drawn until then
 * @param children called with the parameters, whose defaults come from the analysis
 */
export function WithAnalysis({ studyId, parameters, waiting, children }: WithAnalysisProps) {
  const seen = useAnalyses(studyId)
  const current = seen?.current ?? null
  const decided = useMemo(() => decidedParameters(parameters, current), [parameters, current?.reference])
  if (seen === null) return <>{waiting}</>
  return (
    <Seen.Provider value={seen}>
      <AnalysisStrip plain={parameters} decided={decided} />
      <Fragment key={current?.reference ?? ''}>{children(decided)}</Fragment>
    </Seen.Provider>
  )
}
