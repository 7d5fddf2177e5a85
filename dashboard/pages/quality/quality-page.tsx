import './quality.css'
import { useMemo } from 'preact/hooks'
import type { Item, LossData, QualityData, Study } from '../../core/api.ts'
import { countOf, isolate, wholeText } from '../../core/number-texts.ts'
import { joinConditions, quoted } from '../../core/people/conditions.ts'
import { isNotInStudy, type People, usePeople, whoOf } from '../../core/people/people.ts'
import { setQuery, usePlace } from '../../core/router.ts'
import { type Loaded, useData } from '../../core/use-data.ts'
import { useTitle } from '../../core/use-title.ts'
import { queryString } from '../../core/view/chart-settings.ts'
import type { Refused } from '../../core/view/chart-view.ts'
import { type LinkSettings, useLinkSettings } from '../../core/view/link-settings.ts'
import { readItem } from '../../core/view/named-item.ts'
import { ofWhom, sourceOf } from '../../figures/captions.ts'
import { Figure } from '../../figures/figure.tsx'
import { emptyOf } from '../../figures/nothing-kept.tsx'
import { SettingsFold } from '../../figures/settings/settings-fold.tsx'
import { IgnoreButton } from '../../ui/analysis/analysis-strip.tsx'
import { Choice } from '../../ui/controls/choice.tsx'
import { itemOptions, peopleOptions } from '../../ui/controls/options.ts'
import { Crumbs } from '../../ui/crumbs.tsx'
import { MethodsText } from '../../ui/methods-text.tsx'
import { FilterChips } from '../../ui/people/filter-chips.tsx'
import { AwaitStudy, type KnownStudy } from '../../ui/waiting/await-item.tsx'
import { Empty, Loading, RefusedLink, Trouble } from '../../ui/waiting/states.tsx'
import { WindowNote } from '../../ui/window/window-note.tsx'
import { Effects } from './effects.tsx'
import { ExclusionPanel } from './exclusion-panel.tsx'
import { eyeMeasures } from './eye-measures.ts'
import { EyesTable } from './eyes-table.tsx'
import { inSeconds, LossLine, lossNumbers } from './loss.tsx'
import { QualityTable } from './quality-table.tsx'
import { qualityCaption, Strips } from './strips.tsx'
import {
  type ExclusionUnit,
  exclusionFilter,
  fallingOut,
  type QualityTest,
  qualityNumbers,
  readThresholds,
  SHOWN_MEASURES,
  type Thresholds,
  testsOf,
} from './thresholds.ts'

export function QualityPage({ studyId }: { studyId: string }) {
  const people = usePeople(studyId)
  return <AwaitStudy studyId={studyId}>{(known) => <QualityView {...known} people={people} />}</AwaitStudy>
}

const BIN_MS = 500

