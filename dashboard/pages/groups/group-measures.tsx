import { useMemo } from 'preact/hooks'
import type { Measure } from '../../../isomorphic/measures.ts'
import type { Aoi, Comparison, ComparisonsData, TestKind } from '../../core/api.ts'
import { GROUP_COLORS } from '../../core/colors/group-colors.ts'
import { useTheme } from '../../core/colors/theme.ts'
import { countOf, isolate, slug } from '../../core/number-texts.ts'
import { setQuery, usePlace } from '../../core/router.ts'
import { useData } from '../../core/use-data.ts'
import { queryString } from '../../core/view/chart-settings.ts'
import { cutWords } from '../../figures/captions.ts'
import { ColorKey } from '../../figures/color-key.tsx'
import { Figure } from '../../figures/figure.tsx'
import { Choice } from '../../ui/controls/choice.tsx'
import { ComparisonTable } from './comparison-table.tsx'
import { type DistributionData, Distributions, distributionNumbers, type GroupValues } from './distributions.tsx'
import { groupColors, withGroups } from './group-list.ts'
import { type GroupsWithAois, groupsCaption, groupsSubject } from './groups-caption.ts'
import { MeasureChoice, useMeasure } from './measure-choice.tsx'
import { nameOfMeasure, pEquals, populationOf, pText } from './measure-texts.ts'

/** Returns values by participant, by AOI and group. */
function valuesOf({ values }: ComparisonsData): GroupValues[][] {
  return values.map((lanes) =>
    lanes.map(({ participantIds, values: own }) => new Map(participantIds.map((id, i) => [id, own[i]]))),
  )
}

/** Loads the comparison that the address chooses between the groups. */
function useComparisons({ study, item, aois, groups, settings, defaults }: GroupsWithAois) {
  const { query } = usePlace()
  const measure = useMeasure(aois)
  const kind: TestKind = query.get('test') === 'permutation' ? 'permutation' : 'mann-whitney'
  const asked = queryString(settings, defaults, { itemId: item.id, measure: measure.column, test: kind })
  const path = `/api2/studies/${study.id}/analysis/comparisons${withGroups(asked, groups)}`
  const loaded = useData<ComparisonsData>(path, 0, item.id)
  // An earlier comparison with other groups does not apply.
  const answer = loaded.data?.groups.length === groups.length ? loaded.data : null
  const values = useMemo(() => (answer === null ? [] : valuesOf(answer)), [answer])
  return { measure, kind, loaded, answer, values }
}

/** Compares a measure between groups in each AOI. */
export function GroupMeasures(props: GroupsWithAois) {
  const { item, groups, aois, names } = props
  const { colors: onPage } = useTheme()
  const { measure, kind, loaded, answer, values } = useComparisons(props)
  const tables = answer?.groups ?? groups.map(() => null)
  const medians = (answer?.summaries ?? []).map((own) => own.map(({ median }) => median))
  const shared = answer?.sharedParticipants ?? 0
  const comparisons = answer?.comparisons ?? []
  const said = aois.map((_, a) => shortOf(comparisons, a, groups.length))
  const data: DistributionData = { aois, groups, measure, values, medians, said, paint: groupColors(onPage) }
  const words = testWords(comparisons, kind, shared, answer?.seed)
  const isTested = words !== NOT_TESTED
  return (
    <Figure
      title="Areas of interest"
      subject={`${groupsSubject(props)}, ${nameOfMeasure(measure)}`}
      fileName={`gazette-groups-aois-${slug(item.filename)}`}
      legend={groups.map(({ name }, g) => ({ color: GROUP_COLORS[g], mark: String(g + 1), label: isolate(name) }))}
      caption={groupsCaption(
        props,
        tables,
        `${nameOfMeasure(measure)} by AOI, with one dot per participant and a line at the median${isTested ? `, compared by ${kind === 'permutation' ? 'a permutation test of means' : 'the Mann–Whitney U test'}` : ''}`,
        `${nameOfMeasure(measure)} (${measure.column}): each dot is a participant, with the mean over their tests of this item; the line is the median. ${populationOf(measure)} ${words}`,
        `${measure.unit === 'ms' && (measure.of === 'readers' || measure.column.includes('fixation')) && tables[0] ? cutWords(tables[0]) : ''}${isTested ? '' : ` ${NOT_TESTED}`}`,
      )}
      loaded={loaded}
      narrowest={320}
      scrolls={aois.length > 12}
      numbers={() => distributionNumbers(data, names)}
      controls={<MeasureChoices {...{ aois, measure, kind }} />}
      draw={
        answer !== null && answer.measure === measure.column && values.length > 0
          ? (colors, width) => (
              <Distributions data={{ ...data, paint: groupColors(colors) }} width={width} colors={colors} />
            )
          : null
      }
      below={
        <>
          <ColorKey label="Groups" of={groups.map(({ name }, g) => ({ label: name, color: groupColors(onPage)[g] }))} />
          {shared > 0 ? (
            <p class="notice">
              {countOf(shared, 'participant')} {shared === 1 ? 'is' : 'are'} in more than one group. These tests are for
              independent groups, so no test was computed. Give the groups conditions that exclude each other.
            </p>
          ) : (
            <ComparisonTable
              {...{ comparisons, aois, groups, measure, kind }}
              fileName={`gazette-groups-tests-${slug(item.filename)}`}
            />
          )}
        </>
      }
    />
  )
}

function MeasureChoices({ aois, measure, kind }: { aois: Aoi[]; measure: Measure; kind: TestKind }) {
  return (
    <div class="row">
      <MeasureChoice {...{ aois, measure }} />
      <Choice
        isInline
        label="Test"
        value={kind}
        of={{ 'mann-whitney': 'Mann–Whitney U, Cliff’s δ', permutation: 'Permutation of means, difference' }}
        onChange={(value) => setQuery({ test: value === 'permutation' ? value : null })}
      />
    </div>
  )
}

/** Returns the result beside an AOI, if it has exactly one test. */
function shortOf(comparisons: Comparison[], a: number, groupCount: number): string {
  const own = comparisons.find(({ aoi }) => aoi === a)
  if (groupCount !== 2 || own === undefined) return ''
  return own.test === null
    ? `n = ${own.n.join(' and ')}: too few for a test`
    : `n = ${own.n.join(' and ')}; ${pEquals(own.test.p)}, Holm ${pText(own.pHolm)}`
}

const NOT_TESTED = 'No test was computed.'

function testWords(comparisons: Comparison[], kind: TestKind, shared: number, seed = 0): string {
  const tested = comparisons.filter(({ test }) => test !== null)
  if (shared > 0 || tested.length === 0) return NOT_TESTED
  const exact = tested.filter(({ test }) => test!.isExact).length
  const how =
    kind === 'permutation'
      ? `Permutation test of the difference of means, two-sided (${exact} of ${tested.length} over all arrangements, the others over 20,000 random ones; seed ${seed}). It assumes that participants are exchangeable between the groups if the groups do not differ. Effect: difference of the means`
      : `Mann–Whitney U test, two-sided (${exact} of ${tested.length} exact; the others by the normal approximation, corrected for ties and continuity). It assumes independent participants, and compares medians only if both distributions have the same shape. Effect: Cliff’s δ`
  return `${how}, with a percentile interval of 95 % from 2,000 bootstrap samples of participants (seed ${seed}). p is also Holm-corrected over the ${countOf(tested.length, 'comparison')} of this figure. The unit is the participant, never the fixation.`
}
