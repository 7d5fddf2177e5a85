import type { Study } from '../../model/study.ts'
import type { Described } from '../statistics/descriptive.ts'
import type { comparisonsAnswer } from './comparisons-answer.ts'
import type { courseAnswer } from './course-answer.ts'
import type { offsetsAnswer } from './offsets-answer.ts'
import type { participantsAnswer } from './participants-answer.ts'
import type { pupilsAnswer } from './pupils-answer.ts'
import type { lossAnswer, qualityAnswer } from './quality-answer.ts'
import {
  type AnalysisField,
  type AnalysisTable,
  BIN_STARTS,
  flagField,
  GROUP,
  idField,
  LOCKED_TO,
  realField,
  tableOf,
  textField,
  wholeField,
} from './table-fields.ts'
import type { tagsAnswer } from './tags-answer.ts'
import type { withinAnswer } from './within-answer.ts'

/** Converts analyses to tables, for all formats except JSON: the numbers of the answers, with all digits. */

type Comparisons = Awaited<ReturnType<typeof comparisonsAnswer>>
type Within = Awaited<ReturnType<typeof withinAnswer>>
type Course = Awaited<ReturnType<typeof courseAnswer>>
type Quality = Awaited<ReturnType<typeof qualityAnswer>>
type Loss = Awaited<ReturnType<typeof lossAnswer>>
type Offsets = Awaited<ReturnType<typeof offsetsAnswer>>
type Tags = Awaited<ReturnType<typeof tagsAnswer>>
type Pupils = Awaited<ReturnType<typeof pupilsAnswer>>
type Participants = Awaited<ReturnType<typeof participantsAnswer>>

/** Returns one row for each AOI and pair of groups. */
export function comparisonsTable(answer: Comparisons, groups: string[], study: Study): AnalysisTable {
  type Row = Comparisons['comparisons'][number]
  const aoiAt = ({ aoi }: Row) => answer.aoiIds[aoi]
  return tableOf<Row>(answer.comparisons, seededNotes(answer.groups, answer.seed), [
    [textField('measure', 'Column that is compared'), () => answer.measure],
    [idField('aoi_id', 'The AOI'), aoiAt],
    [textField('aoi_name', 'Its name'), (row) => nameOfAoi(study, aoiAt(row))],
    [textField('group_1', 'Filter of the first group'), ({ first }) => groups[first]],
    [textField('group_2', 'Filter of the second group'), ({ second }) => groups[second]],
    [wholeField('n_1', 'participants', 'Participants of the first group with a value'), ({ n }) => n[0]],
    [wholeField('n_2', 'participants', 'Participants of the second group with a value'), ({ n }) => n[1]],
    ...middles<Row>('group'),
    [textField('test', 'The test'), () => answer.test],
    ...tested<Row>('U of the first group, or the difference of means'),
    ...effects<Row>('Cliff’s δ, or the difference of means'),
  ])
}

/** Returns one row for each pair of AOIs; if there are more than two AOIs, a first row has the test of all of them. */
export function withinTable(answer: Within, study: Study): AnalysisTable {
  type Pair = Within['comparisons'][number]
  type Row = { pair: Pair | null; of: Partial<Pair>; test: string; kendallsW: number | null; df: number | null }
  const { friedman, aoiIds, participantIds } = answer
  const all: Row[] = friedman
    ? [
        {
          pair: null,
          of: { n: participantIds.length, test: { statistic: friedman.statistic, p: friedman.p, isExact: false } },
          test: 'friedman',
          kendallsW: friedman.kendallsW,
          df: friedman.df,
        },
      ]
    : []
  const pairs = answer.comparisons.map((pair): Row => ({ pair, of: pair, test: 'wilcoxon', kendallsW: null, df: null }))
  const aoiAt = (row: Row, end: 'first' | 'second') => (row.pair === null ? undefined : aoiIds[row.pair[end]])
  const inPair = <T>(fields: AnalysisField<Partial<Pair>>[]) =>
    fields.map(([own, value]): AnalysisField<Row> => [own, ({ of }) => value(of)]) as AnalysisField<T>[]
  return tableOf<Row>([...all, ...pairs], seededNotes(answer.items, answer.seed), [
    [textField('measure', 'Column that is compared'), () => answer.measure],
    [textField('test', 'friedman for all AOIs, wilcoxon for two'), ({ test }) => test],
    [idField('aoi_id_1', 'The first AOI'), (row) => aoiAt(row, 'first')],
    [textField('aoi_name_1', 'Its name'), (row) => nameOfAoi(study, aoiAt(row, 'first'))],
    [idField('aoi_id_2', 'The second AOI'), (row) => aoiAt(row, 'second')],
    [textField('aoi_name_2', 'Its name'), (row) => nameOfAoi(study, aoiAt(row, 'second'))],
    [wholeField('n', 'participants', 'Participants with a value in every AOI'), ({ of }) => of.n],
    ...inPair<Row>(middles('aoi')),
    ...inPair<Row>(tested('V, or χ² of Friedman')),
    [wholeField('df', '', 'Degrees of freedom of χ²'), ({ df }) => df],
    ...inPair<Row>(effects('Rank-biserial correlation of pairs')),
    [realField('kendalls_w', '', 'Agreement of the participants, of Friedman'), ({ kendallsW }) => kendallsW],
  ])
}

