import { type Measure, withUnit } from '../../../isomorphic/measures.ts'
import { useAoiColors } from '../../core/analysis/use-aoi-colors.ts'
import type { MixedData } from '../../core/api.ts'
import { GROUP_COLORS } from '../../core/colors/group-colors.ts'
import { useTheme } from '../../core/colors/theme.ts'
import { countOf, isolate, result, slug } from '../../core/number-texts.ts'
import { usePlace } from '../../core/router.ts'
import { useData } from '../../core/use-data.ts'
import { queryString } from '../../core/view/chart-settings.ts'
import { ColorKey } from '../../figures/color-key.tsx'
import { Figure } from '../../figures/figure.tsx'
import { ColumnNames } from '../../ui/column-names.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { AoiPlaces, shownPlaces } from './aoi-places.tsx'
import { effectText, shown } from './comparison-table.tsx'
import { type Group, groupColors, withGroups } from './group-list.ts'
import { type GroupsWithAois, groupsCaption, groupsSubject } from './groups-caption.ts'
import { MeasureChoice, useMeasure } from './measure-choice.tsx'
import { nameOfMeasure, pText } from './measure-texts.ts'
import { MixedPanel, mixedNumbers } from './mixed-panel.tsx'
import { WITHIN_PLACES } from './within-figure.tsx'
import type { ComparedAoi } from './within-panel.tsx'

/** Compares AOIs that the same participants saw between the groups. */
export function MixedFigure(props: GroupsWithAois) {
  const { study, item, groups, aois, settings, defaults, names } = props
  const { query } = usePlace()
  const { colors: onPage } = useTheme()
  const measure = useMeasure(aois)
  const places = shownPlaces(query.get('within'), aois.length, WITHIN_PLACES)
  const paint = useAoiColors(study, aois, places)
  const compared = places.map((place): ComparedAoi => ({ aoi: aois[place], place, color: paint[place] }))
  const ids = compared.map(({ aoi }) => aoi.id).join()
  const asked = queryString(settings, defaults, { itemId: item.id, aois: ids, measure: measure.column })
  const path = `/api2/studies/${study.id}/analysis/mixed${withGroups(asked, groups)}`
  const loaded = useData<MixedData>(path, 0, item.id)
  const isThere = (data: MixedData) =>
    data.measure === measure.column && data.aoiIds.join() === ids && data.groups.length === groups.length
  const data = loaded.data !== null && isThere(loaded.data) ? loaded.data : null
  const drawn = data === null ? null : { data, measure, groups, aois: compared }
  return (
    <Figure
      title="Between and within people"
      subject={`${groupsSubject(props)}, ${nameOfMeasure(measure)}`}
      fileName={`gazette-groups-mixed-${slug(item.filename)}`}
      legend={groups.map(({ name }, g) => ({ color: GROUP_COLORS[g], mark: String(g + 1), label: isolate(name) }))}
      caption={groupsCaption(
        props,
        data?.groups.map(({ items: [of] }) => of) ?? groups.map(() => null),
        `${nameOfMeasure(measure)} in ${compared.map(({ aoi }) => isolate(aoi.name)).join(', ')}: mean of each group with its 95 % interval, and a dot for each participant`,
        `${nameOfMeasure(measure)} (${measure.column}), with the mean over a participant's tests. ${data?.methods ?? ''}`,
        data === null ? '' : leftWords(data),
      )}
      loaded={loaded}
      narrowest={320}
      numbers={() => mixedNumbers(drawn!, names)}
      controls={
        <div class="row">
          <MeasureChoice {...{ aois, measure }} />
          <AoiPlaces name="within" {...{ ...WITHIN_PLACES, aois, places }} colors={paint} />
        </div>
      }
      draw={drawn && ((colors, width) => <MixedPanel {...{ ...drawn, width, colors }} />)}
      below={
        <>
          <ColorKey label="Groups" of={groups.map(({ name }, g) => ({ label: name, color: groupColors(onPage)[g] }))} />
          {drawn && <MixedTables {...drawn} />}
        </>
      }
    />
  )
}

