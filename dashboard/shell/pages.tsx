import type { VNode } from 'preact'
import type { PageAddress } from '../../isomorphic/pages.ts'
import { mayWrite, type Session } from '../core/api.ts'
import { type PageParams, pageAt } from '../core/router.ts'
import { useTitle } from '../core/use-title.ts'
import { type LazyPage, lazyPage } from '../ui/waiting/lazy-page.tsx'

const AoiEditorPage = lazyPage(() =>
  import('../pages/aoi-editor/aoi-editor-page.tsx').then((loaded) => loaded.AoiEditorPage),
)
const BringInPage = lazyPage(() => import('../pages/bring-in/bring-in-page.tsx').then((loaded) => loaded.BringInPage))
const ExportPage = lazyPage(() => import('../pages/exporting/export-page.tsx').then((loaded) => loaded.ExportPage))
const GroupsPage = lazyPage(() => import('../pages/groups/groups-page.tsx').then((loaded) => loaded.GroupsPage))
const HelpPage = lazyPage(() => import('../pages/help/help-page.tsx').then((loaded) => loaded.HelpPage))
const ItemPage = lazyPage(() => import('../pages/item/item-page.tsx').then((loaded) => loaded.ItemPage))
const JobsPage = lazyPage(() => import('../pages/exporting/jobs-page.tsx').then((loaded) => loaded.JobsPage))
const MicrosaccadesPage = lazyPage(() =>
  import('../pages/microsaccades/microsaccades-page.tsx').then((loaded) => loaded.MicrosaccadesPage),
)
const OperationsPage = lazyPage(() =>
  import('../pages/operations/operations-page.tsx').then((loaded) => loaded.OperationsPage),
)
const PupilsPage = lazyPage(() => import('../pages/pupils/pupils-page.tsx').then((loaded) => loaded.PupilsPage))
const QualityPage = lazyPage(() => import('../pages/quality/quality-page.tsx').then((loaded) => loaded.QualityPage))
const ReadingPage = lazyPage(() => import('../pages/reading/reading-page.tsx').then((loaded) => loaded.ReadingPage))
const ReportPage = lazyPage(() => import('../pages/report/report-page.tsx').then((loaded) => loaded.ReportPage))
const ReplayPage = lazyPage(() => import('../pages/replay/replay-page.tsx').then((loaded) => loaded.ReplayPage))
const ScanpathsPage = lazyPage(() =>
  import('../pages/scanpaths/scanpaths-page.tsx').then((loaded) => loaded.ScanpathsPage),
)
const StudiesPage = lazyPage(() =>
  import('../pages/studies/studies-page.tsx').then((loaded) => {
    // The list leads to a study.
    StudyOverview.loadAhead()
    return loaded.StudiesPage
  }),
)
const StudyOverview = lazyPage(() => import('../pages/studies/study-page.tsx').then((loaded) => loaded.StudyOverview))
const TransitionsPage = lazyPage(() =>
  import('../pages/transitions/transitions-page.tsx').then((loaded) => loaded.TransitionsPage),
)

/** Page of each address; before somebody has signed in, every address shows the page that signs in. */
const DRAWN: Record<Exclude<PageAddress, '/sign-in'>, (params: PageParams, session: Session) => VNode | null> = {
  '/': (_, session) => <StudiesPage session={session} />,
  '/studies/:studyId': ({ studyId }, session) => (
    <StudyOverview studyId={studyId} version={session.version} mayAdd={mayWrite(session, studyId)} />
  ),
  '/studies/:studyId/items/:itemId': (of, session) => <ItemPage {...of} session={session} />,
  '/studies/:studyId/items/:itemId/aois': (of, session) => <AoiEditorPage {...of} session={session} />,
  '/studies/:studyId/items/:itemId/microsaccades': (of) => <MicrosaccadesPage {...of} />,
  '/studies/:studyId/items/:itemId/pupils': (of) => <PupilsPage {...of} />,
  '/studies/:studyId/items/:itemId/reading': (of) => <ReadingPage {...of} />,
  '/studies/:studyId/items/:itemId/replay': (of) => <ReplayPage {...of} />,
  '/studies/:studyId/items/:itemId/scanpaths': (of) => <ScanpathsPage {...of} />,
  '/studies/:studyId/items/:itemId/transitions': (of) => <TransitionsPage {...of} />,
  '/studies/:studyId/groups': ({ studyId }) => <GroupsPage studyId={studyId} />,
  '/studies/:studyId/quality': ({ studyId }) => <QualityPage studyId={studyId} />,
  '/studies/:studyId/report': ({ studyId }, session) => <ReportPage studyId={studyId} version={session.version} />,
  '/studies/:studyId/export': ({ studyId }) => <ExportPage studyId={studyId} />,
  '/bring-in': (_, session) => <BringInPage session={session} />,
  '/jobs': () => <JobsPage />,
  '/operations': (_, session) => (session.token?.role === 'ops' ? <OperationsPage session={session} /> : null),
  '/help': () => <HelpPage slug="" />,
  '/help/:page': ({ page }) => <HelpPage slug={page} />,
}

/** Begins to load the code of the page at a path, before it is known who asks for it. */
export function loadAhead(path: string): void {
  const found = pageAt(path)
  if (found === null || found.address === '/sign-in') return
  const { type } = DRAWN[found.address](found.params, NOBODY) ?? {}
  if (typeof type === 'function' && 'loadAhead' in type) (type as LazyPage<object>).loadAhead()
}

/** Returns the requests that the page at a path sends first. */
export function firstRequests(path: string): string[] {
  const { studyId, itemId } = pageAt(path)?.params ?? { studyId: '', itemId: '' }
  if (studyId === '') return []
  const study = `/api2/studies/${studyId}`
  return [study, '/api2/exports', `${study}/analyses`, ...(itemId === '' ? [] : [`${study}/items/${itemId}/shown`])]
}

const NOBODY: Session = {
  version: '',
  program: '',
  signedIn: false,
  changeToken: null,
  token: null,
  provider: null,
  link: null,
}

/** Draws the page of a path. */
export function Page({ path, session }: { path: string; session: Session }) {
  const found = pageAt(path)
  const drawn = found === null || found.address === '/sign-in' ? null : DRAWN[found.address](found.params, session)
  return drawn ?? <NoSuchPage path={path} />
}

function NoSuchPage({ path }: { path: string }) {
  useTitle('No such page')
  return (
    <>
      <h1>There is no such page</h1>
      <p>
        Nothing is at <code class="address">{path}</code>. The address may be misspelt, or the study may have been
        deleted.
      </p>
      <p class="row">
        <a class="button primary" href="/">
          Go to the studies
        </a>
      </p>
    </>
  )
}
