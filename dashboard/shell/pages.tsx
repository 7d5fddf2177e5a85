import type { VNode } from 'preact'
import type { PageAddress } from '../../isomorphic/pages.ts'
import { mayWrite, type Session } from '../core/api.ts'
import { type PageParams, pageAt } from '../core/page-at.ts'
import { useTitle } from '../core/use-title.ts'
import { type LazyPage, lazyPage } from '../ui/waiting/lazy-page.tsx'
import { PAGE_MODULES } from './page-modules.ts'

const AFTER_LIST_MS = 1000
const ITEM = '/studies/:studyId/items/:itemId'
const AoiEditorPage = lazyPage(PAGE_MODULES[`${ITEM}/aois`])
const BringInPage = lazyPage(PAGE_MODULES['/bring-in'])
const ExportPage = lazyPage(PAGE_MODULES['/studies/:studyId/export'])
const GroupsPage = lazyPage(PAGE_MODULES['/studies/:studyId/groups'])
const HelpPage = lazyPage(PAGE_MODULES['/help'])
const ItemPage = lazyPage(PAGE_MODULES[ITEM])
const JobsPage = lazyPage(PAGE_MODULES['/jobs'])
const MicrosaccadesPage = lazyPage(PAGE_MODULES[`${ITEM}/microsaccades`])
const OperationsPage = lazyPage(PAGE_MODULES['/operations'])
const PupilsPage = lazyPage(PAGE_MODULES[`${ITEM}/pupils`])
const QualityPage = lazyPage(PAGE_MODULES['/studies/:studyId/quality'])
const ReadingPage = lazyPage(PAGE_MODULES[`${ITEM}/reading`])
const ReportPage = lazyPage(PAGE_MODULES['/studies/:studyId/report'])
const ReplayPage = lazyPage(PAGE_MODULES[`${ITEM}/replay`])
const ScanpathsPage = lazyPage(PAGE_MODULES[`${ITEM}/scanpaths`])
const StudyOverview = lazyPage(PAGE_MODULES['/studies/:studyId'])
const StudiesPage = lazyPage(async () => {
  const page = await PAGE_MODULES['/']()
  // The list leads to a study, whose code comes once the list is drawn.
  setTimeout(StudyOverview.loadAhead, AFTER_LIST_MS)
  return page
})
const TransitionsPage = lazyPage(PAGE_MODULES[`${ITEM}/transitions`])

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
