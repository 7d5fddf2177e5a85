import type { clustersAnswer } from './clusters-answer.ts'
import { type AnalysisTable, flag, real, tableOf, text, whole } from './table-fields.ts'

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
    [text('signal', 'What is compared'), () => signal],
    [text('design', 'within or between participants'), () => design],
    [text('condition_1', 'Filter of the first group, or AOI name'), () => conditions[0].name],
    [text('condition_2', 'The second'), () => conditions[1].name],
    [text('locked_to', 'Name of the events that time is measured from; empty for item onset'), () => eventType ?? ''],
    [real('bin_starts_at_ms', 'ms', 'Start of the bin, from item onset or the event'), ({ bin }) => bin.startMs],
    [whole('n_1', 'participants', 'Participants of the first condition with a value'), ({ bin }) => bin.n[0]],
    [whole('n_2', 'participants', 'Participants of the second condition with a value'), ({ bin }) => bin.n[1]],
    [real('mean_1', '', 'Their mean, of the first'), ({ bin }) => bin.means[0]],
    [real('mean_2', '', 'Their mean, of the second'), ({ bin }) => bin.means[1]],
    [real('difference', '', 'Difference of the means'), ({ bin }) => bin.difference],
    [real('difference_low', '', 'Lower limit of its 95 % interval'), ({ bin }) => bin.low],
    [real('difference_high', '', 'Upper limit of its 95 % interval'), ({ bin }) => bin.high],
    [real('t', '', 'The difference divided by its standard error'), ({ bin }) => bin.t],
    [whole('df', '', 'Degrees of freedom of t'), ({ bin }) => bin.df],
    [real('t_threshold', '', 'Size of t beyond which the bin belongs to a cluster'), ({ bin }) => bin.threshold],
    [
      whole('cluster', '', 'Number of the cluster, from 1; empty for none'),
      ({ cluster }) => (cluster === -1 ? undefined : cluster + 1),
    ],
    [real('cluster_mass', '', 'Sum of t over its bins'), ({ cluster }) => clusters[cluster]?.mass],
    [real('cluster_p', '', 'Its two-sided p, corrected for all bins'), ({ cluster }) => clusters[cluster]?.p],
    [
      flag('is_exact', 'True if p comes from all arrangements, false if from random ones'),
      ({ cluster }) => (clusters[cluster]?.p == null ? undefined : isExact),
    ],
  ])
}
