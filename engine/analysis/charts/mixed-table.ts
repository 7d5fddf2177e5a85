import type { Study } from '../../model/study.ts'
import { nameOfAoi, seededNotes } from './analysis-tables.ts'
import type { mixedAnswer } from './mixed-answer.ts'
import {
  type AnalysisField,
  type AnalysisTable,
  flagField,
  idField,
  realField,
  tableOf,
  textField,
  wholeField,
} from './table-fields.ts'

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
    [textField('measure', 'Column that is compared'), () => measure],
    [textField('row', 'mean of a group in an AOI, anova, or difference of two means'), ({ kind }) => kind],
    [textField('effect', 'group, condition (AOI) or interaction; empty for a mean'), ({ effect }) => effect],
    ...SIDES.map(
      (side): AnalysisField<Row> => [
        textField(`group_${side}`, 'Filter of the group; empty for all groups'),
        (row) => groups[row.groups?.[side - 1] ?? -1]?.filter,
      ],
    ),
    ...SIDES.flatMap((side): AnalysisField<Row>[] => [
      [idField(`aoi_id_${side}`, 'The AOI; empty for the mean of all'), (row) => aoiAt(row, side)],
      [textField(`aoi_name_${side}`, 'Its name'), (row) => nameOfAoi(study, aoiAt(row, side))],
    ]),
  ]
}

const MEAN_FIELDS: AnalysisField<Row>[] = [
  ...SIDES.map(
    (side): AnalysisField<Row> => [
      wholeField(`n_${side}`, 'participants', 'Participants with a value in every AOI'),
      ({ n }) => n?.[side - 1],
    ],
  ),
  ...SIDES.map(
    (side): AnalysisField<Row> => [
      realField(`mean_${side}`, '', 'Their mean; of an interaction, their mean difference of the AOIs'),
      ({ means }) => means?.[side - 1],
    ],
  ),
  [realField('sd', '', 'Sample standard deviation of a mean'), ({ sd }) => sd],
  [realField('difference', '', 'First mean − second mean'), ({ value }) => value],
  [realField('low', '', 'Lower limit of the 95 % interval of the mean, or of the difference'), ({ low }) => low],
  [realField('high', '', 'Upper limit'), ({ high }) => high],
]

const TEST_FIELDS: AnalysisField<Row>[] = [
  [realField('f', '', 'F of the effect'), (row) => row.anova?.f],
  [wholeField('df', '', 'Its degrees of freedom, before correction'), (row) => row.anova?.df],
  [wholeField('error_df', '', 'Those of its error'), (row) => row.anova?.errorDf],
  [realField('epsilon', '', 'Greenhouse and Geisser’s ε'), (row) => row.anova?.epsilon],
  [
    realField('p', '', 'p of F without correction, or two-sided p of the permutation'),
    (row) => row.anova?.p ?? row.test?.p,
  ],
  [realField('p_corrected', '', 'p of F with both degrees of freedom times ε'), (row) => row.anova?.correctedP],
  [realField('p_holm', '', 'p corrected by Holm over the differences of the effect'), ({ pHolm }) => pHolm],
  [
    flagField('is_exact', 'True if p comes from all arrangements, false if from random ones'),
    (row) => row.test?.isExact,
  ],
  [realField('generalized_eta_squared', '', 'Generalized η²'), (row) => row.anova?.etaSquared],
]
