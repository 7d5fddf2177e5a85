import { useMemo, useState } from 'preact/hooks'
import type { TestKind } from '../../../engine/analysis/compare.ts'
import { MEASURES } from '../../../engine/analysis/measures.ts'
import { type Comparison, type ComparisonsData, type Item, type Study, useData } from '../../core/api.ts'
import { paintAois } from '../../core/colors/aoi-colors.ts'
import { GROUP_COLORS } from '../../core/colors/group-colors.ts'
import { useTheme } from '../../core/colors/theme.ts'
import { countOf, isolate, slug } from '../../core/number-texts.ts'
import { setQuery, usePlace } from '../../core/router.ts'
import { queryString, type Settings } from '../../core/view/chart-settings.ts'
import { readView } from '../../core/view/chart-view.ts'
import { AoiChooser, AoiLegend, legendOf } from '../../figures/aoi-legend.tsx'
import { AoiOrderChoice, hiddenAois, hiddenWords, ranksOf, useAoiOrder } from '../../figures/aoi-order.tsx'
import {
  type Answered,
  type Caption,
  cutWords,
  leftOut,
  NO_CAPTION,
  scarfCaption,
  sourceOf,
} from '../../figures/captions.ts'
import { Figure } from '../../figures/figure.tsx'
import { spanOf, together } from '../../figures/item-answers.ts'
import { usePicture } from '../../figures/picture.ts'
import { fixationNumbers, Scarf } from '../../figures/scarf.tsx'
import { Choice, type Option } from '../../ui/controls/choice.tsx'
import { Explain } from '../../ui/help/explain.tsx'
import { Empty } from '../../ui/waiting/states.tsx'
import { ComparisonTable } from './comparison-table.tsx'
import { type DistributionData, Distributions, distributionNumbers, type Values } from './distributions.tsx'
import { type Group, type GroupAnswers, groupColors } from './group-list.ts'
import { HeatPanels, paintPanels } from './heat-panels.tsx'
import { nameOfMeasure, pText } from './measure-texts.ts'

const STYLE = { kernel: 2.5, colors: 'magma', opacity: 0.85, max: null } as const

type Props = {
  study: Study
  item: Item
  groups: Group[]
  settings: Settings
  defaults: Settings
  answers: GroupAnswers[]
  names: Map<string, string>
}

/** The charts of two or more groups beside each other. */
export function GroupCharts({ hasScarfs = true, ...props }: Props & { hasScarfs?: boolean }) {
  const { study, item } = props
  const aois = useMemo(() => study.aois.filter(({ itemId }) => itemId === item.id), [study, item])
  return (
    <div class="stack group-charts">
      <GroupHeatmaps {...props} />
      {aois.length > 0 ? (
        <GroupMeasures {...props} aois={aois} />
      ) : (
        <Empty title="This item has no areas of interest">
          <p>So there are no AOI measures to compare, only heatmaps and fixations.</p>
        </Empty>
      )}
      {hasScarfs && <GroupScarfs {...props} aois={aois} />}
    </div>
  )
}

function subjectOf({ item, groups }: Props): string {
  return `${isolate(item.filename) || 'item'}, ${groups.map(({ name }) => isolate(name)).join(' and ')}`
}

/**
 * Says of a figure of several groups what it is, and of how many in each.
 *
 * @param answered of each group; null until it is there
 * @param after ends the sentence's line
 */
function groupsCaption(
  { item, groups }: Props,
  answered: (Answered | null)[],
  what: string,
  reading: string,
  after = '',
): Caption {
  const known = answered.flatMap((data, g) => (data === null ? [] : [{ data, name: isolate(groups[g].name) }]))
  const n = known.map(({ data, name }) => `${countOf(data.counted.participants, 'participant')} in ${name}`)
  const left = known.flatMap(({ data, name }) => (leftOut(data) === '' ? [] : [` In ${name} ${leftOut(data)}`]))
  return {
    short: `${what}, of ${n.join(', ')}.${left.join('')}${after}`,
    reading,
    sources: known.map(({ data, name }) => sourceOf(`${isolate(item.filename)}, ${name}`, data)),
  }
}