/** Says how many participants are left out, and why nothing is tested. */
function leftWords({ groups, noTest }: MixedData): string {
  const left = groups.reduce((sum, { incompleteParticipants }) => sum + incompleteParticipants, 0)
  const out =
    left === 0
      ? ''
      : ` ${countOf(left, 'participant')} without a value in one of the AOIs ${left === 1 ? 'is' : 'are'} left out.`
  return `${out}${noTest === null ? '' : ` No analysis of variance: ${noTest}.`}`
}

type MixedTablesProps = { data: MixedData; measure: Measure; groups: Group[]; aois: ComparedAoi[] }

const EFFECTS = { group: 'Group', condition: 'AOI', interaction: 'Group × AOI' }

/** Draws the effects, and the differences that they consist of, in numbers. */
function MixedTables(props: MixedTablesProps) {
  const { anova, contrasts } = props.data
  return (
    <>
      {anova !== null && <AnovaTable anova={anova} />}
      {contrasts.length > 0 && <ContrastTable {...props} />}
      <p class="hint">{anovaText(props.data, EFFECTS.interaction)}</p>
    </>
  )
}

function AnovaTable({ anova }: { anova: NonNullable<MixedData['anova']> }) {
  return (
    <DataTable label="Mixed analysis of variance">
      <table>
        <ColumnNames of={['Effect', 'F', 'df', 'ε', 'p', 'p, corrected', 'Generalized η²']} />
        <tbody>
          {anova.map(({ effect, f, df, errorDf, epsilon, p, correctedP, etaSquared }) => (
            <tr key={effect}>
              <th scope="row">{EFFECTS[effect]}</th>
              <td class="number">{shown(f)}</td>
              <td class="number">
                {df}, {errorDf}
              </td>
              <td class="number">{shown(epsilon)}</td>
              <td class="number">{pText(p)}</td>
              <td class="number">{pText(correctedP)}</td>
              <td class="number">{shown(etaSquared)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </DataTable>
  )
}

function ContrastTable({ data: { contrasts }, measure, groups, aois }: MixedTablesProps) {
  const ofPair = (what: string) => withUnit({ label: `${what} of the pair`, unit: measure.unit })
  const pairOf = (pair: [number, number] | null, nameOf: (place: number) => string) =>
    pair === null ? 'all' : pair.map(nameOf).join(' – ')
  const aoiName = (a: number) => `${aois[a].place + 1} ${isolate(aois[a].aoi.name)}`
  return (
    <DataTable label="Differences between groups and areas of interest">
      <table>
        <ColumnNames
          texts={3}
          of={[
            ...['Effect', 'Groups', 'AOIs', 'n of the first of the pair', 'n of the second of the pair'],
            ...[ofPair('Mean of the first'), ofPair('Mean of the second')],
            `${withUnit({ label: 'Difference', unit: measure.unit })} [95 %]`,
            ...['p', 'p, Holm'],
          ]}
        />
        <tbody>
          {contrasts.map(({ effect, groups: of, conditions, n, means, difference, test, pHolm }) => (
            <tr key={`${effect} ${of} ${conditions}`}>
              <th scope="row">{EFFECTS[effect]}</th>
              <td>{pairOf(of, (g) => isolate(groups[g]?.name ?? ''))}</td>
              <td>{pairOf(conditions, aoiName)}</td>
              {n.map((each, side) => (
                <td key={side} class="number">
                  {each}
                </td>
              ))}
              {means.map((mean, side) => (
                <td key={side} class="number">
                  {shown(mean)}
                </td>
              ))}
              <td class="number">{effectText(difference)}</td>
              <td class="number">{test === null ? 'too few' : pText(test.p)}</td>
              <td class="number">{pText(pHolm)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </DataTable>
  )
}

/** Says in a sentence how the AOIs differ between the groups; '' without an analysis of variance. */
function anovaText({ anova }: MixedData, name: string): string {
  const interaction = anova?.find(({ effect }) => effect === 'interaction')
  if (interaction === undefined || interaction.f === null) return ''
  const { f, df, errorDf, correctedP, etaSquared } = interaction
  return `${name}: F(${df}, ${errorDf}) = ${result(f)}, p = ${pText(correctedP)}, generalized η² = ${shown(etaSquared)}.`.replace(
    'p = <',
    'p <',
  )
}