/** Returns one row for each pair of places, even without a transition. */
export function transitionsTable({ notes, aoiIds, transitions: { counts, probabilities } }: Course, study: Study) {
  type Row = { from: number; to: number }
  const rows = counts.flatMap((row, from) => row.map((_, to): Row => ({ from, to })))
  return tableOf<Row>(rows, notes, [
    [idField('from_aoi_id', 'The AOI that gaze left; empty for outside all'), ({ from }) => aoiIds[from]],
    [textField('from_aoi_name', 'Its name'), ({ from }) => nameOfAoi(study, aoiIds[from])],
    [idField('to_aoi_id', 'The AOI that gaze entered; empty for outside all'), ({ to }) => aoiIds[to]],
    [textField('to_aoi_name', 'Its name'), ({ to }) => nameOfAoi(study, aoiIds[to])],
    [wholeField('transition_count', 'transitions', 'How often'), ({ from, to }) => counts[from][to]],
    [
      realField('transition_probability', '', 'Its share of the transitions that leave the same place'),
      ({ from, to }) => probabilities[from][to],
    ],
  ])
}

/** Returns a row for each AOI. */
export function visitsTable({ notes, aoiIds, visits }: Course, study: Study): AnalysisTable {
  type Row = { aoi: string; of: Course['visits'][number] }
  const rows = visits.map((of, a): Row => ({ aoi: aoiIds[a], of }))
  return tableOf<Row>(rows, notes, [
    [idField('aoi_id', 'The AOI'), ({ aoi }) => aoi],
    [textField('aoi_name', 'Its name'), ({ aoi }) => nameOfAoi(study, aoi)],
    [wholeField('test_count', 'tests', 'Tests with a visit'), ({ of }) => of.tests],
    [wholeField('visit_count', 'visits', 'Visits of all tests'), ({ of }) => of.visits],
    [realField('visits_per_test', 'visits', 'Mean over the tests with a visit'), ({ of }) => of.perTest],
    [realField('visit_dwell_ms', 'ms', 'Mean sum of fixations of a visit'), ({ of }) => of.dwellMs],
    [realField('visit_duration_ms', 'ms', 'Mean from start to end of a visit'), ({ of }) => of.durationMs],
  ])
}

/** Returns a row for each AOI and step of its survival curve. */
export function survivalTable({ notes, aoiIds, firstLooks }: Course, study: Study): AnalysisTable {
  type Row = { aoi: string; of: Course['firstLooks'][number]; step: Course['firstLooks'][number]['steps'][number] }
  const rows = firstLooks.flatMap((of, a) => of.steps.map((step): Row => ({ aoi: aoiIds[a], of, step })))
  return tableOf<Row>(rows, notes, [
    [idField('aoi_id', 'The AOI'), ({ aoi }) => aoi],
    [textField('aoi_name', 'Its name'), ({ aoi }) => nameOfAoi(study, aoi)],
    [wholeField('participant_count', 'participants', 'Participants'), ({ of }) => of.n],
    [wholeField('looker_count', 'participants', 'Those of them who looked'), ({ of }) => of.looked],
    [realField('median_ms', 'ms', 'When half have looked'), ({ of }) => of.medianMs],
    [realField('time_ms', 'ms', 'Time of the step, from item onset'), ({ step }) => step.t],
    [
      wholeField('at_risk_count', 'participants', 'Who had not looked before, and was not censored'),
      ({ step }) => step.atRisk,
    ],
    [wholeField('look_count', 'participants', 'Who looked then'), ({ step }) => step.events],
    [realField('survival', '', 'Share that has not looked yet, from then on'), ({ step }) => step.survival],
    [realField('survival_low', '', 'Lower limit of its 95 % interval'), ({ step }) => step.low],
    [realField('survival_high', '', 'Upper limit of its 95 % interval'), ({ step }) => step.high],
  ])
}

