import { ServiceError } from '../../model/errors.ts'
import type { ChartSubject } from '../charts/answer-chart.ts'
import type { AskedAnalysis } from './analysis-entry.ts'

/** Returns the item and the settings of an analysis of one item. @throws ServiceError usage without an item */
export function subjectOf({ item, ...asked }: AskedAnalysis): ChartSubject {
  if (item === null) throw new ServiceError('usage', 'this analysis needs one item')
  return { ...asked, item }
}
