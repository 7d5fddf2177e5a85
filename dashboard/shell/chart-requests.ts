import { storedAnalysis } from '../core/analysis/analysis-seen.ts'
import { decidedParameters, type Stored } from '../core/analysis/decided.ts'
import { answerAhead, type ExportCatalog, type Study, sendAhead } from '../core/api.ts'
import { pageAt } from '../core/page-at.ts'
import { defaultsOf, readSettings } from '../core/view/chart-settings.ts'
import { ITEM_FIGURES, readView } from '../core/view/chart-view.ts'
import { itemChartPaths } from '../core/view/item-charts.ts'
import { namesOf, readShown } from '../core/view/shown.ts'
import { firstRequests } from './first-requests.ts'

/**
 * Requests the charts of an item's page as soon as the answers that its settings come from are there, which were
 * requested ahead; does nothing for other pages, or if one of these is missing.
 */
export async function sendChartsAhead({ pathname, search }: Pick<Location, 'pathname' | 'search'>): Promise<void> {
  const page = pageAt(pathname)
  if (page?.address !== '/studies/:studyId/items/:itemId') return
  const paths = await Promise.all(firstRequests(pathname).settings.map(answerAhead)).then(
    ([study, catalog, analyses]) =>
      pathsOf(
        page.params.itemId.toLowerCase(),
        new URLSearchParams(search),
        study as Study,
        catalog as ExportCatalog,
        (analyses as { analyses: Stored[] }).analyses,
      ),
    () => [],
  )
  sendAhead(paths)
}

function pathsOf(
  itemId: string,
  query: URLSearchParams,
  study: Study,
  catalog: ExportCatalog,
  all: Stored[],
): string[] {
  const current = storedAnalysis(all, query.get('analysis'))
  if (current === undefined || !study.items.some(({ id }) => id === itemId)) return []
  const parameters = decidedParameters(catalog.parameters, current)
  const participantId = query.get('participant') || null
  const aoiCount = study.aois.filter((aoi) => aoi.itemId === itemId).length
  const paths = itemChartPaths({
    base: `/api2/studies/${study.id}/charts`,
    ...{ itemId, participantId },
    view: readView(query, { isOne: participantId !== null, aoiCount }).view,
    settings: readSettings(query, parameters).settings,
    defaults: defaultsOf(parameters),
    hasAois: aoiCount > 0,
    figure: readShown(query, 'figure', namesOf(ITEM_FIGURES)),
  })
  return Object.values(paths).filter((path) => path !== null)
}
