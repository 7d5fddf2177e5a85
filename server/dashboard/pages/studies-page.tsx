import { useEffect, useState } from 'preact/hooks'
import { type DropRate, getJson, type StudySummary, useData } from '../api.ts'
import { count, countOf, decimal, isolate } from '../number-texts.ts'
import { Await, Empty } from '../parts/states.tsx'
import { setQuery, usePlace } from '../router.ts'

type Page = { studies: StudySummary[]; nextCursor: string | null }

export function StudiesPage() {
  const first = useData<Page>('/api2/studies')
  const drop = useData<DropRate>('/api2/studies-all/drop-rate')
  const [more, setMore] = useState<StudySummary[]>([])
  const { query } = usePlace()
  const wanted = (query.get('find') ?? '').trim().toLowerCase()

  useEffect(() => {
    document.title = 'Studies · Gazette'
  }, [])
  useEffect(() => {
    const load = async (cursor: string | null, before: StudySummary[]): Promise<void> => {
      if (cursor === null) return
      const page = await getJson<Page>(`/api2/studies?cursor=${encodeURIComponent(cursor)}`)
      const all = [...before, ...page.studies]
      setMore(all)
      await load(page.nextCursor, all)
    }
    if (first.data !== null) void load(first.data.nextCursor, []).catch(() => {})
  }, [first.data])

  return (
    <>
      <div class="page-head">
        <h1>Studies</h1>
        <label class="find">
          <span>Find a study</span>
          <input
            type="search"
            value={query.get('find') ?? ''}
            onInput={(event) => setQuery({ find: event.currentTarget.value })}
          />
        </label>
      </div>
      <Await loaded={first} what="studies">
        {(page) => {
          const all = [...page.studies, ...more]
          const shown = all.filter(({ name, id }) => `${name} ${id}`.toLowerCase().includes(wanted))
          if (all.length === 0) return <NoStudies />
          if (shown.length === 0)
            return (
              <Empty title={`No study is called “${isolate(wanted)}”`}>
                {countOf(all.length, 'study', 'studies')} have other names.{' '}
                <button type="button" class="link" onClick={() => setQuery({ find: null })}>
                  Show all
                </button>
              </Empty>
            )
          return (
            <>
              <p class="hint" role="status">
                {wanted === ''
                  ? countOf(all.length, 'study', 'studies')
                  : `${count(shown.length)} of ${countOf(all.length, 'study', 'studies')}`}
              </p>
              <ul class="study-list">
                {shown.map((study) => (
                  <StudyCard
                    key={study.id}
                    study={study}
                    drop={drop.data?.studies.find((each) => each.study.id === study.id)}
                  />
                ))}
              </ul>
            </>
          )
        }}
      </Await>
    </>
  )
}

function StudyCard({ study, drop }: { study: StudySummary; drop?: DropRate['studies'][number] }) {
  return (
    <li class="card study-card">
      <h2>
        <a href={`/studies/${study.id}`}>
          <bdi>{study.name || 'Study without a name'}</bdi>
        </a>
      </h2>
      <p class="id">{study.id}</p>
      <dl class="facts">
        <Fact label="Participants" value={count(study.participantCount)} />
        <Fact label="Items" value={count(study.itemCount)} />
        <Fact label="Tests" value={count(study.testCount)} />
        <Fact label="Samples" value={count(study.sampleCount)} />
        <Fact
          label="Dropped out"
          value={drop?.dropRatePercents == null ? '–' : `${decimal(drop.dropRatePercents)} %`}
        />
      </dl>
    </li>
  )
}

export function Fact({ label, value, note }: { label: string; value: string; note?: string }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>
        {value}
        {note !== undefined && <small>{note}</small>}
      </dd>
    </div>
  )
}

function NoStudies() {
  return (
    <Empty title="There is no study that this token may read">
      <p>
        Bring one in with <code>npm run gazette -- import DIR</code>, or make a synthetic one with{' '}
        <code>npm run gazette -- demo</code>. A token that is meant for some studies only shows only those.
      </p>
    </Empty>
  )
}
