import './pupils.css'
import { useState } from 'preact/hooks'
import type { Item, PupilsData, PupilTracesData, Study } from '../../core/api.ts'
import { isolate } from '../../core/number-texts.ts'
import { type People, usePeople, useWithLosses } from '../../core/people/people.ts'
import { setQuery, usePlace } from '../../core/router.ts'
import { useData } from '../../core/use-data.ts'
import { PUPIL_NAMES, queryString, type Settings } from '../../core/view/chart-settings.ts'
import { hasPupils } from '../../core/view/eyes-seen.ts'
import { type LinkSettings, useLinkSettings } from '../../core/view/link-settings.ts'
import { useHasLists } from '../../core/view/places.ts'
import { figureSubject } from '../../figures/captions.ts'
import { ItemPlaces } from '../../figures/places/item-places.tsx'
import { Side } from '../../figures/settings/item-side.tsx'
import { CalmSettings } from '../../figures/settings/settings-fold.tsx'
import { TestsPanel } from '../../figures/settings/tests-panel.tsx'
import { Choice, type ChoiceOption } from '../../ui/controls/choice.tsx'
import { ItemTitle } from '../../ui/item-title.tsx'
import { ParticipantChoice } from '../../ui/people/participant-choice.tsx'
import { itemPage, type KnownItem } from '../../ui/waiting/await-item.tsx'
import { Empty, RefusedLink } from '../../ui/waiting/states.tsx'
import { readGroups, withGroups } from '../groups/group-list.ts'
import { SplitOrOne } from '../groups/split-by.tsx'
import { AverageFigure } from './average-figure.tsx'
import { EDGES, type EdgeTimes } from './averages.tsx'
import { TraceFigure } from './trace-figure.tsx'

export const PupilsPage = itemPage(PupilsView)

function PupilsView({ study, item, parameters }: KnownItem) {
  const link = useLinkSettings(parameters)
  const people = useWithLosses(study.id, usePeople(study.id))
  return (
    <ItemPlaces {...{ study, item, people }} who="Trace of">
      <ItemTitle {...{ study, item }} what="Pupils on" />
      <RefusedLink refused={link.refused} />
      {hasPupils(study) ? (
        <Pupils {...{ study, item, parameters, people, link }} />
      ) : (
        <Empty title="This study has no pupils">
          <p>Its recordings contain no pupil sizes, so there is nothing to draw.</p>
        </Empty>
      )}
    </ItemPlaces>
  )
}

type PupilsProps = Omit<KnownItem, 'catalog'> & { people: People; link: LinkSettings }

function Pupils({ study, item, parameters, people, link: { settings, defaults, change } }: PupilsProps) {
  const { query } = usePlace()
  const hasLists = useHasLists()
  const participantId = query.get('participant') || null
  const event = query.get('event') || null
  const pupils = usePupils(study, item, { participantId, event, settings, defaults })
  const { averages } = pupils
  return (
    <div class="item-grid">
      <div class="item-main">
        <PupilFigures {...{ item, event, settings }} {...pupils} names={people.names} onChange={change} />
      </div>
      <Side>
        <TestsPanel {...{ people, settings }} problem={averages.problem} onChange={change}>
          <Choice
            label="Time from"
            value={event ?? ''}
            of={[
              ['', 'Item onset'],
              ...eventNames(averages.data, event).map((name): ChoiceOption => [name, isolate(name)]),
            ]}
            onChange={(name) => setQuery({ event: name })}
          />
          <SplitOrOne {...{ study, people }} />
          {!hasLists && (
            <div class="field">
              <span>Trace of</span>
              <ParticipantChoice all={people.all} itemIndex={study.items.indexOf(item)} />
            </div>
          )}
        </TestsPanel>
        <CalmSettings {...{ parameters, settings, defaults }} listed={PUPIL_NAMES} onChange={change} />
      </Side>
    </div>
  )
}

type PupilFiguresProps = ReturnType<typeof usePupils> & {
  item: Item
  event: string | null
  settings: Settings
  names: Map<string, string>
  onChange: (settings: Settings) => void
}

/** Draws both figures, which follow a dragged edge; the settings change on its release. */
function PupilFigures({ item, event, settings, groups, averages, traces, names, onChange }: PupilFiguresProps) {
  const [dragged, setDragged] = useState<EdgeTimes | null>(null)
  const times = Object.fromEntries(EDGES.map((edge) => [edge, (dragged ?? settings)[edge]])) as EdgeTimes
  const facts = { event, settings, unit: averages.data?.unit ?? null }
  return (
    <>
      <AverageFigure
        {...{ groups, times, facts }}
        loaded={averages}
        subject={figureSubject(item, 'all participants')}
        onMove={setDragged}
        onDrop={(moved) => {
          setDragged(null)
          onChange({ ...settings, ...moved })
        }}
      />
      <TraceFigure {...{ times, facts, names }} loaded={traces} subject={figureSubject(item, 'one test')} />
    </>
  )
}

type Wanted = { participantId: string | null; event: string | null; settings: Settings; defaults: Settings }

/** Loads the average pupils of the groups in the address, and the pupils of single tests. */
function usePupils(study: Study, item: Item, { participantId, event, settings, defaults }: Wanted) {
  const given = readGroups(usePlace().query)
  const base = `/api2/studies/${study.id}`
  const ofGroups = withGroups(queryString(settings, defaults, { itemId: item.id, event }), given)
  const ofTests = queryString(settings, defaults, { itemId: item.id, participantId })
  return {
    groups: given.length === 0 ? [{ name: 'All tests', filter: '' }] : given,
    averages: useData<PupilsData>(`${base}/analysis/pupils${ofGroups}`, 0, `${item.id} ${given.length}`),
    traces: useData<PupilTracesData>(`${base}/charts/pupils${ofTests}`, 0, `${item.id} ${participantId}`),
  }
}

/** Returns the names of events to choose from, including the one in the address. */
function eventNames(data: PupilsData | null, event: string | null): string[] {
  const names = data?.eventNames ?? []
  return event === null || names.includes(event) ? names : [event, ...names]
}
