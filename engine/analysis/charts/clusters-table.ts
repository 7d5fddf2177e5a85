import type { clustersAnswer } from './clusters-answer.ts'
import {
  type AnalysisTable,
  BIN_STARTS,
  flagField,
  LOCKED_TO,
  realField,
  tableOf,
  textField,
  wholeField,
} from './table-fields.ts'

type Clusters = Awaited<ReturnType<typeof clustersAnswer>>

/** Returns a row for each bin, with the cluster that it belongs to. */
export function clustersTable(answer: Clusters): AnalysisTable {
  const { bins, clusters, conditions, signal, design, eventType, isExact } = answer
  type Row = { bin: Clusters['bins'][number]; cluster: number }
  const rows = bins.map((bin, b): Row => {
    const cluster = clusters.findIndex(({ firstBin, bins: n }) => b >= firstBin && b < firstBin + n)
    return { bin, cluster }
  })
  const notes = `${conditions.map(({ notes: own }) => own).join(' | ')}${answer.noP === null ? '' : ` | no p: ${answer.noP}`}`
  return tableOf<Row>(rows, notes, [
    [textField('signal', 'What is compared'), () => signal],
    [textField('design', 'within or between participants'), () => design],
    [textField('condition_1', 'Filter of the first group, or AOI name'), () => conditions[0].name],
    [textField('condition_2', 'The second'), () => conditions[1].name],
    [LOCKED_TO, () => eventType ?? ''],
    [BIN_STARTS, ({ bin }) => bin.startMs],
    [wholeField('n_1', 'participants', 'Participants of the first condition with a value'), ({ bin }) => bin.n[0]],
    [wholeField('n_2', 'participants', 'Participants of the second condition with a value'), ({ bin }) => bin.n[1]],
    [realField('mean_1', '', 'Their mean, of the first'), ({ bin }) => bin.means[0]],
    [realField('mean_2', '', 'Their mean, of the second'), ({ bin }) => bin.means[1]],
    [realField('difference', '', 'Difference of the means'), ({ bin }) => bin.difference],
    [realField('difference_low', '', 'Lower limit of its 95 % interval'), ({ bin }) => bin.low],
    [realField('difference_high', '', 'Upper limit of its 95 % interval'), ({ bin }) => bin.high],
    [realField('t', '', 'The difference divided by its standard error'), ({ bin }) => bin.t],
    [wholeField('df', '', 'Degrees of freedom of t'), ({ bin }) => bin.df],
    [realField('t_threshold', '', 'Size of t beyond which the bin belongs to a cluster'), ({ bin }) => bin.threshold],
    [
      wholeField('cluster', '', 'Number of the cluster, from 1; empty for none'),
      ({ cluster }) => (cluster === -1 ? undefined : cluster + 1),
    ],
    [realField('cluster_mass', '', 'Sum of t over its bins'), ({ cluster }) => clusters[cluster]?.mass],
    [realField('cluster_p', '', 'Its two-sided p, corrected for all bins'), ({ cluster }) => clusters[cluster]?.p],
    [
      flagField('is_exact', 'True if p comes from all arrangements, false if from random ones'),
      ({ cluster }) => (clusters[cluster]?.p == null ? undefined : isExact),
    ],
  ])
}
