import './groups.css'
import { useAoisOf } from '../../core/aois-of.ts'
import type { Item, Study } from '../../core/api.ts'
import { isolate } from '../../core/number-texts.ts'
import { type People, usePeople } from '../../core/people/people.ts'
import { setQuery, usePlace } from '../../core/router.ts'
import { useTitle } from '../../core/use-title.ts'
import type { Refused } from '../../core/view/chart-view.ts'
import { type LinkSettings, useLinkSettings } from '../../core/view/link-settings.ts'
import { readItem } from '../../core/view/named-item.ts'
import { useHasLists } from '../../core/view/places.ts'
import { contentsQuery, USUAL } from '../../core/view/report-contents.ts'
import { useStudyLink } from '../../core/view/study-links.ts'
import { useSpan } from '../../figures/item-answers.ts'
import { emptyOf } from '../../figures/nothing-kept.tsx'
import { ItemPlaces } from '../../figures/places/item-places.tsx'
import { Side } from '../../figures/settings/item-side.tsx'
import { SettingsFold } from '../../figures/settings/settings-fold.tsx'
import { GradeFilter } from '../../figures/settings/settings-panel.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { Choice } from '../../ui/controls/choice.tsx'
import { itemOptions } from '../../ui/controls/options.ts'
import { Panel } from '../../ui/controls/panel.tsx'
import { Crumbs } from '../../ui/crumbs.tsx'
import { ItemSteps } from '../../ui/item-steps.tsx'
import { FilterChips } from '../../ui/people/filter-chips.tsx'
import { AwaitStudy, type KnownStudy, StudyLink } from '../../ui/waiting/await-item.tsx'
import { Await, Empty, RefusedLink } from '../../ui/waiting/states.tsx'
import { ChartsWindow, WindowSlider } from '../../ui/window/window-slider.tsx'
import { GroupCard } from './group-card.tsx'
import { GroupCharts } from './group-charts.tsx'
import { GROUPS_MAX, type Group, type GroupAnswers, groupChanges, readGroups } from './group-list.ts'
import { GroupViewChoice, readGroupView } from './group-view.tsx'
import { SplitBy } from './split-by.tsx'
import { useGroup } from './use-group.ts'

export function GroupsPage({ studyId }: { studyId: string }) {
  const people = usePeople(studyId)
  const { query } = usePlace()
  return (
    <AwaitStudy studyId={studyId}>
      {({ study, parameters }) => {
        const { item, refused } = readItem(query, study)
        const shown = item ?? study.items[0]
        if (shown !== undefined)
          return <GroupsView {...{ study, parameters, people }} item={shown} refusedItem={refused} />
        return (
          <Empty title="This study has no items">
            <StudyLink studyId={study.id} />
          </Empty>
        )
      }}
    </AwaitStudy>
  )
}

type OfItem = Pick<KnownStudy, 'study' | 'parameters'> & { item: Item; people: People; refusedItem: Refused[] }

function GroupsView({ study, item, parameters, people, refusedItem }: OfItem) {
  const { query } = usePlace()
  const link = useLinkSettings(parameters)
  const { settings, defaults, refused, change } = link
  const groups = readGroups(query)
  const aois = useAoisOf(study, item)
  const view = readGroupView(query, aois.length)
  const answers = Array.from({ length: GROUPS_MAX }, (_, g) => useGroup(study, item, groups[g], settings, defaults))
  useTitle('Groups', isolate(study.name))
  const counts = answers.map(({ fixations }) => fixations.data)
  const isEmpty = groups.every((_, g) => counts[g]?.counted.tests === 0)
  const untilMs = useSpan(study.id, item, counts)
  return (
    <ItemPlaces {...{ study, item }}>
      <GroupsHead {...{ study, item, groups }} />
      <RefusedLink refused={[...refused, ...refusedItem]} />
      <div class="item-grid">
        <div class="item-main">
          {groups.length < 2 ? (
            <Empty title="No groups yet">
              <p>Split the participants by an attribute, or add two groups and set the conditions of each.</p>
              <SplitBy {...{ study, people }}>
                <AddGroup groups={groups} />
              </SplitBy>
            </Empty>
          ) : (
            (isEmpty && emptyOf(counts[0], people, settings)) || (
              <ChartsWindow.Provider value={{ item, settings, defaults, untilMs, onChange: change }}>
                <GroupViewChoice view={view} aoiCount={aois.length} />
                <GroupCharts
                  {...{ study, item, groups, settings, defaults, untilMs, aois, view }}
                  names={people.names}
                  answers={answers.slice(0, groups.length)}
                />
              </ChartsWindow.Provider>
            )
          )}
        </div>
        <Side what="groups and settings">
          <GroupCards {...{ study, people, groups, answers }} />
          <InAllGroups {...{ item, parameters, people, link, untilMs }} />
        </Side>
      </div>
    </ItemPlaces>
  )
}