function GroupHeatmaps(props: Props) {
  const { study, item, groups, answers } = props
  const picture = usePicture(study.id, item)
  const { aspect } = picture
  const heats = answers.map(({ heatmap }) => heatmap.data)
  const isThere = heats.every((data) => data !== null)
  const painted = useMemo(
    () =>
      isThere
        ? paintPanels(
            heats.map((data, g) => ({ name: groups[g].name, data: data! })),
            STYLE,
          )
        : null,
    [...heats, groups.map(({ name }) => name).join('\n'), groups.length],
  )
  const words = `Every participant has equal weight: a cell is the mean share of viewing time. All groups have one scale. The difference is the first group minus the second: orange where the first has more, violet where the second has more. Gaussian kernel σ = ${STYLE.kernel} % of the item's mean side. A difference in the picture is not a statistical test.`
  return (
    <Figure
      title="Heatmaps"
      subject={subjectOf(props)}
      fileName={`gazette-groups-heatmaps-${slug(item.filename)}`}
      caption={groupsCaption(
        props,
        heats,
        heats.length === 2
          ? 'Mean share of viewing time in each group on one scale, and the first minus the second'
          : 'Mean share of viewing time in each group, on one scale',
        words,
      )}
      loaded={together(answers.map(({ heatmap }) => heatmap))}
      narrowest={280}
      numbers={() => ({
        columns: ['group', 'column', 'row', heats[0]!.unit],
        rows: heats.flatMap((data, g) =>
          data!.weights.flatMap((weight, i) =>
            weight === 0 ? [] : [[groups[g].name, i % data!.columns, Math.floor(i / data!.columns), weight]],
          ),
        ),
      })}
      draw={
        painted &&
        ((colors, width) => <HeatPanels data={painted} unit={heats[0]!.unit} {...{ picture, aspect, width, colors }} />)
      }
    />
  )
}

/** Returns the address of a measure compared between the groups; those without conditions, too. */
function comparisonsPath({ study, item, groups, settings, defaults }: Props, measure: string, test: TestKind): string {
  const query = new URLSearchParams(queryString(settings, defaults, { itemId: item.id, measure, test }))
  for (const [g, { filter }] of groups.entries()) query.set(`group${g + 1}`, filter)
  return `/api2/studies/${study.id}/analysis/comparisons?${query}`
}

/** Returns values by participant, by AOI and group. */
function valuesOf({ values }: ComparisonsData): Values[][] {
  return values.map((lanes) =>
    lanes.map(({ participantIds, values: own }) => new Map(participantIds.map((id, i) => [id, own[i]]))),
  )
}

type WithAois = Props & { aois: Study['aois'] }

