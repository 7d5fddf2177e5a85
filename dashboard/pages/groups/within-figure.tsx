import { type Measure, withUnit } from '../../../isomorphic/measures.ts'
import { useAoiColors } from '../../core/analysis/use-aoi-colors.ts'
import type { WithinData } from '../../core/api.ts'
import { countOf, isolate, slug } from '../../core/number-texts.ts'
import { usePlace } from '../../core/router.ts'
import { useData } from '../../core/use-data.ts'
import { queryString } from '../../core/view/chart-settings.ts'
import { NO_CAPTION, ofWhom, sourceOf } from '../../figures/captions.ts'
import { Figure } from '../../figures/figure.tsx'
import { ColumnNames } from '../../ui/column-names.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { AoiPlaces, shownPlaces } from './aoi-places.tsx'
import { shown, TestCells } from './comparison-table.tsx'
import type { GroupsWithAois } from './groups-caption.ts'
import { MeasureChoice, useMeasure } from './measure-choice.tsx'
import { nameOfMeasure } from './measure-texts.ts'
import { type ComparedAoi, friedmanText, WithinPanel, withinNumbers } from './within-panel.tsx'

/** Numbers of AOIs that are compared within people, which the address keeps as `within`. */
export const WITHIN_PLACES = { min: 2, max: 8, usual: 3 }

/** Compares AOIs that the same participants saw, whichever group they are in. */
export function WithinFigure(props: GroupsWithAois) {
  const { study, item, aois, settings, defaults, names } = props
  const { query } = usePlace()
  const measure = useMeasure(aois)
  const places = shownPlaces(query.get('within'), aois.length, WITHIN_PLACES)
  const paint = useAoiColors(study, aois, places)
  const compared = places.map((place): ComparedAoi => ({ aoi: aois[place], place, color: paint[place] }))
  const asked = queryString(settings, defaults, {
    itemId: item.id,
    aois: compared.map(({ aoi }) => aoi.id).join(),
    measure: measure.column,
  })
  const loaded = useData<WithinData>(`/api2/studies/${study.id}/analysis/within${asked}`, 0, item.id)
  const isThere = (data: WithinData) =>
    data.measure === measure.column && data.aoiIds.join() === compared.map(({ aoi }) => aoi.id).join()
  const data = loaded.data !== null && isThere(loaded.data) ? loaded.data : null
  return (
    <Figure
      title="Within people"
      subject={`${isolate(item.filename) || 'item'}, ${nameOfMeasure(measure)}`}
      fileName={`gazette-within-${slug(item.filename)}`}
      legend={compared.map(({ aoi, place, color }) => ({ color, mark: String(place + 1), label: isolate(aoi.name) }))}
      caption={data === null ? NO_CAPTION : captionOf(data, measure, compared)}
      loaded={loaded}
      narrowest={320}
      numbers={() => withinNumbers({ data: data!, measure, aois: compared }, names)}
      controls={
        <div class="row">
          <MeasureChoice {...{ aois, measure }} />
          <AoiPlaces name="within" {...{ ...WITHIN_PLACES, aois, places }} colors={paint} />
        </div>
      }
      draw={
        data === null ? null : (colors, width) => <WithinPanel {...{ data, measure, width, colors }} aois={compared} />
      }
      below={data !== null && <PairTable {...{ data, measure, compared }} />}
    />
  )
}

/** Draws the tests of each pair of AOIs in numbers. */
function PairTable({ data, measure, compared }: { data: WithinData; measure: Measure; compared: ComparedAoi[] }) {
  const nameOf = (a: number) => `${compared[a].place + 1} ${isolate(compared[a].aoi.name)}`
  const headOf = (aoi: string) => withUnit({ label: `Median of the ${aoi} AOI`, unit: measure.unit })
  return (
    <>
      <DataTable label="Tests of each pair of areas of interest">
        <table>
          <ColumnNames
            of={['Pair', 'n', headOf('first'), headOf('second'), 'W', 'p', 'p, Holm', 'Rank-biserial r [95 %]']}
          />
          <tbody>
            {data.comparisons.map(({ first, second, n, medians, test, pHolm, effect }) => (
              <tr key={`${first} ${second}`}>
                <th scope="row">
                  {nameOf(first)} – {nameOf(second)}
                </th>
                <td class="number">{n}</td>
                {medians.map((median, i) => (
                  <td key={i} class="number">
                    {shown(median)}
                  </td>
                ))}
                <TestCells {...{ test, pHolm, effect }} />
              </tr>
            ))}
          </tbody>
        </table>
      </DataTable>
      <p class="hint">{friedmanText(data)}</p>
    </>
  )
}

function captionOf(data: WithinData, measure: Measure, compared: ComparedAoi[]) {
  const [of] = data.items
  const left = data.incompleteParticipants
  return {
    short: `${nameOfMeasure(measure)} in ${compared.map(({ aoi }) => isolate(aoi.name)).join(', ')}: a line for each participant, a bar at each median, ${ofWhom(of)}${left === 0 ? '' : ` ${countOf(left, 'participant')} without a value in one of the AOIs ${left === 1 ? 'is' : 'are'} left out.`}`,
    reading: `${nameOfMeasure(measure)} (${measure.column}): each dot is a participant, with the mean over their tests. All participants of the page count, whichever group they are in. AOIs are compared in pairs by Wilcoxon’s signed-rank test, two-sided, with Holm’s correction over the pairs; the effect is the matched-pairs rank-biserial correlation, with a percentile interval of 95 % from 2,000 bootstrap samples of participants (seed ${data.seed}). Friedman’s test compares all AOIs.`,
    sources: data.items.map((each) => sourceOf(compared.map(({ aoi }) => isolate(aoi.name)).join(', '), each)),
  }
}