/** Returns a row for each measure of the quality of tests. */
export function qualityTable({ notes, measures }: Quality): AnalysisTable {
  return tableOf<Quality['measures'][number]>(measures, notes, [
    [textField('measure', 'Column of quality-stats'), (row) => row.column],
    ...described('Tests with a value', (row: Described) => row),
  ])
}

/** Returns a row for each bin. */
export function lossTable({ notes, bins }: Loss): AnalysisTable {
  return tableOf<Loss['bins'][number]>(bins, notes, [
    [realField('bin_starts_at_ms', 'ms', 'Start of the bin, from item onset'), ({ at }) => at],
    [wholeField('test_count', 'tests', 'Tests with times in the bin'), ({ tests }) => tests],
    [
      realField('data_loss_mean_percents', '%', 'Mean over these tests of the share of times without gaze'),
      (row) => row.mean,
    ],
  ])
}

/** Returns a row for each tag and measure. */
export function tagsTable({ notes, measures, tags }: Tags): AnalysisTable {
  type Row = { tag: Tags['tags'][number]; m: number }
  const rows = tags.flatMap((tag) => measures.map((_, m): Row => ({ tag, m })))
  return tableOf<Row>(rows, notes, [
    [textField('aoi_tag', 'Tag of AOIs'), ({ tag }) => tag.tag],
    [wholeField('aoi_count', 'AOIs', 'AOIs with the tag'), ({ tag }) => tag.aoiCount],
    [wholeField('item_count', 'items', 'Items of these AOIs'), ({ tag }) => tag.itemCount],
    [wholeField('test_count', 'tests', 'Tests of these items with valid gaze'), ({ tag }) => tag.testCount],
    [textField('measure', 'Column of aoi-tags-stats'), ({ m }) => measures[m]],
    ...described('Participants with a value', ({ tag, m }: Row) => tag.described[m]),
  ])
}

/** Returns one row for each participant and source, and for each test with clicks. */
export function offsetsTable({ notes, participants, tests }: Offsets): AnalysisTable {
  type Row = { participantId: string; testId?: string; source: string; of: Offsets['tests'][number]['clicks'] }
  const sources = ['validations', 'clicks'] as const
  const rows: Row[] = [
    ...participants.flatMap(({ participantId, ...own }) =>
      sources.map((source) => ({ participantId, source, of: own[source] })),
    ),
    ...tests.map(({ participantId, testId, clicks }) => ({ participantId, testId, source: 'clicks', of: clicks })),
  ]
  return tableOf<Row>(rows, notes, [
    [idField('participant_id', 'The participant'), ({ participantId }) => participantId],
    [idField('test_id', 'The test; empty for all tests of the participant'), ({ testId }) => testId],
    [textField('source', 'validations or clicks'), ({ source }) => source],
    [wholeField('place_count', 'places', 'Targets or clicks with gaze'), ({ of }) => of.count],
    [realField('dx_px', 'px', 'Suggested offset of x; empty for too few places'), ({ of }) => of.dxPx],
    [realField('dy_px', 'px', 'Suggested offset of y'), ({ of }) => of.dyPx],
    [realField('distance_px', 'px', 'Median distance of gaze from these places'), ({ of }) => of.distancePx],
    [realField('distance_left_px', 'px', 'The same once gaze is moved by the offset'), ({ of }) => of.leftPx],
  ])
}

