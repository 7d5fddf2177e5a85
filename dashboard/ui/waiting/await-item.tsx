import type { ComponentChildren, ComponentType } from 'preact'
import { missingGeometry } from '../../../isomorphic/screen-geometry.ts'
import type { ExportCatalog, Item, Study } from '../../core/api.ts'
import { useData } from '../../core/use-data.ts'
import { EyesSeen } from '../../core/view/eyes-seen.ts'
import { ScreenSeen } from '../../core/view/screen-seen.ts'
import { useStudyLink } from '../../core/view/study-links.ts'
import { WithAnalysis } from '../analysis/with-analysis.tsx'
import { Await, Empty, Loading } from './states.tsx'

/** Study, the catalogue of exports, and its parameters with the defaults of the analysis in use. */
export type KnownStudy = {
  study: Study
  catalog: Omit<ExportCatalog, 'parameters'>
  parameters: ExportCatalog['parameters']
}
/** The same, with an item of the study. */
export type KnownItem = KnownStudy & { item: Item }

type AwaitStudyProps = { studyId: string; children: (known: KnownStudy) => ComponentChildren }

/** Shows a page of a study once the study is known. */
export function AwaitStudy({ studyId, children }: AwaitStudyProps) {
  const study = useData<Study>(`/api2/studies/${studyId}`)
  const catalog = useData<ExportCatalog>('/api2/exports')
  return (
    <Await loaded={study} what="the study">
      {(known) => (
        <Await loaded={catalog} what="the settings">
          {(catalog) => (
            <WithAnalysis study={known} parameters={catalog.parameters} waiting={<Loading what="the analysis" />}>
              {(decided) => (
                <EyesSeen.Provider value={known.eyes ?? []}>
                  <ScreenSeen.Provider value={missingGeometry(known.recording, known.eyes).length === 0}>
                    {children({ study: known, catalog, parameters: decided })}
                  </ScreenSeen.Provider>
                </EyesSeen.Provider>
              )}
            </WithAnalysis>
          )}
        </Await>
      )}
    </Await>
  )
}

type AwaitItemProps = { studyId: string; itemId: string; children: (known: KnownItem) => ComponentChildren }

/** Shows a page of an item once the item is known, or a message if the study has no such item. */
export function AwaitItem({ studyId, itemId, children }: AwaitItemProps) {
  return (
    <AwaitStudy studyId={studyId}>
      {(known) => {
        const item = known.study.items.find(({ id }) => id === itemId.toLowerCase())
        if (item === undefined)
          return (
            <Empty title="There is no such item in this study">
              <StudyLink studyId={studyId} />
            </Empty>
          )
        return <>{children({ ...known, item })}</>
      }}
    </AwaitStudy>
  )
}

/** Returns the page of an item that is drawn once the item is known. */
export function itemPage(View: ComponentType<KnownItem>) {
  return ({ studyId, itemId }: { studyId: string; itemId: string }) => (
    <AwaitItem studyId={studyId} itemId={itemId}>
      {(known) => <View {...known} />}
    </AwaitItem>
  )
}

/** Links to the page of a study, with the current tests and settings. */
export function StudyLink({ studyId }: { studyId: string }) {
  return <a href={useStudyLink(studyId)()}>Go to the study</a>
}

const TALLEST_PX = 780
const NARROWEST_PX = 420

/**
 * Returns the width of an item's drawing: smaller for a tall page, so that the item and its panels are visible
 * together.
 */
export function fitting(width: number, aspect: number): number {
  return Math.round(Math.min(width, tallest(aspect) * aspect))
}

/** Returns the maximum height of an item's drawing, in px. */
export function tallest(aspect: number): number {
  return Math.max(NARROWEST_PX / aspect, TALLEST_PX)
}
