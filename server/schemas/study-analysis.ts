import { z } from 'zod'
import { Analysis } from '../../engine/analyses/analysis-schema.ts'
import { ANALYSIS_NAME } from '../../engine/model/study-analysis.ts'
import { text, time } from './values.ts'

export { Analysis }

export const StoredAnalysis = z
  .object({
    name: z.string().regex(ANALYSIS_NAME).describe('Its name'),
    version: z
      .string()
      .regex(/^[0-9a-f]{12}$/)
      .describe('The first digits of the SHA-256 of its canonical JSON'),
    reference: text('`name@version`: what `analysis` takes, and what notes name'),
    changedAt: time('When its name got this version; null for an earlier one').nullable(),
    analysis: Analysis,
  })
  .describe('An analysis of a study in one of its versions')

export const AnalysisList = z
  .object({ analyses: z.array(StoredAnalysis) })
  .describe('The analyses of a study in their current versions, by name')
