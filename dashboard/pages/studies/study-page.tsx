import { useEffect, useMemo, useState } from 'preact/hooks'
import {
  type Catalog,
  commandLine,
  type DropRate,
  type Flow,
  forgetAll,
  type Item,
  type ParameterInfo,
  type Participant,
  type Participants,
  type Step,
  type Study,
  useData,
} from '../../core/api.ts'
import { useLink } from '../../core/link-seen.ts'
import { count, countOf, decimal, GRADES, isolate, seconds } from '../../core/number-texts.ts'
import { type People, usePeople } from '../../core/people/people.ts'
import { AS_GIVEN, arrange, peopleNumbers } from '../../core/people/people-order.ts'
import { navigate, setQuery, usePlace } from '../../core/router.ts'
import { GRADE_NAME } from '../../core/view/chart-settings.ts'
import { faultOf } from '../../core/view/chart-view.ts'
import { useStudyLink } from '../../core/view/study-links.ts'
import { DropOut, dropOutNumbers } from '../../figures/drop-out.tsx'
import { Figure } from '../../figures/figure.tsx'
import { ItemPicture } from '../../figures/item-picture.tsx'
import { WithAnalysis } from '../../ui/analysis/with-analysis.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { Check, Chips } from '../../ui/controls/choice.tsx'
import { Find } from '../../ui/controls/field.tsx'
import { CopyMenu } from '../../ui/copy.tsx'
import { DropTarget, holdDropped } from '../../ui/drop-target.tsx'
import { Explain } from '../../ui/help/explain.tsx'
import { MethodsText } from '../../ui/methods-text.tsx'
import { FilterChips } from '../../ui/people/filter-chips.tsx'
import { Grade, PeopleTable } from '../../ui/people/people-table.tsx'
import { Scrolling } from '../../ui/scrolling.tsx'
import { lazyPage } from '../../ui/waiting/lazy-page.tsx'
import { Await, Empty, HowToBringIn, Loading, RefusedLink, Trouble } from '../../ui/waiting/states.tsx'
import { TourOffer } from '../demo/tour-offer.tsx'
import { AboutStudy } from './about-study.tsx'
import { Fact } from './studies-page.tsx'

const ManageStudy = lazyPage(() => import('../manage/manage-study.tsx').then((loaded) => loaded.ManageStudy))
const PicturesDialog = lazyPage(() => import('../pictures/pictures-dialog.tsx').then((loaded) => loaded.PicturesDialog))

/** More cards than this scroll by themselves, so that what stands below stays near. */
const MANY_ITEMS = 24

type OfStudy = { studyId: string; version: string; mayAdd: boolean }

export function StudyPage(of: OfStudy) {
  // Whatever was loaded of the study is old after a change.
  const [changes, setChanges] = useState(0)
  const changed = () => {
    forgetAll()
    setChanges(changes + 1)
  }
  return <StudyView key={changes} {...of} onChanged={changed} />
}

function StudyView({ studyId, version, mayAdd, onChanged }: OfStudy & { onChanged: () => void }) {
  const study = useData<Study>(`/api2/studies/${studyId}`)
  const catalog = useData<Catalog>('/api2/exports')
  const flow = useData<Flow>(`/api2/studies/${studyId}/flow`)
  const people = usePeople(studyId)
  const { query } = usePlace()
  const drop = useData<DropRate>('/api2/studies-all/drop-rate')
  useEffect(() => {
    if (study.data !== null) document.title = `${isolate(study.data.name) || 'Study'} · Gazette`
  }, [study.data])
  return (
    <Await loaded={study} what="the study">
      {(known) => {
        const rate = drop.data?.studies.find((each) => each.study.id === known.id)
        return (
          <>
            <StudyHead study={known} mayAdd={mayAdd} />
            <TourOffer study={known} />
            <Await loaded={catalog} what="the settings">
              {({ parameters }) => (
                <WithAnalysis studyId={known.id} parameters={parameters} waiting={<Loading what="the analysis" />}>
                  {(decided) => (
                    <>
                      <dl class="facts wide">
                        <Fact label="Participants" value={count(known.participantCount)} />
                        <Fact label="Items" value={count(known.itemCount)} />
                        <Fact label="Tests" value={count(known.testCount)} />
                        <Fact label="Samples" value={count(known.sampleCount)} />
                        {rate && (
                          <Fact
                            label="Dropped out"
                            value={rate.dropRatePercents === null ? '–' : `${decimal(rate.dropRatePercents)} %`}
                            note={`${count(rate.completedCount)} of ${count(rate.startedCount)} completed`}
                          />
                        )}
                      </dl>
                      <section aria-labelledby="flow">
                        <h2 id="flow">Flow</h2>
                        <Await loaded={flow} what="the flow">
                          {({ steps }) => <FlowLine steps={steps} study={known} />}
                        </Await>
                      </section>
                      <ItemsSection study={known} mayChange={mayAdd} onChanged={onChanged} />
                      <AboutStudy study={known} mayWrite={mayAdd} onSaved={study.retry} />
                      <MethodsText studyId={known.id} query={methodsQuery(query, decided)} />
                      <Await loaded={people.first} what="participants">
                        {(first) => (
                          <>
                            <DropOutFigure study={known} first={first} rate={rate} version={version} />
                            <PeopleSection study={known} people={people} first={first} />
                          </>
                        )}
                      </Await>
                      {mayAdd && <ManageStudy study={known} onChanged={onChanged} />}
                    </>
                  )}
                </WithAnalysis>
              )}
            </Await>
          </>
        )
      }}
    </Await>
  )
}

