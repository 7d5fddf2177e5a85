import { ServiceError } from '../../model/errors.ts'
import type { ChartSubject } from '../charts/answer-chart.ts'
import type { AskedAnalysis } from './analysis-entry.ts'

/** Returns the item and the settings of an analysis of one item. @throws ServiceError invalid_param without an item */
export function subjectOf({ item, ...asked }: AskedAnalysis): ChartSubject {
  if (item === null) {
    const value = asked.parameters.itemId
    const faults = value === null ? [] : [{ parameter: 'itemId', rule: 'must be an item of the study', value }]
    throw new ServiceError('invalid_param', 'this analysis needs one item', { faults })
  }
  return { ...asked, item }
}
