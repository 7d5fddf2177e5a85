import { z } from 'zod'
import { ANALYSIS_NAME } from '../../engine/model/study-analysis.ts'
import { Analysis } from '../../engine/snapshot/analyses/analysis-schema.ts'
import { text, time } from './values.ts'

export { Analysis }

export const StoredAnalysis = z
  .object({
    name: z.string().regex(ANALYSIS_NAME).describe('Name of the analysis'),
    version: z
      .string()
      .regex(/^[0-9a-f]{12}$/)
      .describe('The first digits of the SHA-256 of its canonical JSON'),
    reference: text('`name@version`, as in the parameter `analysis` and in notes'),
    changedAt: time('Time since which this version is current; null for an earlier version').nullable(),
    analysis: Analysis,
  })
  .describe('One version of an analysis')

export const AnalysisList = z
  .object({ analyses: z.array(StoredAnalysis) })
  .describe('The analyses of a study in their current versions, by name')