function StudyHead({ study, mayAdd }: { study: Study; mayAdd: boolean }) {
  const link = useLink()
  const linkTo = useStudyLink(study.id)
  return (
    <>
      {link === null && (
        <nav class="crumbs" aria-label="Where you are">
          <a href="/">Studies</a>
        </nav>
      )}
      <div class="page-head">
        <h1>
          <bdi>{study.name || 'Study without a name'}</bdi>
        </h1>
        <div class="row">
          <a class="button" href={linkTo('/groups')}>
            Compare groups
          </a>
          <a class="button" href={linkTo('/quality')}>
            Quality
          </a>
          {mayAdd && (
            <a class="button" href={`/bring-in?study=${study.id}`}>
              Add recordings
            </a>
          )}
          <a class="button" href={linkTo('/report')}>
            Report
          </a>
          {link?.hasDownloads !== false && (
            <a class="button primary" href={linkTo('/export')}>
              Export data
            </a>
          )}
        </div>
      </div>
    </>
  )
}

type ItemsSectionProps = { study: Study; mayChange: boolean; onChanged: () => void }

function ItemsSection({ study, mayChange, onChanged }: ItemsSectionProps) {
  const [files, setFiles] = useState<File[] | null>(null)
  const drop = async (entries: FileSystemEntry[]) => {
    const { readEntries } = await import('../bring-in/files/read-drop.ts')
    const { files: found } = await readEntries(entries).catch(() => ({ files: [] }))
    const dropped = found.map(({ file }) => file)
    if (dropped.length > 0 && dropped.every(({ type }) => type.startsWith('image/'))) return setFiles(dropped)
    // The page that brings data in says what is wrong with them, too.
    holdDropped(entries)
    navigate(`/bring-in?study=${study.id}`)
  }
  return (
    <section aria-labelledby="items">
      <div class="section-head">
        <h2 id="items">Items</h2>
        {mayChange && study.items.length > 0 && <Button onClick={() => setFiles([])}>Add pictures</Button>}
      </div>
      {mayChange && <DropTarget onDrop={drop} />}
      {files !== null && (
        <PicturesDialog
          study={study}
          files={files}
          onClose={(isChanged) => {
            setFiles(null)
            if (isChanged) onChanged()
          }}
        />
      )}
      {study.items.length === 0 ? (
        <Empty title="This study has no items">
          <p>
            Its study.json has none. Items come with recordings: drop recordings here, or import the bundle again with{' '}
            <code>{commandLine.program} import DIR</code>.
          </p>
        </Empty>
      ) : (
        <ul class={`item-list${study.items.length > MANY_ITEMS ? ' many' : ''}`}>
          {study.items.map((item) => (
            <ItemCard key={item.id} study={study} item={item} />
          ))}
        </ul>
      )}
    </section>
  )
}

type DropOutFigureProps = {
  study: Study
  first: Participants
  rate: DropRate['studies'][number] | undefined
  version: string
}