function QualityView({ study, parameters, people }: KnownStudy & { people: People }) {
  const { query } = usePlace()
  const { settings, defaults, refused, change } = useLinkSettings(parameters)
  const { item, refused: refusedItem } = readItem(query, study)
  const { participantId, refused: refusedParticipant } = readParticipant(query, people)
  const { names } = people
  const { table, binned, tests, eyes } = useQuality(study, item, participantId, { settings, defaults })
  const { thresholds, refused: refusedThresholds, unit, out, exclusion } = useExclusion(tests, settings.filter)
  const who = isolate(whoOf(people, participantId))
  const subject = `${item === null ? 'all items' : isolate(item.filename)}, ${who}`
  useTitle('Quality', isolate(study.name))
  return (
    <>
      <QualityHead {...{ study, people, participantId }} itemId={item?.id ?? null} />
      <RefusedLink refused={[...refused, ...refusedItem, ...refusedParticipant, ...refusedThresholds]} />
      {people.first.data !== null && (
        <FilterChips
          title="Tests"
          isFolded
          filter={settings.filter}
          facts={people.first.data}
          people={people.all}
          problem={table.problem}
          onChange={(filter) => change({ ...settings, filter })}
        />
      )}
      <SettingsFold {...{ parameters, settings, defaults }} onChange={change} />
      <WindowNote settings={settings}>
        This page describes whole recordings. A time window changes only the results in areas of interest below.
      </WindowNote>
      {table.problem !== null && <Trouble problem={table.problem} retry={table.retry} />}
      {table.data === null && table.problem === null && (
        <Loading what={`the measures of ${countOf(item?.testCount ?? study.testCount, 'test')}`} />
      )}
      {table.data !== null && tests.length === 0 && (emptyOf(table.data, people, settings) ?? NO_TESTS)}
      {tests.length > 0 && table.data !== null && (
        <div class="stack">
          <ExclusionPanel
            {...{ tests, out, unit, exclusion }}
            onUse={(filter) =>
              setQuery({
                filter: joinConditions([settings.filter, filter]),
                ...Object.fromEntries(SHOWN_MEASURES.map(({ name }) => [name, null])),
              })
            }
          />
          <QualityFigures {...{ item, subject, table, binned, tests, out, thresholds }} />
          <EyesTable measures={table.data.measures} eyes={eyes} />
          <QualityTable
            {...{ tests, eyes, out, thresholds, names, study }}
            participants={table.data.participants}
            measures={table.data.measures}
            isOne={participantId !== null}
          />
          {exclusion !== null && <Excluded {...{ study, item, settings, defaults, exclusion }} />}
        </div>
      )}
    </>
  )
}

/** Reads the participant that an address names; null for none, and for one not in the study, which is refused. */
function readParticipant(query: URLSearchParams, people: People): { participantId: string | null; refused: Refused[] } {
  const named = query.get('participant') || null
  if (named === null || !isNotInStudy(people, named)) return { participantId: named, refused: [] }
  return { participantId: null, refused: [{ name: 'participant', value: named, rule: 'must be in the study' }] }
}

/** Reads the thresholds in the address, and finds the tests that they exclude. */
function useExclusion(tests: QualityTest[], filter: string) {
  const { query } = usePlace()
  const unit: ExclusionUnit = query.get('unit') === 'participants' ? 'participants' : 'tests'
  const search = query.toString()
  const { thresholds, refused } = useMemo(() => readThresholds(query), [search])
  const out = useMemo(() => fallingOut(tests, thresholds, unit), [tests, thresholds, unit])
  return { thresholds, refused, unit, out, exclusion: exclusionFilter(tests, out, thresholds, unit, filter) }
}

type Link = Pick<LinkSettings, 'settings' | 'defaults'>

/** Loads the measures of all tests, or those of an item or a participant, and the loss over the time of an item. */
function useQuality(study: Study, item: Item | null, participantId: string | null, { settings, defaults }: Link) {
  const ofOne = participantId === null ? '' : `participant_id = ${quoted(participantId)}`
  const asked = { ...settings, filter: joinConditions([settings.filter, ofOne]) }
  const base = `/api2/studies/${study.id}/analysis`
  const itemId = item?.id ?? null
  const key = `${study.id} ${itemId} ${participantId}`
  const loss = `${base}/loss${queryString({ ...asked, binMs: BIN_MS }, defaults, { itemId })}`
  const table = useData<QualityData>(`${base}/quality${queryString(asked, defaults, { itemId })}`, 0, key)
  const binned = useData<LossData>(item === null ? null : loss, 0, key)
  const { data } = table
  const tests = useMemo(() => (data === null ? [] : testsOf(data)), [data])
  const eyes = useMemo(() => (data === null ? [] : eyeMeasures(data.measures, SHOWN_MEASURES.length)), [data])
  return { table, binned, tests, eyes }
}

const NO_TESTS = <Empty title="No tests to measure">Remove a condition, or choose another item.</Empty>

type QualityHeadProps = { study: Study; people: People; itemId: string | null; participantId: string | null }

