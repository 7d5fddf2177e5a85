import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { SessionSeen } from '../core/analysis/analysis-seen.ts'
import { mayWrite, type Session } from '../core/api.ts'
import { chooseTheme, type ThemeChoice, useTheme } from '../core/colors/theme.ts'
import { studyOfPath } from '../core/link-seen.ts'
import { follow, usePlace } from '../core/router.ts'
import { useTour } from '../core/tour.ts'
import { useTitle } from '../core/use-title.ts'
import { LinkBar, SeenByLink } from '../pages/link/link-shell.tsx'
import { LinkInstead } from '../pages/link/open-link.tsx'
import { SignInPage } from '../pages/sign-in/sign-in.tsx'
import { StudiesPage } from '../pages/studies/studies-page.tsx'
import { StudyOverview } from '../pages/studies/study-page.tsx'
import { Button } from '../ui/controls/button.tsx'
import { type Option, Select } from '../ui/controls/choice.tsx'
import { Mark } from '../ui/mark.tsx'
import { lazyPage } from '../ui/waiting/lazy-page.tsx'
import { Loading, Trouble } from '../ui/waiting/states.tsx'
import { SignOut } from './sign-out.tsx'
import { useSession } from './use-session.ts'
import './frame.css'

const AoiEditorPage = lazyPage(() =>
  import('../pages/aoi-editor/aoi-editor-page.tsx').then((loaded) => loaded.AoiEditorPage),
)
const BringInPage = lazyPage(() => import('../pages/bring-in/bring-in-page.tsx').then((loaded) => loaded.BringInPage))
const ExportPage = lazyPage(() => import('../pages/exporting/export-page.tsx').then((loaded) => loaded.ExportPage))
const GroupsPage = lazyPage(() => import('../pages/groups/groups-page.tsx').then((loaded) => loaded.GroupsPage))
const HelpPage = lazyPage(() => import('../pages/help/help-page.tsx').then((loaded) => loaded.HelpPage))
const ItemPage = lazyPage(() => import('../pages/item/item-page.tsx').then((loaded) => loaded.ItemPage))
const JobsPage = lazyPage(() => import('../pages/exporting/jobs-page.tsx').then((loaded) => loaded.JobsPage))
const OperationsPage = lazyPage(() =>
  import('../pages/operations/operations-page.tsx').then((loaded) => loaded.OperationsPage),
)
const PupilsPage = lazyPage(() => import('../pages/pupils/pupils-page.tsx').then((loaded) => loaded.PupilsPage))
const QualityPage = lazyPage(() => import('../pages/quality/quality-page.tsx').then((loaded) => loaded.QualityPage))
const ReportPage = lazyPage(() => import('../pages/report/report-page.tsx').then((loaded) => loaded.ReportPage))
const ReplayPage = lazyPage(() => import('../pages/replay/replay-page.tsx').then((loaded) => loaded.ReplayPage))
const TourCard = lazyPage(() => import('../pages/tour/tour-card.tsx').then((loaded) => loaded.TourCard))
const TransitionsPage = lazyPage(() =>
  import('../pages/transitions/transitions-page.tsx').then((loaded) => loaded.TransitionsPage),
)

const ShareDialog = lazyPage(() => import('../pages/link/share-dialog.tsx').then((loaded) => loaded.ShareDialog))

export function App() {
  const { path } = usePlace()
  const { session, problem, load, hasEnded, secret, signedIn, opened, signOut } = useSession(path)
  // Screen readers continue at the top of the new page.
  const before = useRef(path)
  useLayoutEffect(() => {
    if (before.current !== path) document.getElementById('main')?.focus()
    before.current = path
  }, [path])

  if (problem !== null) {
    return (
      <main class="page narrow">
        <Trouble problem={problem} retry={load} />
      </main>
    )
  }
  if (session === null) {
    return (
      <main class="page narrow">
        <Loading what="Gazette" />
      </main>
    )
  }
  if (secret !== null && session.signedIn) return <LinkInstead session={session} secret={secret} onSession={opened} />
  if (!session.signedIn || path === '/sign-in')
    return (
      <SignInPage
        session={session}
        hasEnded={hasEnded}
        isLink={secret !== null || session.link !== null}
        onSignedIn={signedIn}
      />
    )

  return <SignedIn {...{ session, path, signOut }} />
}

type SignedInProps = { session: Session; path: string; signOut: () => void }

/** Draws the page of a path, below the header. */
function SignedIn({ session, path, signOut }: SignedInProps) {
  const { tour } = useTour()
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the clicks are those of links, which keys make too
    // biome-ignore lint/a11y/noStaticElementInteractions: as above
    <div class="shell" onClick={follow}>
      <a class="skip" href="#main">
        Skip to content
      </a>
      <Header session={session} path={path} signOut={signOut} />
      <main class="page" id="main" tabIndex={-1} key={path}>
        <SessionSeen.Provider value={session}>
          {session.link === null ? (
            <Page path={path} session={session} />
          ) : (
            <SeenByLink link={session.link} path={path}>
              <Page path={path} session={session} />
            </SeenByLink>
          )}
        </SessionSeen.Provider>
      </main>
      {tour !== null && session.link === null && <TourCard tour={tour} />}
      <footer class="footer">
        Gazette {session.version} · <a href="/help">Documentation</a> · <a href="/docs">API for scripts</a> ·{' '}
        <a href="/docs/problems/">Problems and solutions</a>
      </footer>
    </div>
  )
}