function GroupMeasures(props: WithAois) {
  const { item, groups, aois, names } = props
  const { query } = usePlace()
  const { colors: onPage } = useTheme()
  const measure = MEASURES.find(({ column }) => column === query.get('measure')) ?? MEASURES[0]
  const kind: TestKind = query.get('test') === 'permutation' ? 'permutation' : 'mann-whitney'
  const loaded = useData<ComparisonsData>(comparisonsPath(props, measure.column, kind), 0, item.id)
  // What was compared before with other groups is not theirs.
  const answer = loaded.data?.groups.length === groups.length ? loaded.data : null
  const tables = answer?.groups ?? groups.map(() => null)
  const values = useMemo(() => (answer === null ? [] : valuesOf(answer)), [answer])
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
      subject={`${subjectOf(props)}, ${nameOfMeasure(measure)}`}
      fileName={`gazette-groups-aois-${slug(item.filename)}`}
      legend={groups.map(({ name }, g) => ({ color: GROUP_COLORS[g], mark: String(g + 1), label: isolate(name) }))}
      caption={groupsCaption(
        props,
        tables,
        `${nameOfMeasure(measure)} by AOI, with one dot per participant and a line at the median${isTested ? `, compared by ${kind === 'permutation' ? 'a permutation test of means' : 'the Mann–Whitney U test'}` : ''}`,
        `${nameOfMeasure(measure)} (${measure.column}): each dot is a participant, with the mean over their tests of this item; the line is the median. Viewers are participants with valid gaze; their value is 0 if they did not look. Lookers are viewers with a fixation in the AOI. ${words}`,
        `${measure.unit === 'ms' && measure.column.includes('fixation') && tables[0] ? cutWords(tables[0]) : ''}${isTested ? '' : ` ${NOT_TESTED}`}`,
      )}
      loaded={loaded}
      narrowest={320}
      scrolls={aois.length > 12}
      numbers={() => distributionNumbers(data, names)}
      controls={
        <div class="row">
          <Choice
            isInline
            label="Measure"
            value={measure.column}
            of={MEASURES.map((each): Option => [each.column, nameOfMeasure(each)])}
            onChange={(value) => setQuery({ measure: value })}
          />
          <Explain of={measure.column} name={measure.label} />
          <Choice
            isInline
            label="Test"
            value={kind}
            of={{ 'mann-whitney': 'Mann–Whitney U, Cliff’s δ', permutation: 'Permutation of means, difference' }}
            onChange={(value) => setQuery({ test: value === 'permutation' ? value : null })}
          />
        </div>
      }
      draw={
        answer !== null && answer.measure === measure.column && values.length > 0
          ? (colors, width) => (
              <Distributions data={{ ...data, paint: groupColors(colors) }} width={width} colors={colors} />
            )
          : null
      }
      below={
        <>
          <ul class="legend" aria-label="Groups">
            {groups.map(({ name }, g) => (
              <li key={g}>
                <svg width="14" height="14" aria-hidden="true" focusable="false">
                  <rect width="14" height="14" rx="3" fill={groupColors(onPage)[g]} />
                </svg>
                <bdi>{name}</bdi>
              </li>
            ))}
          </ul>
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

/** Says beside an AOI what its test says, where there is just one. */
function shortOf(comparisons: Comparison[], a: number, groupCount: number): string {
  const own = comparisons.find(({ aoi }) => aoi === a)
  if (groupCount !== 2 || own === undefined) return ''
  return own.test === null
    ? `n = ${own.n.join(' and ')}: too few for a test`
    : `n = ${own.n.join(' and ')}; p = ${pText(own.test.p)}, Holm ${pText(own.pHolm)}`.replace('= <', '<')
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

function GroupScarfs({ item, groups, answers, aois, names }: WithAois) {
  const { query } = usePlace()
  const { view } = readView(query, { isOne: false, aoiCount: aois.length })
  const [lit, setLit] = useState<number | null>(null)
  const paint = { colors: paintAois(aois.length, view.chosen), lit }
  const order = useAoiOrder()
  const known = answers.find(({ fixations }) => fixations.data !== null)?.fixations.data ?? null
  const ranks = useMemo(() => ranksOf(aois, known, order), [aois, known, order])
  const untilMs = Math.max(...answers.map(({ fixations }) => spanOf(item, fixations.data)))
  return (
    <>
      {groups.map(({ name }, g) => {
        const loaded = answers[g].fixations
        const subject = `${isolate(item.filename) || 'item'}, ${isolate(name)}`
        const { data } = loaded
        return (
          <Figure
            key={g}
            title={`Scarf plot: ${isolate(name)}`}
            subject={subject}
            legend={legendOf(aois, paint.colors)}
            fileName={`gazette-scarf-${slug(name)}-${slug(item.filename)}`}
            caption={
              data === null
                ? NO_CAPTION
                : scarfCaption(subject, data, aois.length > 0, hiddenWords(hiddenAois(data, view.chosen, ranks), aois))
            }
            loaded={loaded}
            scrolls={(data?.tests.length ?? 0) > 30}
            numbers={() => fixationNumbers({ fixations: data!, aois, names })}
            empty={data !== null && data.fixationCount === 0 ? <Empty title="No fixations in this group" /> : null}
            draw={
              data &&
              ((colors, width) => (
                <Scarf
                  data={{ fixations: data, aois, chosen: view.chosen, paint, names, untilMs, ranks }}
                  width={width}
                  colors={colors}
                />
              ))
            }
            below={
              g === groups.length - 1 && aois.length > 0 ? (
                <>
                  <AoiLegend aois={aois} paint={paint} onLight={setLit} />
                  <AoiChooser aois={aois} chosen={view.chosen} colors={paint.colors} />
                  <AoiOrderChoice />
                </>
              ) : null
            }
          />
        )
      })}
    </>
  )
}
