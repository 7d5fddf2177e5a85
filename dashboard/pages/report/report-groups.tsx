import { useAoisOf } from '../../core/aois-of.ts'
import type { Item } from '../../core/api.ts'
import { isolate } from '../../core/number-texts.ts'
import { usePlace } from '../../core/router.ts'
import { useSpan } from '../../figures/item-answers.ts'
import { Empty } from '../../ui/waiting/states.tsx'
import { GroupCharts } from '../groups/group-charts.tsx'
import { GROUPS_MAX } from '../groups/group-list.ts'
import { readGroupView } from '../groups/group-view.tsx'
import type { GroupsProps } from '../groups/groups-caption.ts'
import { useGroup } from '../groups/use-group.ts'

type ReportGroupsProps = Omit<GroupsProps, 'item' | 'answers'> & { items: Item[] }

/** Compares the groups in the address on each item of the report. */
export function ReportGroups({ items, ...props }: ReportGroupsProps) {
  if (props.groups.length < 2)
    return (
      <Empty title="No groups yet">
        <p>Choose groups on the page “Groups”, and press “Put in report” there.</p>
      </Empty>
    )
  return (
    <>
      {items.map((item) => (
        <GroupsOfItem key={item.id} {...props} item={item} />
      ))}
    </>
  )
}

function GroupsOfItem(props: Omit<ReportGroupsProps, 'items'> & { item: Item }) {
  const { study, item, groups, settings, defaults } = props
  const aois = useAoisOf(study, item)
  const answers = Array.from({ length: GROUPS_MAX }, (_, g) => useGroup(study, item, groups[g], settings, defaults))
  const view = readGroupView(usePlace().query, aois.length)
  const ofFixations = answers.map(({ fixations }) => fixations.data)
  const untilMs = useSpan(study.id, item, ofFixations)
  return (
    <section aria-label={`Groups on ${isolate(item.filename)}`}>
      <h3>
        <bdi>{item.filename || 'Item without a name'}</bdi>
      </h3>
      <GroupCharts {...{ ...props, aois, untilMs }} view={view} answers={answers.slice(0, groups.length)} />
    </section>
  )
}