function Page({ path, session }: { path: string; session: Session }) {
  const parts = path.split('/').filter((part) => part !== '')
  if (parts.length === 0) return <StudiesPage session={session} />
  if (parts[0] === 'help' && parts.length <= 2) return <HelpPage slug={parts[1] ?? ''} />
  if (parts[0] === 'bring-in' && parts.length === 1) return <BringInPage session={session} />
  if (parts[0] === 'jobs' && parts.length === 1) return <JobsPage />
  if (parts[0] === 'operations' && session.token?.role === 'ops') return <OperationsPage session={session} />
  if (parts[0] === 'studies' && parts.length === 2)
    return <StudyOverview studyId={parts[1]} version={session.version} mayAdd={mayWrite(session, parts[1])} />
  if (parts[0] === 'studies' && parts[2] === 'groups' && parts.length === 3) return <GroupsPage studyId={parts[1]} />
  if (parts[0] === 'studies' && parts[2] === 'quality' && parts.length === 3) return <QualityPage studyId={parts[1]} />
  if (parts[0] === 'studies' && parts[2] === 'report' && parts.length === 3)
    return <ReportPage studyId={parts[1]} version={session.version} />
  if (parts[0] === 'studies' && parts[2] === 'export') return <ExportPage studyId={parts[1]} />
  if (parts[0] === 'studies' && parts[2] === 'items' && parts.length === 4)
    return <ItemPage studyId={parts[1]} itemId={parts[3]} session={session} />
  if (parts[0] === 'studies' && parts[2] === 'items' && parts[4] === 'replay' && parts.length === 5)
    return <ReplayPage studyId={parts[1]} itemId={parts[3]} />
  if (parts[0] === 'studies' && parts[2] === 'items' && parts[4] === 'pupils' && parts.length === 5)
    return <PupilsPage studyId={parts[1]} itemId={parts[3]} />
  if (parts[0] === 'studies' && parts[2] === 'items' && parts[4] === 'aois' && parts.length === 5)
    return <AoiEditorPage studyId={parts[1]} itemId={parts[3]} session={session} />
  if (parts[0] === 'studies' && parts[2] === 'items' && parts[4] === 'transitions' && parts.length === 5)
    return <TransitionsPage studyId={parts[1]} itemId={parts[3]} />
  return <NoSuchPage path={path} />
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

const THEMES: { choice: ThemeChoice; label: string }[] = [
  { choice: 'auto', label: 'Theme: system' },
  { choice: 'light', label: 'Theme: light' },
  { choice: 'dark', label: 'Theme: dark' },
]

function Header({ session, path, signOut }: SignedInProps) {
  const { choice } = useTheme()
  const link = (href: string, label: string, isHere: boolean) => (
    <a href={href} aria-current={isHere ? 'page' : undefined}>
      {label}
    </a>
  )
  return (
    <header class="header">
      <div class="header-inner">
        {session.link !== null ? (
          <LinkBar link={session.link} expiresAt={session.token?.expiresAt ?? null} path={path} />
        ) : (
          <>
            <a class="brand" href="/">
              <Mark />
              Gazette
            </a>
            <nav class="nav" aria-label="Main">
              {link('/', 'Studies', path === '/' || path.startsWith('/studies') || path === '/bring-in')}
              {link('/jobs', 'Jobs', path === '/jobs')}
              {session.token?.role === 'ops' && link('/operations', 'Operations', path === '/operations')}
              {link('/help', 'Help', path === '/help' || path.startsWith('/help/'))}
            </nav>
            <Share session={session} path={path} />
          </>
        )}
        <span class="theme">
          <Select
            aria-label="Light or dark"
            value={choice}
            of={THEMES.map(({ choice: value, label }): Option<ThemeChoice> => [value, label])}
            onChange={chooseTheme}
          />
        </span>
        <SignOut words={session.link === null ? 'Sign out' : 'Leave'} signOut={signOut} />
      </div>
    </header>
  )
}

/** Draws the button that shares a page of a study, for users who may change the study. */
function Share({ session, path }: { session: Session; path: string }) {
  const [isOpen, setIsOpen] = useState(false)
  const studyId = studyOfPath(path)
  if (studyId === null || !mayWrite(session, studyId)) return null
  const isView = /^\/studies\/[^/]+\/(items\/[^/]+(\/replay|\/pupils|\/transitions)?|groups|quality|report)$/.test(path)
  return (
    <>
      <Button class="quiet" onClick={() => setIsOpen(true)}>
        Share
      </Button>
      {isOpen && <ShareDialog studyId={studyId} isView={isView} onClose={() => setIsOpen(false)} />}
    </>
  )
}
