import { useStudies } from '../../core/all-studies.ts'
import { commandLine, type DropRate, mayBringIn, mayMake, type Session, type StudySummary } from '../../core/api.ts'
import { countOf, dateTime, decimal, isolate, wholeText } from '../../core/number-texts.ts'
import { navigate, setQuery, usePlace } from '../../core/router.ts'
import { arrangeStudies, projectsOf, STUDY_ORDERS } from '../../core/study-order.ts'
import { useData } from '../../core/use-data.ts'
import { useTitle } from '../../core/use-title.ts'
import { namesOf, readShown } from '../../core/view/shown.ts'
import { fileOf } from '../../figures/item-picture.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { Check, Choice, type ChoiceOption } from '../../ui/controls/choice.tsx'
import { Find } from '../../ui/controls/field.tsx'
import { DropTarget, holdDropped } from '../../ui/drop-target.tsx'
import { lazyPage } from '../../ui/waiting/lazy-page.tsx'
import { Await, Empty, RefusedLink } from '../../ui/waiting/states.tsx'
import './studies.css'

const MakeDemo = lazyPage(() => import('../tour/make-demo.tsx').then((loaded) => loaded.MakeDemo))

export function StudiesPage({ session }: { session: Session }) {
  const studies = useStudies()
  const drop = useData<DropRate>('/api2/studies-all/drop-rate')
  const { query } = usePlace()

  useTitle('Studies')

  return (
    <>
      <div class="page-head">
        <h1>Studies</h1>
        <div class="row">
          <Find label="Find a study" value={query.get('find') ?? ''} onText={(find) => setQuery({ find })} />
          {mayBringIn(session) && <BringIn />}
        </div>
      </div>
      <Await loaded={studies} what="studies">
        {(all) => (all.length === 0 ? <NoStudies session={session} /> : <StudyList all={all} drop={drop.data} />)}
      </Await>
    </>
  )
}

/** Lists studies in the order of the address; archived ones only on request, or if all are archived. */
function StudyList({ all, drop }: { all: StudySummary[]; drop: DropRate | null }) {
  const { query } = usePlace()
  const find = query.get('find') ?? ''
  const order = readShown(query, 'order', namesOf(STUDY_ORDERS))
  const projects = projectsOf(all)
  const named = query.get('project') || null
  const project = projects.find((name) => name === named)
  const ofProject = project === undefined ? all : all.filter((study) => study.project === project)
  const found = arrangeStudies(ofProject, find, order)
  const archived = found.filter(({ isArchived }) => isArchived)
  const showsArchive = query.get('archived') === 'yes'
  const shown = showsArchive ? found : found.filter(({ isArchived }) => !isArchived)
  const rates = new Map(drop?.studies.map((rate) => [rate.study.id, rate]))
  const isRefused = named !== null && project === undefined
  return (
    <>
      {isRefused && (
        <RefusedLink
          refused={[{ name: 'project', value: named, rule: 'must be the project of a study that you may read' }]}
        />
      )}
      <div class="row study-tools">
        <ShownCount shown={shown.length} all={all.length} />
        <Choice
          label="Order by"
          isInline
          of={STUDY_ORDERS}
          value={order}
          onChange={(next) => setQuery({ order: next === 'name' ? null : next })}
        />
        {projects.length > 0 && (
          <Choice
            label="Project"
            isInline
            of={[['', 'all'], ...projects.map((name): ChoiceOption => [name, name])]}
            value={project ?? ''}
            onChange={(next) => setQuery({ project: next || null })}
          />
        )}
        {archived.length > 0 && (
          <Check class="inline" isOn={showsArchive} onChange={(isOn) => setQuery({ archived: isOn ? 'yes' : null })}>
            Show {countOf(archived.length, 'archived study', 'archived studies')}
          </Check>
        )}
      </div>
      {shown.length === 0 ? (
        <NoStudyFound find={find.trim()} searched={ofProject.length} project={project} />
      ) : (
        <ul class={`study-list${shown.some((study) => study.pictureItemId) ? ' pictured' : ''}`}>
          {shown.map((study) => (
            <StudyCard key={study.id} study={study} drop={rates.get(study.id)} />
          ))}
        </ul>
      )}
    </>
  )
}

function ShownCount({ shown, all }: { shown: number; all: number }) {
  const studies = countOf(all, 'study', 'studies')
  return (
    <p class="hint" role="status">
      {shown === all ? studies : `${wholeText(shown)} of ${studies}`}
    </p>
  )
}

/** Says why no study is listed. @param searched number of studies, of the project if there is one */
function NoStudyFound({ find, searched, project }: { find: string; searched: number; project: string | undefined }) {
  const where = project === undefined ? '' : ` of project ${isolate(project)}`
  if (find === '') return <Empty title={`All studies${where} are archived`} />
  return (
    <Empty title={`No study found for “${isolate(find)}”`}>
      No match in the names, ids and keywords of {countOf(searched, 'study', 'studies')}
      {where}.{' '}
      <Button class="link" onClick={() => setQuery({ find: null })}>
        Show all
      </Button>
    </Empty>
  )
}

/** Draws the button to the import page, which also takes files dropped here. */
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
    <li class="study-card">
      {study.pictureItemId && (
        <img
          class="thumbnail"
          src={fileOf(study.id, study.pictureItemId)}
          alt=""
          loading="lazy"
          decoding="async"
          onError={({ currentTarget }) => currentTarget.remove()}
        />
      )}
      <h2>
        <a href={`/studies/${study.id}`} title={study.id}>
          <bdi>{study.name || 'Study without a name'}</bdi>
        </a>
      </h2>
      <p class="hint">
        {study.isArchived && 'Archived. '}
        {study.project !== undefined && (
          <>
            Project <bdi>{study.project}</bdi>.{' '}
          </>
        )}
        Changed {dateTime(study.changedAt)}
        {study.keywords.map((keyword) => (
          <bdi key={keyword} class="chip">
            {keyword}
          </bdi>
        ))}
      </p>
      <dl class="facts">
        <Fact label="Participants" value={wholeText(study.participantCount)} />
        <Fact label="Items" value={wholeText(study.itemCount)} />
        <Fact label="Tests" value={wholeText(study.testCount)} />
        <Fact label="Samples" value={wholeText(study.sampleCount)} />
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

function NoStudies({ session }: { session: Session }) {
  // A demo study is in no project, so a token for projects cannot create it.
  const mayMakeDemo = session.token?.studies === 'all'
  if (mayMake(session))
    return (
      <Empty title="No studies yet">
        <p>
          Drop recordings here, or press “Import data”.
          {mayMakeDemo && ' To look around first, create a study of synthetic recordings.'}
        </p>
        {mayMakeDemo && <MakeDemo />}
      </Empty>
    )
  return (
    <Empty title="No studies that this token may read">
      <p>
        With a token that has the role write, drop recordings here. Or import a study with{' '}
        <code>{commandLine.program} import DIR</code>, or create a synthetic one with{' '}
        <code>{commandLine.program} demo</code>. A token for some studies shows only those.
      </p>
    </Empty>
  )
}