/** Draws the title of the page, with the choice of an item and a participant. */
function QualityHead({ study, people, itemId, participantId }: QualityHeadProps) {
  return (
    <>
      <Crumbs study={study} />
      <div class="page-head">
        <h1>Data quality</h1>
        <div class="row">
          <Choice
            isInline
            label="Item"
            value={itemId ?? ''}
            of={itemOptions(study.items, 'All items')}
            onChange={(value) => setQuery({ item: value })}
          />
          <Choice
            isInline
            label="Participant"
            value={participantId ?? ''}
            of={peopleOptions(people.all, 'All participants')}
            onChange={(value) => setQuery({ participant: value })}
          />
          {participantId !== null && (
            <IgnoreButton participantId={participantId} name={people.names.get(participantId)} />
          )}
        </div>
      </div>
    </>
  )
}

type ExcludedProps = Link & { study: Study; item: Item | null; exclusion: string }

/** Draws how an exclusion changes the results, and the methods section with it. */
function Excluded({ study, item, settings, defaults, exclusion }: ExcludedProps) {
  const filter = joinConditions([settings.filter, exclusion])
  return (
    <>
      <Effects {...{ study, item, settings, defaults, exclusion }} />
      <MethodsText
        studyId={study.id}
        query={queryString({ ...settings, filter }, defaults, { itemId: item?.id ?? null })}
      />
    </>
  )
}

type QualityFiguresProps = {
  item: Item | null
  subject: string
  table: Loaded<QualityData>
  binned: Loaded<LossData>
  tests: QualityTest[]
  out: Set<QualityTest>
  thresholds: Thresholds
}

/** Draws histograms of the measures of tests, and loss over the session or, for one item, over time. */
function QualityFigures({ item, subject, table, binned, tests, out, thresholds }: QualityFiguresProps) {
  const isOverTime = item !== null
  const data = table.data!
  const points = useMemo(
    () => (binned.data !== null ? inSeconds(binned.data.bins) : data.lossByOrder),
    [binned.data, data],
  )
  const lossData = binned.data ?? data
  const of = `Mean over tests of the share of samples without gaze${isOverTime ? `, in bins of ${BIN_MS} ms from item onset (gazes-aois-binned)` : ' by the order in which items were shown'}.`
  return (
    <>
      <Figure
        title="Measures of the tests"
        subject={subject}
        fileName="gazette-quality"
        narrowest={320}
        caption={qualityCaption(
          subject,
          data,
          ` The dashed line is the threshold; it excludes ${countOf(out.size, 'test')} of ${wholeText(tests.length)}.`,
        )}
        loaded={table}
        madeOf={[tests, thresholds]}
        numbers={() => qualityNumbers(data)}
        draw={(colors, width) => <Strips {...{ tests, thresholds, width, colors }} measures={data.measures} />}
      />
      <Figure
        title="Loss over time"
        explains={[{ of: 'data loss', name: 'Data loss' }]}
        subject={subject}
        fileName="gazette-loss"
        narrowest={300}
        caption={{
          short: `Share of samples without gaze, ${isOverTime ? 'over time' : 'by the order in which items were shown'}, ${ofWhom(lossData)}${isOverTime ? '' : ' Choose an item to see it over time.'}`,
          reading: of,
          sources: [sourceOf(subject, lossData)],
        }}
        loaded={isOverTime ? binned : table}
        madeOf={[points, isOverTime]}
        numbers={() => lossNumbers(points, isOverTime ? 'bin_starts_at_s' : 'test_item_display_order')}
        empty={points.length === 0 ? <Empty title="Nothing to draw over time" /> : null}
        draw={
          isOverTime && binned.data === null
            ? null
            : (colors, width) => (
                <LossLine
                  {...{ points, width, colors }}
                  label={isOverTime ? 'Time from item onset, s' : 'Order in which items were shown'}
                />
              )
        }
      />
    </>
  )
}
