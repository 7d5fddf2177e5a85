import { useEffect } from 'preact/hooks'
import { useStudies } from '../../core/all-studies.ts'
import { commandLine, type DropRate, mayBringIn, type Session, type StudySummary, useData } from '../../core/api.ts'
import { count, countOf, decimal, isolate } from '../../core/number-texts.ts'
import { navigate, setQuery, usePlace } from '../../core/router.ts'
import { Button } from '../../ui/controls/button.tsx'
import { Find } from '../../ui/controls/field.tsx'
import { DropTarget, holdDropped } from '../../ui/drop-target.tsx'
import { lazyPage } from '../../ui/waiting/lazy-page.tsx'
import { Await, Empty } from '../../ui/waiting/states.tsx'

const MakeDemo = lazyPage(() => import('../tour/make-demo.tsx').then((loaded) => loaded.MakeDemo))

export function StudiesPage({ session }: { session: Session }) {
  const studies = useStudies()
  const drop = useData<DropRate>('/api2/studies-all/drop-rate')
  const { query } = usePlace()
  const wanted = (query.get('find') ?? '').trim().toLowerCase()

  useEffect(() => {
    document.title = 'Studies · Gazette'
  }, [])

  return (
    <>
      <div class="page-head">
        <h1>Studies</h1>
        <Find label="Find a study" value={query.get('find') ?? ''} onText={(find) => setQuery({ find })} />
        {mayBringIn(session) && <BringIn />}
      </div>
      <Await loaded={studies} what="studies">
        {(all) => {
          const shown = all.filter(({ name, id }) => `${name} ${id}`.toLowerCase().includes(wanted))
          if (all.length === 0) return <NoStudies mayMake={mayBringIn(session) && session.token?.studies === 'all'} />
          if (shown.length === 0)
            return (
              <Empty title={`No study is called “${isolate(wanted)}”`}>
                {countOf(all.length, 'study', 'studies')} have other names.{' '}
                <Button class="link" onClick={() => setQuery({ find: null })}>
                  Show all
                </Button>
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

/** Data comes in by a page of its own, which also takes what is dropped here. */
function BringIn() {
  return (
    <>
      <DropTarget
        onDrop={(entries) => {
          holdDropped(entries)
          navigate('/bring-in')
        }}
      />
      <a class="button primary" href="/bring-in">
        Import data
      </a>
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

type FactProps = { label: string; value: string; note?: string }

export function Fact({ label, value, note }: FactProps) {
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

function NoStudies({ mayMake }: { mayMake: boolean }) {
  if (mayMake)
    return (
      <Empty title="No studies yet">
        <p>
          Drop recordings here, or press “Import data”. To look around first, create a study of synthetic recordings.
        </p>
        <MakeDemo />
      </Empty>
    )
  return (
    <Empty title="No studies that this token may read">
      <p>
        With a token of the role write, drop recordings here. Or import a study with{' '}
        <code>{commandLine.program} import DIR</code>, or create a synthetic one with{' '}
        <code>{commandLine.program} demo</code>. A token for some studies shows only those.
      </p>
    </Empty>
  )
}
