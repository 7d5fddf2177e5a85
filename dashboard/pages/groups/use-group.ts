import type { FixationsData, HeatmapData, Item, Study } from '../../core/api.ts'
import { joinConditions } from '../../core/people/conditions.ts'
import { useData } from '../../core/use-data.ts'
import { queryString, type Settings } from '../../core/view/chart-settings.ts'
import { gazeSettings } from '../../core/view/item-charts.ts'
import type { Group, GroupAnswers } from './group-list.ts'

/** Loads the data for a group's charts; loads nothing without a group. */
export function useGroup(
  study: Study,
  item: Item | undefined,
  group: Group | undefined,
  settings: Settings,
  defaults: Settings,
): GroupAnswers {
  const filter = joinConditions([settings.filter, group?.filter ?? ''])
  const own = { ...settings, filter }
  const base = `/api2/studies/${study.id}/charts`
  const isAsked = item !== undefined && group !== undefined
  const at = (some: Settings, more: Record<string, string | null> = {}) =>
    queryString(some, defaults, { itemId: item?.id ?? '', ...more })
  const heatmap = `${base}/heatmap${at(gazeSettings(own, defaults), { weighting: 'participants' })}`
  const key = `${item?.id} ${filter}`
  return {
    heatmap: useData<HeatmapData>(isAsked ? heatmap : null, 0, key),
    fixations: useData<FixationsData>(isAsked ? `${base}/fixations${at(own)}` : null, 0, key),
  }
}
