import type { Study } from '../../model/study.ts'
import { nameOf, seededNotes } from './analysis-tables.ts'
import type { mixedAnswer } from './mixed-answer.ts'
import { type AnalysisField, type AnalysisTable, flag, id, real, tableOf, text, whole } from './table-fields.ts'

type Mixed = Awaited<ReturnType<typeof mixedAnswer>>
type Pair = [number, number] | null

/** One of the rows: the mean of a cell, an effect of the analysis of variance, or a difference of two means. */
type Row = {
  kind: 'mean' | 'anova' | 'difference'
  effect?: string
  groups?: Pair | [number]
  aois?: Pair | [number]
  n?: [number, number] | [number]
  means?: [number | null, number | null] | [number | null]
  sd?: number | null
  value?: number | null
  low?: number | null
  high?: number | null
  anova?: NonNullable<Mixed['anova']>[number]
  test?: Mixed['contrasts'][number]['test']
  pHolm?: number | null
}

/** Returns a row for each mean of a group in an AOI, for each effect, and for each difference of two means. */
export function mixedTable(answer: Mixed, study: Study): AnalysisTable {
  const { groups, noTest, seed } = answer
  const tables = groups.flatMap(({ items }) => items)
  const notes = `${seededNotes(tables, seed)}${noTest === null ? '' : ` | no test: ${noTest}`}`
  return tableOf<Row>(rowsOf(answer), notes, [...subjectFields(answer, study), ...MEAN_FIELDS, ...TEST_FIELDS])
}

function rowsOf({ groups, anova, contrasts }: Mixed): Row[] {
  return [
    ...groups.flatMap(({ cells }, g) =>
      cells.map(
        ({ n, mean, ...rest }, a): Row => ({ kind: 'mean', groups: [g], aois: [a], n: [n], means: [mean], ...rest }),
      ),
    ),
    ...(anova ?? []).map((each): Row => ({ kind: 'anova', effect: each.effect, anova: each })),
    ...contrasts.map(
      ({ effect, groups: compared, conditions, n, means, difference, test, pHolm }): Row => ({
        ...{ kind: 'difference', effect, groups: compared, aois: conditions, n, means, test, pHolm },
        ...difference,
      }),
    ),
  ]
}

/** The two sides of a difference; a mean has the first only. */
const SIDES = [1, 2] as const

/** Fields that say what a row is about: its effect, groups and AOIs. */
function subjectFields({ groups, aoiIds, measure }: Mixed, study: Study): AnalysisField<Row>[] {
  const aoiAt = ({ aois }: Row, side: number) => aoiIds[aois?.[side - 1] ?? -1]
  return [
    [text('measure', 'Column that is compared'), () => measure],
    [text('row', 'mean of a group in an AOI, anova, or difference of two means'), ({ kind }) => kind],
    [text('effect', 'group, condition (AOI) or interaction; empty for a mean'), ({ effect }) => effect],
    ...SIDES.map(
      (side): AnalysisField<Row> => [
        text(`group_${side}`, 'Filter of the group; empty for all groups'),
        (row) => groups[row.groups?.[side - 1] ?? -1]?.filter,
      ],
    ),
    ...SIDES.flatMap((side): AnalysisField<Row>[] => [
      [id(`aoi_id_${side}`, 'The AOI; empty for the mean of all'), (row) => aoiAt(row, side)],
      [text(`aoi_name_${side}`, 'Its name'), (row) => nameOf(study, aoiAt(row, side))],
    ]),
  ]
}

const MEAN_FIELDS: AnalysisField<Row>[] = [
  ...SIDES.map(
    (side): AnalysisField<Row> => [
      whole(`n_${side}`, 'participants', 'Participants with a value in every AOI'),
      ({ n }) => n?.[side - 1],
    ],
  ),
  ...SIDES.map(
    (side): AnalysisField<Row> => [
      real(`mean_${side}`, '', 'Their mean; of an interaction, their mean difference of the AOIs'),
      ({ means }) => means?.[side - 1],
    ],
  ),
  [real('sd', '', 'Sample standard deviation of a mean'), ({ sd }) => sd],
  [real('difference', '', 'First mean − second mean'), ({ value }) => value],
  [real('low', '', 'Lower limit of the 95 % interval of the mean, or of the difference'), ({ low }) => low],
  [real('high', '', 'Upper limit'), ({ high }) => high],
]

const TEST_FIELDS: AnalysisField<Row>[] = [
  [real('f', '', 'F of the effect'), (row) => row.anova?.f],
  [whole('df', '', 'Its degrees of freedom, before correction'), (row) => row.anova?.df],
  [whole('error_df', '', 'Those of its error'), (row) => row.anova?.errorDf],
  [real('epsilon', '', 'Greenhouse and Geisser’s ε'), (row) => row.anova?.epsilon],
  [real('p', '', 'p of F without correction, or two-sided p of the permutation'), (row) => row.anova?.p ?? row.test?.p],
  [real('p_corrected', '', 'p of F with both degrees of freedom times ε'), (row) => row.anova?.correctedP],
  [real('p_holm', '', 'p corrected by Holm over the differences of the effect'), ({ pHolm }) => pHolm],
  [flag('is_exact', 'True if p comes from all arrangements, false if from random ones'), (row) => row.test?.isExact],
  [real('generalized_eta_squared', '', 'Generalized η²'), (row) => row.anova?.etaSquared],
]