/** Draws how many began, took each item and came to the end. @param first the first page of participants */
function DropOutFigure({ study, first, rate, version }: DropOutFigureProps) {
  return (
    <Figure
      title="Drop-out"
      fileName="gazette-drop-out"
      subject={isolate(study.name)}
      narrowest={300}
      scrolls={study.items.length > 30}
      empty={
        first.total === 0 ? (
          <Empty title="Nobody has started yet">
            <p>There are no participants, so there is no drop-out to show.</p>
          </Empty>
        ) : null
      }
      caption={{
        short: `How many of ${countOf(first.total, 'participant')} started, took each item and completed the study.`,
        reading: 'For items: participants with a test of the item.',
        sources: [
          {
            text: `studies-all/drop-rate · ${isolate(study.name)} · n = ${countOf(first.total, 'participant')}`,
            notes: `Gazette v${version}`,
          },
        ],
      }}
      numbers={() => dropOutNumbers(study, first, rate)}
      draw={(colors, width) => <DropOut study={study} people={first} rate={rate} width={width} colors={colors} />}
    />
  )
}

/** Draws the methods for the tests and settings of a link; the server reports unusable ones. */
/** Returns what the methods are asked with: what the address has, and the analysis in its version. */
function methodsQuery(query: URLSearchParams, parameters: ParameterInfo[]): string {
  const asked = new URLSearchParams(query)
  const analysis = parameters.find(({ name }) => name === 'analysis')?.default
  if (analysis) asked.set('analysis', String(analysis))
  else asked.delete('analysis')
  const text = asked.toString()
  return text === '' ? '' : `?${text}`
}

function FlowLine({ steps, study }: { steps: Step[]; study: Study }) {
  const linkTo = useStudyLink(study.id)
  if (steps.length === 0) return <Empty title="The study's flow has no steps" />
  return (
    <Scrolling class="flow" label="Steps of the study, in order">
      <ol>
        {steps.map((step, i) => {
          const { kind, text, item } = describe(step, study)
          return (
            <li key={i} class={`step ${item ? 'shows' : ''}`}>
              <span class="dot" aria-hidden="true">
                {i + 1}
              </span>
              {item && <ItemPicture studyId={study.id} item={item} width={96} height={60} />}
              <span class="step-kind">{kind}</span>
              {item ? (
                <a class="step-text" href={linkTo(`/items/${item.id}`)}>
                  <bdi>{text}</bdi>
                </a>
              ) : (
                <span class="step-text" title={isolate(text)}>
                  <bdi>{text}</bdi>
                </span>
              )}
            </li>
          )
        })}
      </ol>
    </Scrolling>
  )
}

function describe(step: Step, study: Study): { kind: string; text: string; item?: Item } {
  if (step.type === 'stimuli') {
    const item = study.items.find(({ id }) => id === step.stimuli?.id?.toLowerCase())
    const lasts = step.stimuli?.durationMs === undefined ? 'Item' : `Item, ${seconds(step.stimuli.durationMs)}`
    return { kind: lasts, text: item?.filename ?? 'not in the study', item }
  }
  if (step.type === 'countdown') return { kind: 'Countdown', text: seconds(step.durationMs ?? 0) }
  if (step.type === 'question') return { kind: 'Question', text: step.question?.text ?? step.question?.type ?? '' }
  if (step.type === 'message') return { kind: 'Message', text: step.text ?? '' }
  return { kind: step.type, text: '' }
}

function ItemCard({ study, item }: { study: Study; item: Item }) {
  const linkTo = useStudyLink(study.id)
  const aoiCount = study.aois.filter(({ itemId }) => itemId === item.id).length
  return (
    <li class="card item-card">
      <div class="thumb">
        <ItemPicture studyId={study.id} item={item} width={320} height={200} />
      </div>
      <h3>
        <a href={linkTo(`/items/${item.id}`)}>
          <bdi>{item.filename || 'Item without a name'}</bdi>
        </a>
      </h3>
      <p class="hint">
        {item.stimuliDurationMs === null ? '' : `${seconds(item.stimuliDurationMs)} · `}
        {countOf(item.testCount, 'test')} · {countOf(aoiCount, 'AOI')}
      </p>
    </li>
  )
}

const GRADE_RANGE = { min: 1, max: 6, unit: '', kind: 'int' as const }

type PeopleSectionProps = { study: Study; people: People; first: Participants }

