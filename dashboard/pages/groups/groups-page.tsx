import { contentsQuery, USUAL } from '../../core/view/report-contents.ts'
import { useStudyLink } from '../../core/view/study-links.ts'
import { useGroup } from './use-group.ts'
import './groups.css'
import { useEffect, useMemo } from 'preact/hooks'
import type { FixationsData, Loaded } from '../../core/api.ts'
import { useTheme } from '../../core/colors/theme.ts'
import { countOf, isolate, nameOf } from '../../core/number-texts.ts'
import { type People, useDescribedParticipants, usePeople } from '../../core/people/people.ts'
import { setQuery, usePlace } from '../../core/router.ts'
import { type Counts, leftOut } from '../../figures/captions.ts'
import { SettingsFold } from '../../figures/settings/settings-fold.tsx'
import { GradeFilter } from '../../figures/settings/settings-panel.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { Choice } from '../../ui/controls/choice.tsx'
import { itemOptions } from '../../ui/controls/options.ts'
import { Panel } from '../../ui/controls/panel.tsx'
import { Crumbs } from '../../ui/crumbs.tsx'
import { FilterChips } from '../../ui/people/filter-chips.tsx'
import { AwaitStudy, type KnownStudy, StudyLink, useLinkSettings } from '../../ui/waiting/await-item.tsx'
import { Await, Empty, RefusedLink } from '../../ui/waiting/states.tsx'
import { ChartsWindow, WindowSlider } from '../../ui/window/window-slider.tsx'
import { GroupCharts } from './group-charts.tsx'
import { GROUPS_MAX, type Group, groupChanges, groupColors, readGroups, splitsOf } from './group-list.ts'

export function GroupsPage({ studyId }: { studyId: string }) {
  const people = usePeople(studyId)
  return <AwaitStudy studyId={studyId}>{(known) => <GroupsView {...known} people={people} />}</AwaitStudy>
}

function GroupsView({ study, parameters, people }: KnownStudy & { people: People }) {
  const { query } = usePlace()
  const { settings, defaults, refused, change } = useLinkSettings(parameters)
  const groups = readGroups(query)
  const linkTo = useStudyLink(study.id)
  const described = useDescribedParticipants(study.id)
  const item = study.items.find(({ id }) => id === query.get('item')) ?? study.items[0]
  const answers = [0, 1, 2, 3].map((g) => useGroup(study, item, groups[g], settings, defaults))
  const names = useMemo(() => new Map(people.all.map((each) => [each.id, nameOf(each)])), [people.all])
  const setGroups = (next: Group[]) => setQuery(groupChanges(next))
  useEffect(() => {
    document.title = `Groups · ${isolate(study.name)} · Gazette`
  }, [study])
  if (item === undefined)
    return (
      <Empty title="This study has no items">
        <StudyLink studyId={study.id} />
      </Empty>
    )
  return (
    <>
      <Crumbs study={study} />
      <div class="page-head">
        <h1>Groups compared</h1>
        <a
          class="button"
          href={linkTo('/report', {
            ...groupChanges(groups),
            item: item.id,
            sections: contentsQuery({ ...USUAL, sections: [...USUAL.sections.slice(0, -1), 'groups', 'sources'] })
              .sections,
          })}
        >
          Report
        </a>
        <Choice
          isInline
          label="Item"
          value={item.id}
          of={itemOptions(study.items)}
          onChange={(value) => setQuery({ item: value, aois: null })}
        />
      </div>
      <RefusedLink refused={refused} />
      <Await loaded={people.first} what="participants">
        {(facts) => (
          <>
            <Panel title="In all groups" id="in-all">
              <div class="groups-common">
                <GradeFilter settings={settings} onChange={change} />
                <FilterChips
                  title="All groups"
                  filter={settings.filter}
                  facts={facts}
                  people={people.all}
                  problem={null}
                  onChange={(filter) => change({ ...settings, filter })}
                />
              </div>
              <SettingsFold {...{ parameters, settings, defaults }} onChange={change} />
              {item !== undefined && <WindowSlider {...{ item, settings, defaults }} untilMs={0} onChange={change} />}
              <div class="row">
                <span class="hint">Split by</span>
                {splitsOf(facts, people.all, described.data?.age ?? null).map((split) => (
                  <Button key={split.label} class="small" onClick={() => setGroups(split.groups)}>
                    <bdi>{split.label}</bdi>
                  </Button>
                ))}
                <Button
                  class="small"
                  disabled={groups.length >= GROUPS_MAX}
                  onClick={() => setGroups([...groups, { name: `Group ${groups.length + 1}`, filter: '' }])}
                >
                  Add a group
                </Button>
              </div>
            </Panel>
            <div class="group-list">
              {groups.map((group, g) => (
                <GroupCard
                  key={g}
                  {...{ group, g, facts, people }}
                  fixations={answers[g].fixations}
                  onChange={(next) => setGroups(groups.map((each, other) => (other === g ? next : each)))}
                  onRemove={() => setGroups(groups.filter((_, other) => other !== g))}
                />
              ))}
            </div>
          </>
        )}
      </Await>
      {groups.length < 2 ? (
        <Empty title="No groups yet">
          <p>Split the participants by an attribute, or add two groups and give each its conditions.</p>
        </Empty>
      ) : (
        <ChartsWindow.Provider value={{ item, settings, defaults, untilMs: 0, onChange: change }}>
          <GroupCharts
            {...{ study, item, groups, settings, defaults, names }}
            answers={answers.slice(0, groups.length)}
          />
        </ChartsWindow.Provider>
      )}
    </>
  )
}

function nWords({ counted }: Counts): string {
  return `n = ${countOf(counted.participants, 'participant')}, ${countOf(counted.tests, 'test')}`
}

type GroupCardProps = {
  group: Group
  g: number
  facts: { hasTags: boolean; externalDataNames: string[] }
  people: People
  fixations: Loaded<FixationsData>
  onChange: (group: Group) => void
  onRemove: () => void
}

function GroupCard({ group, g, facts, people, fixations, onChange, onRemove }: GroupCardProps) {
  const { colors } = useTheme()
  const counts = fixations.problem === null ? fixations.data : null
  return (
    <section class="card panel group-card" aria-label={`Group ${g + 1}: ${isolate(group.name)}`}>
      <div class="panel-head">
        <span class="row">
          <svg width="14" height="14" aria-hidden="true" focusable="false">
            <rect width="14" height="14" rx="3" fill={groupColors(colors)[g]} />
          </svg>
          <input
            type="text"
            aria-label={`Name of group ${g + 1}`}
            value={group.name}
            dir="auto"
            onChange={(event) => onChange({ ...group, name: event.currentTarget.value.trim() || `Group ${g + 1}` })}
          />
        </span>
        <Button class="small" aria-label={`Remove group ${isolate(group.name)}`} onClick={onRemove}>
          Remove
        </Button>
      </div>
      <FilterChips
        title={isolate(group.name)}
        filter={group.filter}
        facts={facts}
        people={people.all}
        problem={fixations.problem}
        onChange={(filter) => onChange({ ...group, filter })}
      />
      <p class="kept" role="status">
        {counts === null ? '' : nWords(counts)}
        {counts !== null && leftOut(counts) !== '' && `. ${leftOut(counts)}`}
      </p>
    </section>
  )
}
