import './pupils.css'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { type PupilsData, type PupilTracesData, useData } from '../../core/api.ts'
import { hasPupils } from '../../core/eyes-seen.ts'
import { isolate, nameOf } from '../../core/number-texts.ts'
import { useDescribedParticipants, usePeople } from '../../core/people/people.ts'
import { setQuery, usePlace } from '../../core/router.ts'
import { PUPIL_NAMES, pageQuery, queryString } from '../../core/view/chart-settings.ts'
import { subjectOf } from '../../figures/captions.ts'
import { CopyLink, Side } from '../../figures/settings/item-side.tsx'
import { CalmSettings } from '../../figures/settings/settings-fold.tsx'
import { GradeFilter } from '../../figures/settings/settings-panel.tsx'
import { TestFilter } from '../../figures/settings/test-filter.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { Crumbs } from '../../ui/crumbs.tsx'
import { ParticipantSelect } from '../../ui/people/participant-select.tsx'
import { AwaitItem, type KnownItem, useLinkSettings } from '../../ui/waiting/await-item.tsx'
import { Await, Empty, RefusedLink } from '../../ui/waiting/states.tsx'
import { groupChanges, readGroups, splitsOf } from '../groups/group-list.ts'
import { AverageFigure } from './average-figure.tsx'
import { EDGES, type Times } from './averages.tsx'
import { TraceFigure } from './trace-figure.tsx'

export function PupilsPage({ studyId, itemId }: { studyId: string; itemId: string }) {
  return (
    <AwaitItem studyId={studyId} itemId={itemId}>
      {(known) => <PupilsView {...known} />}
    </AwaitItem>
  )
}

function PupilsView({ study, item, parameters }: KnownItem) {
  const { query } = usePlace()
  const people = usePeople(study.id)
  const described = useDescribedParticipants(study.id)
  const { settings, defaults, refused, change } = useLinkSettings(parameters)
  const participantId = query.get('participant') || null
  const event = query.get('event') || null
  const given = readGroups(query)
  const groups = given.length === 0 ? [{ name: 'All tests', filter: '' }] : given
  const own = Object.fromEntries(given.map(({ filter }, g) => [`group${g + 1}`, filter]))
  const isThere = hasPupils(study)
  const base = `/api2/studies/${study.id}`
  const more = { itemId: item.id, ...own, event }
  const averages = useData<PupilsData>(
    isThere ? `${base}/analysis/pupils${queryString(settings, defaults, more)}` : null,
    0,
    `${item.id} ${given.length}`,
  )
  const traces = useData<PupilTracesData>(
    isThere ? `${base}/charts/pupils${queryString(settings, defaults, { itemId: item.id, participantId })}` : null,
    0,
    `${item.id} ${participantId}`,
  )
  const names = useMemo(() => new Map(people.all.map((each) => [each.id, nameOf(each)])), [people.all])
  const [dragged, setDragged] = useState<Times | null>(null)
  const times = Object.fromEntries(EDGES.map((edge) => [edge, (dragged ?? settings)[edge]])) as Times
  useEffect(() => {
    document.title = `Pupils on ${isolate(item.filename) || 'an item'} · ${isolate(study.name)} · Gazette`
  }, [item, study])
  const facts = { event, settings, unit: averages.data?.unit ?? null }
  return (
    <>
      <Crumbs study={study} />
      <div class="page-head">
        <h1>
          Pupils on <bdi>{item.filename || 'an item'}</bdi>
        </h1>
        <a class="button" href={`/studies/${study.id}/items/${item.id}${pageQuery(settings, defaults)}`}>
          Charts of this item
        </a>
      </div>
      <RefusedLink refused={refused} />
      {!isThere ? (
        <Empty title="This study has no pupils">
          <p>Its recordings hold no pupil sizes, so there is nothing to draw.</p>
        </Empty>
      ) : (
        <div class="item-grid">
          <div class="item-main stack">
            <AverageFigure
              {...{ groups, times, facts }}
              loaded={averages}
              subject={subjectOf(item, 'all participants')}
              onMove={setDragged}
              onDrop={(moved) => {
                setDragged(null)
                change({ ...settings, ...moved })
              }}
            />
            <TraceFigure {...{ names, times, facts }} loaded={traces} subject={subjectOf(item, 'one test')} />
          </div>
          <Side startsFolded>
            <section class="card panel who-panel">
              <h2>Tests</h2>
              <GradeFilter settings={settings} onChange={change} />
              <TestFilter people={people} settings={settings} onChange={change} problem={averages.problem} />
              <label class="field">
                <span>Time from</span>
                <select value={event ?? ''} onChange={({ currentTarget: { value } }) => setQuery({ event: value })}>
                  <option value="">Item onset</option>
                  {eventNames(averages.data, event).map((name) => (
                    <option key={name} value={name}>
                      {isolate(name)}
                    </option>
                  ))}
                </select>
              </label>
              <Await loaded={people.first} what="participants">
                {(first) => (
                  <div class="row">
                    <span class="hint">Split by</span>
                    {splitsOf(first, people.all, described.data?.age ?? null).map((split) => (
                      <Button key={split.label} class="small" onClick={() => setQuery(groupChanges(split.groups))}>
                        <bdi>{split.label}</bdi>
                      </Button>
                    ))}
                    {given.length > 0 && (
                      <Button class="small" onClick={() => setQuery(groupChanges([]))}>
                        One group
                      </Button>
                    )}
                  </div>
                )}
              </Await>
              <div class="field">
                <span>Trace of</span>
                <ParticipantSelect
                  all={people.all}
                  participantId={participantId}
                  itemIndex={study.items.indexOf(item)}
                  onChange={(id) => setQuery({ participant: id, test: null })}
                />
              </div>
            </section>
            <CalmSettings {...{ parameters, settings, defaults }} listed={PUPIL_NAMES} onChange={change} />
            <section class="card panel">
              <CopyLink />
            </section>
          </Side>
        </div>
      )}
    </>
  )
}

/** Returns the names of events that can be chosen, with the one of the address. */
function eventNames(data: PupilsData | null, event: string | null): string[] {
  const names = data?.eventNames ?? []
  return event === null || names.includes(event) ? names : [event, ...names]
}
