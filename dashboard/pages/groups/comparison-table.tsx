import { type Measure, withUnit } from '../../../isomorphic/measures.ts'
import type { Aoi, Comparison, TestKind } from '../../core/api.ts'
import { isolate, result } from '../../core/number-texts.ts'
import { csvOf, type Numbers } from '../../core/numbers-csv.ts'
import { saveBlob } from '../../figures/save.ts'
import { ColumnNames } from '../../ui/column-names.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import type { Group } from './group-list.ts'
import { pText } from './measure-texts.ts'

type Props = {
  comparisons: Comparison[]
  aois: Aoi[]
  groups: Group[]
  measure: Measure
  kind: TestKind
}

/** Draws the statistical tests in numbers, without significance stars. */
export function ComparisonTable({ fileName, ...props }: Props & { fileName: string }) {
  const { comparisons, aois, groups, measure, kind } = props
  if (comparisons.length === 0) return null
  const isMeans = kind === 'permutation'
  const center = isMeans ? 'Mean' : 'Median'
  // Of two groups, all rows compare the same.
  const [first, second] =
    groups.length === 2 ? groups.map(({ name }) => isolate(name)) : ['the first group', 'the second group']
  const centerOf = (group: string) => withUnit({ label: `${center} of ${group}`, unit: measure.unit })
  return (
    <>
      <DataTable label="Tests of the groups in each area of interest" numbers={() => testNumbers(props)}>
        <table>
          <ColumnNames
            texts={2}
            of={[
              'AOI',
              'Groups',
              `n of ${first}`,
              `n of ${second}`,
              centerOf(first),
              centerOf(second),
              isMeans ? 'Difference' : 'U',
              'p',
              'p, Holm',
              isMeans ? 'Difference [95 %]' : 'Cliff’s δ [95 %]',
            ]}
          />
          <tbody>
            {comparisons.map((of) => (
              <ComparisonRow key={`${of.aoi} ${of.first} ${of.second}`} {...{ of, aois, groups, isMeans }} />
            ))}
          </tbody>
        </table>
      </DataTable>
      <p class="row">
        <Button
          class="small"
          onClick={() => saveBlob(new Blob([csvOf(testNumbers(props))], { type: 'text/csv' }), `${fileName}.csv`)}
        >
          Save these tests (CSV)
        </Button>
      </p>
    </>
  )
}

type ComparisonRowProps = Pick<Props, 'aois' | 'groups'> & { of: Comparison; isMeans: boolean }

/** Draws two groups in an AOI: their sizes, their means or medians, and their test. */
function ComparisonRow({ of, aois, groups, isMeans }: ComparisonRowProps) {
  const { aoi, first, second, n, medians, means } = of
  return (
    <tr>
      <th scope="row">
        {aoi + 1} <bdi>{aois[aoi]?.name}</bdi>
      </th>
      <td>
        <bdi>{groups[first]?.name}</bdi> – <bdi>{groups[second]?.name}</bdi>
      </td>
      {n.map((each, g) => (
        <td key={g} class="number">
          {each}
        </td>
      ))}
      {(isMeans ? means : medians).map((value, g) => (
        <td key={g} class="number">
          {shown(value)}
        </td>
      ))}
      <TestCells {...of} />
    </tr>
  )
}

/** Draws the cells of a test: its statistic, p, and effect with its interval. */
export function TestCells({ test, pHolm, effect }: Pick<Comparison, 'test' | 'pHolm' | 'effect'>) {
  return (
    <>
      <td class="number">{test === null ? 'too few' : result(test.statistic)}</td>
      <td class="number">{pText(test?.p ?? null)}</td>
      <td class="number">{pText(pHolm)}</td>
      <td class="number">{effectText(effect)}</td>
    </>
  )
}

/** Returns an effect with its interval; a dash for none. */
export function effectText(effect: Comparison['effect']): string {
  return effect === null ? '–' : `${result(effect.value)} [${result(effect.low)}, ${result(effect.high)}]`
}

export function shown(value: number | null): string {
  return value === null ? '–' : result(value)
}

/** Returns the statistical tests with all digits. */
function testNumbers({ comparisons, aois, groups, measure, kind }: Props): Numbers {
  const known = (value: number | undefined) => value ?? null
  return {
    columns: [
      'measure',
      'aoi_name',
      'group_1',
      'group_2',
      'n_1',
      'n_2',
      'median_1',
      'median_2',
      'mean_1',
      'mean_2',
      'test',
      'statistic',
      'is_exact',
      'p',
      'p_holm',
      'effect',
      'effect_low',
      'effect_high',
    ],
    rows: comparisons.map(({ aoi, first, second, n, medians, means, test, pHolm, effect }) => [
      measure.column,
      aois[aoi].name,
      groups[first].name,
      groups[second].name,
      ...n,
      ...medians,
      ...means,
      kind,
      known(test?.statistic),
      test === null ? null : String(test.isExact),
      known(test?.p),
      pHolm,
      known(effect?.value),
      known(effect?.low),
      known(effect?.high),
    ]),
  }
}