/** Returns a row for each group and bin. */
export function pupilsTable({ groups, binStartsMs, event, unit }: Pupils): AnalysisTable {
  type Row = { group: Pupils['groups'][number]; bin: number }
  const rows = groups.flatMap((group) => binStartsMs.map((_, bin): Row => ({ group, bin })))
  const averaged = (name: 'size' | 'aboveBaseline', prefix: string, what: string): AnalysisField<Row>[] => {
    const at = (column: 'n' | 'mean' | 'sd' | 'low' | 'high') => (row: Row) => row.group[name][column][row.bin]
    const own = unit ?? ''
    return [
      [wholeField(`${prefix}_participant_count`, 'participants', `Participants with a ${what} in the bin`), at('n')],
      [realField(`${prefix}_mean`, own, `Mean ${what} over these participants`), at('mean')],
      [realField(`${prefix}_sd`, own, 'Its sample standard deviation'), at('sd')],
      [realField(`${prefix}_low`, own, 'Lower limit of the 95 % interval of the mean'), at('low')],
      [realField(`${prefix}_high`, own, 'Upper limit of the 95 % interval of the mean'), at('high')],
    ]
  }
  return tableOf<Row>(rows, groups.map(({ notes }) => notes).join(' | '), [
    [GROUP, ({ group }) => group.filter],
    [LOCKED_TO, () => event ?? ''],
    [BIN_STARTS, ({ bin }) => binStartsMs[bin]],
    ...averaged('size', 'pupil_size', 'pupil size'),
    ...averaged('aboveBaseline', 'pupil_above_baseline', 'size above the baseline'),
  ])
}

/** Returns a first row for all participants, and one row for each gender. */
export function participantsTable({ notes, genders, ...all }: Participants): AnalysisTable {
  type Row = Omit<Participants['genders'][number], 'displayGender'> & { displayGender: string | null }
  return tableOf<Row>([{ displayGender: null, ...all }, ...genders], notes, [
    [
      textField('of', 'all for all participants, gender for those of one'),
      (row) => (row.displayGender === null ? 'all' : 'gender'),
    ],
    [textField('display_gender', 'The gender; empty where none is known'), (row) => row.displayGender],
    [wholeField('participant_count', 'participants', 'Participants'), ({ participants }) => participants],
    [
      wholeField('completed_count', 'participants', 'Those of them who completed the study'),
      ({ completed }) => completed,
    ],
    ...described('Participants whose age is known', ({ age }: Row) => age, 'age_'),
  ])
}

function described<Row>(counted: string, of: (row: Row) => Described, prefix = ''): AnalysisField<Row>[] {
  const value = (name: keyof Described, meaning: string): AnalysisField<Row> => [
    realField(`${prefix}${name}`, '', meaning),
    (row) => of(row)[name],
  ]
  return [
    [wholeField(`${prefix}n`, '', counted), (row) => of(row).n],
    value('mean', 'Their mean'),
    value('sd', 'Their sample standard deviation'),
    value('min', 'The least'),
    value('q1', 'Lower quartile'),
    value('median', 'Median'),
    value('q3', 'Upper quartile'),
    value('max', 'The greatest'),
  ]
}

/** Returns the notes of several tables, and the seed of the random draws. */
export function seededNotes(tables: { notes: string }[], seed: number): string {
  return [...tables.map(({ notes }) => notes), `seed = ${seed}`].join(' | ')
}

/** Returns the name of an AOI. */
export function nameOfAoi({ aois }: Study, aoiId: string | undefined): string | undefined {
  return aois.find((aoi) => aoi.id === aoiId)?.name
}

type Middles = { medians?: [number | null, number | null]; means?: [number | null, number | null] }
function middles<Row extends Middles>(what: string): AnalysisField<Row>[] {
  return ([1, 2] as const).flatMap((place): AnalysisField<Row>[] => [
    [realField(`median_${place}`, '', `Median of ${what} ${place}`), ({ medians }) => medians?.[place - 1]],
    [realField(`mean_${place}`, '', `Mean of ${what} ${place}`), ({ means }) => means?.[place - 1]],
  ])
}

type Tested = { test?: { statistic: number; p: number; isExact: boolean } | null; pHolm?: number | null }
function tested<Row extends Tested>(statistic: string): AnalysisField<Row>[] {
  return [
    [realField('statistic', '', statistic), ({ test }) => test?.statistic],
    [flagField('is_exact', 'True if p is exact, false if it is approximate'), ({ test }) => test?.isExact],
    [realField('p', '', 'Two-sided p'), ({ test }) => test?.p],
    [realField('p_holm', '', 'p corrected by Holm over all rows'), ({ pHolm }) => pHolm],
  ]
}

type Effects = { effect?: { value: number; low: number; high: number } | null }
function effects<Row extends Effects>(meaning: string): AnalysisField<Row>[] {
  return [
    [realField('effect', '', meaning), ({ effect }) => effect?.value],
    [realField('effect_low', '', 'Lower limit of its 95 % interval'), ({ effect }) => effect?.low],
    [realField('effect_high', '', 'Upper limit of its 95 % interval'), ({ effect }) => effect?.high],
  ]
}