function PeopleSection({ study, people, first }: PeopleSectionProps) {
  const { query } = usePlace()
  const [find, setFind] = useState('')
  // Here, since the table goes while nobody is found.
  const [order, setOrder] = useState(AS_GIVEN)
  const text = query.get(GRADE_NAME)
  const rule = text === null ? null : faultOf(GRADE_RANGE, text)
  const least = text === null || rule !== null ? 1 : Number(text)
  const filter = query.get('filter')?.trim() ?? ''
  const filtered = usePeople(study.id, filter === '' ? null : `?${new URLSearchParams({ filter })}`)
  const isKept = ({ grades }: Participant) => least === 1 || grades.some((grade) => grade !== null && grade >= least)
  const all = filter === '' ? people.all : filtered.all
  const kept = all.filter(isKept)
  const shown = useMemo(() => arrange(kept, find, AS_GIVEN), [all, find, least])
  const testsTotal = first.keptTests[0]
  if (first.total === 0)
    return (
      <section aria-labelledby="people">
        <h2 id="people">Participants</h2>
        <Empty title="This study has no participants yet">
          <HowToBringIn />
        </Empty>
      </section>
    )
  return (
    <section aria-labelledby="people">
      <div class="section-head">
        <h2 id="people">Participants</h2>
        <Find label="Find a participant" value={find} onText={setFind} />
        <LeastGrade least={least} />
      </div>
      <FilterChips
        title="Participants"
        filter={filter}
        facts={first}
        people={people.all}
        problem={filtered.first.problem}
        onChange={(next) => setQuery({ filter: next })}
      />
      {rule !== null && <RefusedLink refused={[{ name: GRADE_NAME, value: text ?? '', rule }]} />}
      <p class="kept" role="status">
        {count(least === 1 ? first.total : first.keptParticipants[least - 1])} of {countOf(first.total, 'participant')}{' '}
        kept, {count(first.keptTests[least - 1])} of {countOf(testsTotal, 'test')} kept
        {filter !== '' &&
          filtered.first.data !== null &&
          `, ${countOf(filtered.first.data.total, 'participant')} with a test for which the conditions are true`}
        {find.trim() !== '' && `, ${count(shown.length)} found`}
        {!people.isComplete && people.problem === null && ` (${count(people.all.length)} loaded so far)`}
      </p>
      {people.problem !== null && <Trouble problem={people.problem} retry={people.first.retry} />}
      <GradeKey />
      {kept.length === 0 ? (
        <NobodyKept hasTests={testsTotal > 0} hasFilter={filter !== ''} />
      ) : shown.length === 0 ? (
        <NobodyFound among={kept.length} find={find.trim()} onShowAll={() => setFind('')} />
      ) : (
        <div class="data-table">
          <PeopleTable
            studyId={study.id}
            items={study.items}
            people={shown}
            least={least}
            facts={first}
            order={order}
            onOrder={setOrder}
          />
          <CopyMenu title="Participants" numbers={() => peopleNumbers(shown, study.items, first)} />
        </div>
      )}
    </section>
  )
}

/** Asks for the least grade, which the address carries. */
function LeastGrade({ least }: { least: number }) {
  return (
    <Chips isLegendSeen legend="Minimum quality grade of a test">
      {[1, 2, 3, 4, 5, 6].map((grade) => (
        <Check
          key={grade}
          title={GRADES[grade]}
          group="least-grade"
          isOn={grade === least}
          onChange={() => setQuery({ [GRADE_NAME]: grade === 1 ? null : String(grade) })}
        >
          {grade}
        </Check>
      ))}
      <Explain of="quality grade" name="Quality grade" />
    </Chips>
  )
}

/** Says why no participant is kept, and what to do about it. */
function NobodyKept({ hasTests, hasFilter }: { hasTests: boolean; hasFilter: boolean }) {
  if (!hasTests)
    return (
      <Empty title="None of the participants has a test">
        <HowToBringIn />
      </Empty>
    )
  return hasFilter ? (
    <Empty title="No participant has a test for which the conditions are true">
      Remove a condition, or choose a lower grade.
    </Empty>
  ) : (
    <Empty title="No participant has a test of that grade">Choose a lower grade.</Empty>
  )
}

type NobodyFoundProps = { among: number; find: string; onShowAll: () => void }

function NobodyFound({ among, find, onShowAll }: NobodyFoundProps) {
  return (
    <Empty title="No participant found">
      <p>
        None of {countOf(among, 'participant')} has “<bdi>{find}</bdi>” in a name, an id, tags or external data.{' '}
        <Button class="link" onClick={onShowAll}>
          Show all
        </Button>
      </p>
    </Empty>
  )
}

function GradeKey() {
  return (
    <p class="hint grade-key">
      {[1, 2, 3, 4, 5, 6].map((grade) => (
        <span key={grade}>
          <Grade grade={grade} /> {GRADES[grade]}
        </span>
      ))}
      <span>
        <span class="grade g4 dropped">4</span> not kept
      </span>
    </p>
  )
}
