import { useEffect, useState } from 'preact/hooks'
import {
  type DropRate,
  type Flow,
  getJson,
  type Item,
  type Participant,
  type Participants,
  type Step,
  type Study,
  useData,
} from '../api.ts'
import { DropOut, dropOutNumbers } from '../charts/drop-out.tsx'
import { Figure } from '../charts/figure.tsx'
import { count, countOf, decimal, GRADES, nameOf, seconds } from '../number-texts.ts'
import { Scrolling } from '../parts/scrolling.tsx'
import { Await, Empty } from '../parts/states.tsx'
import { setQuery, usePlace } from '../router.ts'
import { imageOf } from './item-page.tsx'
import { Fact } from './studies-page.tsx'

export function StudyPage({ studyId, version }: { studyId: string; version: string }) {
  const study = useData<Study>(`/api2/studies/${studyId}`)
  const flow = useData<Flow>(`/api2/studies/${studyId}/flow`)
  const people = useData<Participants>(`/api2/studies/${studyId}/participants`)
  const drop = useData<DropRate>('/api2/studies-all/drop-rate')
  useEffect(() => {
    if (study.data !== null) document.title = `${study.data.name || 'Study'} · Gazette`
  }, [study.data])
  return (
    <Await loaded={study} what="the study">
      {(known) => {
        const rate = drop.data?.studies.find((each) => each.study.id === known.id)
        return (
          <>
            <nav class="crumbs" aria-label="Where you are">
              <a href="/">Studies</a> <span aria-hidden="true">/</span>
            </nav>
            <div class="page-head">
              <h1>{known.name || 'Study without a name'}</h1>
              <a class="button primary" href={`/studies/${known.id}/export`}>
                Export data
              </a>
            </div>
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
            <section aria-labelledby="items">
              <h2 id="items">Items</h2>
              {known.items.length === 0 ? (
                <Empty title="This study has no items" />
              ) : (
                <ul class="item-list">
                  {known.items.map((item) => (
                    <ItemCard key={item.id} study={known} item={item} />
                  ))}
                </ul>
              )}
            </section>
            <Await loaded={people} what="participants">
              {(first) => (
                <>
                  <Figure
                    title="Drop-out"
                    fileName="gazette-drop-out"
                    caption={`studies-all/drop-rate · ${known.name} · n = ${countOf(first.total, 'participant')} · Gazette v${version}. Between start and end: tests of each item.`}
                    numbers={() => dropOutNumbers(known, first, rate)}
                    draw={(colors, width) => (
                      <DropOut study={known} people={first} rate={rate} width={width} colors={colors} />
                    )}
                  />
                  <People study={known} first={first} />
                </>
              )}
            </Await>
          </>
        )
      }}
    </Await>
  )
}

