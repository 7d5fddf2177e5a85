import { type ComponentChildren, Fragment } from 'preact'
import { useMemo } from 'preact/hooks'
import { AnalysisContext, type AnalysisSeen, useAnalyses } from '../../core/analysis/analysis-seen.ts'
import { decidedParameters } from '../../core/analysis/decided.ts'
import { AppliedSeen, useApplied } from '../../core/analysis/use-applied.ts'
import type { ParameterInfo, Study } from '../../core/api.ts'
import { AnalysisStrip } from './analysis-strip.tsx'

type WithAnalysisProps = {
  study: Study
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
export function WithAnalysis({ waiting, ...props }: WithAnalysisProps) {
  const seen = useAnalyses(props.study.id)
  if (seen === null) return <>{waiting}</>
  return <Known {...props} seen={seen} />
}

function Known({ study, parameters, seen, children }: Omit<WithAnalysisProps, 'waiting'> & { seen: AnalysisSeen }) {
  const { current } = seen
  const decided = useMemo(() => decidedParameters(parameters, current), [parameters, current?.reference])
  const applied = useApplied(study, parameters, current)
  return (
    <AnalysisContext.Provider value={seen}>
      <AppliedSeen.Provider value={applied}>
        <AnalysisStrip {...{ applied, decided }} plain={parameters} />
        <Fragment key={current?.reference ?? ''}>{children(decided)}</Fragment>
      </AppliedSeen.Provider>
    </AnalysisContext.Provider>
  )
}