/** Parameters of an address that choose the figures of groups. */
const SHOWN = ['view', 'measure', 'test', 'looked', 'within']

/** Draws the title of the page, the choice of its item, and the link to a report of the groups. */
function GroupsHead({ study, item, groups }: { study: Study; item: Item; groups: Group[] }) {
  const linkTo = useStudyLink(study.id)
  const hasLists = useHasLists()
  const { query } = usePlace()
  const shown = Object.fromEntries(SHOWN.map((name) => [name, query.get(name)]))
  const withGroups = { ...USUAL, sections: [...USUAL.sections.slice(0, -1), 'groups' as const, 'sources' as const] }
  const { sections } = contentsQuery(withGroups)
  return (
    <>
      <Crumbs study={study} />
      <div class="page-head">
        <h1>Groups compared</h1>
        <div class="row">
          <ItemSteps {...{ study, item }} />
          {!hasLists && (
            <Choice
              isInline
              label="Item"
              value={item.id}
              of={itemOptions(study.items)}
              onChange={(value) => setQuery({ item: value, aois: null })}
            />
          )}
          <a class="button" href={linkTo('/report', { ...groupChanges(groups), ...shown, item: item.id, sections })}>
            Put in report
          </a>
        </div>
      </div>
    </>
  )
}

type GroupCardsProps = { study: Study; people: People; groups: Group[]; answers: GroupAnswers[] }

/** Draws each group, and the controls that add groups. */
function GroupCards({ study, people, groups, answers }: GroupCardsProps) {
  const setGroups = (next: Group[]) => setQuery(groupChanges(next))
  return (
    <>
      <Await loaded={people.first} what="participants">
        {(facts) => (
          <>
            {groups.map((group, g) => (
              <GroupCard
                key={g}
                {...{ group, g, facts, people }}
                fixations={answers[g].fixations}
                onChange={(next) => setGroups(groups.map((each, other) => (other === g ? next : each)))}
                onRemove={() => setGroups(groups.filter((_, other) => other !== g))}
              />
            ))}
          </>
        )}
      </Await>
      {groups.length >= 2 && (
        <details class="card panel">
          <summary>Split again, or add a group</summary>
          <SplitBy {...{ study, people }}>
            <AddGroup groups={groups} />
          </SplitBy>
        </details>
      )}
    </>
  )
}

function AddGroup({ groups }: { groups: Group[] }) {
  const added = { name: `Group ${groups.length + 1}`, filter: '' }
  return (
    <Button
      class="small"
      disabled={groups.length >= GROUPS_MAX}
      onClick={() => setQuery(groupChanges([...groups, added]))}
    >
      Add a group
    </Button>
  )
}

type InAllGroupsProps = Pick<OfItem, 'item' | 'parameters' | 'people'> & {
  link: LinkSettings
  untilMs: number
}

/** Draws the conditions and settings that apply to all groups. */
function InAllGroups({ item, parameters, people, untilMs, link: { settings, defaults, change } }: InAllGroupsProps) {
  const facts = people.first.data
  return (
    <Panel title="In all groups" id="in-all">
      <GradeFilter settings={settings} onChange={change} />
      {facts !== null && (
        <FilterChips
          title="All groups"
          filter={settings.filter}
          facts={facts}
          people={people.all}
          problem={null}
          isFolded
          onChange={(filter) => change({ ...settings, filter })}
        />
      )}
      <SettingsFold {...{ parameters, settings, defaults }} onChange={change} />
      <WindowSlider {...{ item, settings, defaults, untilMs }} onChange={change} />
    </Panel>
  )
}