function FlowLine({ steps, study }: { steps: Step[]; study: Study }) {
  if (steps.length === 0) return <Empty title="The study's flow has no steps" />
  return (
    <Scrolling class="flow" label="Steps of the study, in order">
      <ol>
        {steps.map((step, i) => {
          const { kind, text, item } = describe(step, study)
          const href = item && imageOf(study.id, item)
          return (
            <li key={i} class={`step ${item ? 'shows' : ''}`}>
              <span class="dot" aria-hidden="true">
                {i + 1}
              </span>
              {item && href && <img src={href} alt="" loading="lazy" width="96" height="60" />}
              <span class="step-kind">{kind}</span>
              {item ? (
                <a class="step-text" href={`/studies/${study.id}/items/${item.id}`}>
                  {text}
                </a>
              ) : (
                <span class="step-text" title={text}>
                  {text}
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
  const href = imageOf(study.id, item)
  const [hasImage, setHasImage] = useState(href !== null)
  const aoiCount = study.aois.filter(({ itemId }) => itemId === item.id).length
  return (
    <li class="card item-card">
      <div class="thumb">
        {hasImage && href !== null ? (
          <img src={href} alt="" loading="lazy" width="320" height="200" onError={() => setHasImage(false)} />
        ) : (
          <span>no picture</span>
        )}
      </div>
      <h3>
        <a href={`/studies/${study.id}/items/${item.id}`}>{item.filename || 'Item without a name'}</a>
      </h3>
      <p class="hint">
        {item.stimuliDurationMs === null ? '' : `${seconds(item.stimuliDurationMs)} · `}
        {countOf(item.testCount, 'test')} · {countOf(aoiCount, 'AOI')}
      </p>
    </li>
  )
}

function People({ study, first }: { study: Study; first: Participants }) {
  const { query } = usePlace()
  const least = Math.min(6, Math.max(1, Math.floor(Number(query.get('participantQualityGradeItemMin'))) || 1))
  const [more, setMore] = useState<{ people: Participant[]; cursor: string | null }>({
    people: [],
    cursor: first.nextCursor,
  })
  const all = [...first.participants, ...more.people]
  const shown = all.filter(({ grades }) => least === 1 || grades.some((grade) => grade !== null && grade >= least))
  const testsTotal = first.keptTests[0]
  const loadMore = async () => {
    const path = `/api2/studies/${study.id}/participants?cursor=${encodeURIComponent(more.cursor ?? '')}`
    const page = await getJson<Participants>(path).catch(() => null)
    if (page !== null) setMore({ people: [...more.people, ...page.participants], cursor: page.nextCursor })
  }
  return (
    <section aria-labelledby="people">
      <div class="section-head">
        <h2 id="people">Participants</h2>
        <fieldset class="row chips">
          <legend>Quality grade of a test at least</legend>
          {[1, 2, 3, 4, 5, 6].map((grade) => (
            <label key={grade} class="chip" title={GRADES[grade]}>
              <input
                type="radio"
                name="least-grade"
                checked={grade === least}
                onChange={() => setQuery({ participantQualityGradeItemMin: grade === 1 ? null : String(grade) })}
              />
              {grade}
            </label>
          ))}
        </fieldset>
      </div>
      <p class="kept" role="status">
        {count(least === 1 ? first.total : first.keptParticipants[least - 1])} of {countOf(first.total, 'participant')}{' '}
        kept, {count(first.keptTests[least - 1])} of {countOf(testsTotal, 'test')} kept
      </p>
      <GradeKey itemCount={study.items.length} />
      {shown.length === 0 ? (
        <Empty title="No participant has a test of that grade">Choose a lower grade.</Empty>
      ) : (
        <Scrolling class="table-scroll tall" label="Participants and their grades">
          <table class="people">
            <thead>
              <tr>
                <th scope="col">Participant</th>
                <th scope="col">Age</th>
                <th scope="col">Gender</th>
                <th scope="col">Completed</th>
                <th scope="col">Grade</th>
                {study.items.map((item, i) => (
                  <th key={item.id} scope="col" class="narrow" title={item.filename}>
                    <span class="unseen">{item.filename}, grade</span>
                    <span aria-hidden="true">{i + 1}</span>
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {shown.map((each) => (
                <tr key={each.id}>
                  <th scope="row">
                    {nameOf(each)}
                    {each.externalId !== '' && each.displayName !== '' && <small> {each.displayName}</small>}
                  </th>
                  <td>{each.age ?? '–'}</td>
                  <td>{each.displayGender || 'unknown'}</td>
                  <td>{each.isCompleted ? 'yes' : 'no'}</td>
                  <td>
                    <Grade grade={each.qualityGrade} />
                  </td>
                  {each.grades.map((grade, i) => (
                    <td key={study.items[i].id} class="narrow">
                      {grade === null ? (
                        <span class="muted">–</span>
                      ) : (
                        <a
                          class={`grade g${grade}${grade < least ? ' dropped' : ''}`}
                          href={`/studies/${study.id}/items/${study.items[i].id}?participant=${each.id}`}
                          aria-label={`${nameOf(each)}, ${study.items[i].filename}: grade ${grade}${grade < least ? ', not kept' : ''}`}
                        >
                          {grade}
                        </a>
                      )}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </Scrolling>
      )}
      {more.cursor !== null && (
        <p class="row">
          <button type="button" onClick={loadMore}>
            Show more participants
          </button>
          <span class="hint">
            {count(all.length)} of {count(first.total)} are listed
          </span>
        </p>
      )}
    </section>
  )
}

function Grade({ grade }: { grade: number }) {
  return (
    <span class={`grade g${grade}`} title={GRADES[grade]}>
      {grade}
    </span>
  )
}

function GradeKey({ itemCount }: { itemCount: number }) {
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
      <span>
        {itemCount === 1 ? 'Column 1 is the item' : `Columns 1 to ${itemCount} are the items, in their order`}
      </span>
    </p>
  )
}
