import { useEffect, useRef, useState } from 'preact/hooks'
import { asProblem, forgetAll, getJson, mayWrite, onSignedOut, type Problem, request, type Session } from './api.ts'
import { type Choice, chooseTheme, useTheme } from './colors/theme.ts'
import { lazyPage } from './lazy-page.tsx'
import { secretOf, studyOfPath } from './link/link-seen.ts'
import { LinkBar, SeenByLink } from './link/link-shell.tsx'
import { LinkInstead, needsNoLink, openLink } from './link/open-link.tsx'
import { ExportPage } from './pages/export-page.tsx'
import { ItemPage } from './pages/item-page.tsx'
import { JobsPage } from './pages/jobs-page.tsx'
import { SignInPage } from './pages/sign-in.tsx'
import { StudiesPage } from './pages/studies-page.tsx'
import { StudyPage } from './pages/study-page.tsx'
import { Mark } from './parts/mark.tsx'
import { follow, navigate, usePlace } from './router.ts'
import { Loading, Trouble } from './waiting/states.tsx'

const AoiEditorPage = lazyPage(() => import('./aoi-editor/aoi-editor-page.tsx').then((loaded) => loaded.AoiEditorPage))
const BringInPage = lazyPage(() => import('./bring-in/bring-in-page.tsx').then((loaded) => loaded.BringInPage))
const GroupsPage = lazyPage(() => import('./groups/groups-page.tsx').then((loaded) => loaded.GroupsPage))
const OperationsPage = lazyPage(() =>
  import('./operations/operations-page.tsx').then((loaded) => loaded.OperationsPage),
)
const QualityPage = lazyPage(() => import('./quality/quality-page.tsx').then((loaded) => loaded.QualityPage))
const ReportPage = lazyPage(() => import('./report/report-page.tsx').then((loaded) => loaded.ReportPage))
const ReplayPage = lazyPage(() => import('./replay/replay-page.tsx').then((loaded) => loaded.ReplayPage))
const TransitionsPage = lazyPage(() =>
  import('./transitions/transitions-page.tsx').then((loaded) => loaded.TransitionsPage),
)

const ShareDialog = lazyPage(() => import('./link/share-dialog.tsx').then((loaded) => loaded.ShareDialog))

const SIGNED_IN_KEY = 'gazette-signed-in'

export function App() {
  const { path } = usePlace()
  const [session, setSession] = useState<Session | null>(null)
  const [problem, setProblem] = useState<Problem | null>(null)
  // Ended by itself, not by whoever was signed in.
  const [hasEnded, setHasEnded] = useState(false)
  // The secret of a link, which leaves the address before anything else sees it.
  const [secret, setSecret] = useState(() => secretOf(location.hash))

  const load = () => {
    setProblem(null)
    const show = async (found: Session) => {
      if (secret !== null && needsNoLink(found, path)) setSecret(null)
      else if (secret !== null && (!found.signedIn || found.link !== null)) {
        const opened = await openLink(secret).catch((error: unknown) => {
          if (asProblem(error).status !== 401) throw error
          return null
        })
        if (opened === null) return setSession({ ...found, signedIn: false, token: null, link: null })
        setSecret(null)
        return setSession(opened)
      }
      // Signed in before and not signed out since: the session ended while nobody looked.
      if (found.signedIn && found.link === null) localStorage.setItem(SIGNED_IN_KEY, 'yes')
      else if (!found.signedIn) setHasEnded(localStorage.getItem(SIGNED_IN_KEY) !== null)
      setSession(found)
    }
    getJson<Session>('/api2/session')
      .then(show)
      .catch((error) => setProblem(asProblem(error)))
  }
  useEffect(() => {
    if (secret !== null) history.replaceState(null, '', location.pathname + location.search)
    // Pasted into a window that shows the same page, a link changes the fragment alone.
    addEventListener('hashchange', () => secretOf(location.hash) !== null && location.reload())
    load()
    onSignedOut.call = () => {
      forgetAll()
      setHasEnded(true)
      setSession((before) => before && { ...before, signedIn: false, changeToken: null, token: null })
    }
  }, [])

  // Whoever hears the page instead of seeing it goes on at its beginning.
  const before = useRef(path)
  useEffect(() => {
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
  const signedIn = (next: Session) => {
    forgetAll()
    setHasEnded(false)
    setSecret(null)
    localStorage.setItem(SIGNED_IN_KEY, 'yes')
    setSession(next)
    if (path === '/sign-in') navigate('/', { replace: true })
  }
  if (secret !== null && session.signedIn)
    return (
      <LinkInstead
        session={session}
        secret={secret}
        onSession={(next) => {
          forgetAll()
          setSecret(null)
          setSession(next ?? session)
        }}
      />
    )
  if (!session.signedIn || path === '/sign-in')
    return (
      <SignInPage
        session={session}
        hasEnded={hasEnded}
        isLink={secret !== null || session.link !== null}
        onSignedIn={signedIn}
      />
    )

  const signOut = async () => {
    await request('/api2/session', { method: 'DELETE' }).catch(() => {})
    forgetAll()
    // What was drawn and not saved is nobody else's.
    sessionStorage.clear()
    setHasEnded(false)
    localStorage.removeItem(SIGNED_IN_KEY)
    // Who came from a provider would be let in again there without being asked.
    if (session.provider?.isOwn) return location.replace('/sign-in/provider/out')
    setSession({ ...session, signedIn: false, changeToken: null, token: null, link: null })
    navigate('/sign-in', { replace: true })
  }
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the clicks are those of links, which keys make too
    // biome-ignore lint/a11y/noStaticElementInteractions: as above
    <div class="shell" onClick={follow}>
      <a class="skip" href="#main">
        Skip to content
      </a>
      <Header session={session} path={path} signOut={signOut} />
      <main class="page" id="main" tabIndex={-1} key={path}>
        {session.link === null ? (
          <Page path={path} session={session} />
        ) : (
          <SeenByLink link={session.link} path={path}>
            <Page path={path} session={session} />
          </SeenByLink>
        )}
      </main>
      <footer class="footer">
        Gazette {session.version} · <a href="/docs">The interface for scripts</a> ·{' '}
        <a href="/docs/problems/">Problems and what to do</a>
      </footer>
    </div>
  )
}

function Page({ path, session }: { path: string; session: Session }) {
  const parts = path.split('/').filter((part) => part !== '')
  if (parts.length === 0) return <StudiesPage session={session} />
  if (parts[0] === 'bring-in' && parts.length === 1) return <BringInPage session={session} />
  if (parts[0] === 'jobs' && parts.length === 1) return <JobsPage />
  if (parts[0] === 'operations' && session.token?.role === 'ops') return <OperationsPage session={session} />
  if (parts[0] === 'studies' && parts.length === 2)
    return <StudyPage studyId={parts[1]} version={session.version} mayAdd={mayWrite(session, parts[1])} />
  if (parts[0] === 'studies' && parts[2] === 'groups' && parts.length === 3) return <GroupsPage studyId={parts[1]} />
  if (parts[0] === 'studies' && parts[2] === 'quality' && parts.length === 3) return <QualityPage studyId={parts[1]} />
  if (parts[0] === 'studies' && parts[2] === 'report' && parts.length === 3)
    return <ReportPage studyId={parts[1]} version={session.version} />
  if (parts[0] === 'studies' && parts[2] === 'export') return <ExportPage studyId={parts[1]} />
  if (parts[0] === 'studies' && parts[2] === 'items' && parts.length === 4)
    return <ItemPage studyId={parts[1]} itemId={parts[3]} session={session} />
  if (parts[0] === 'studies' && parts[2] === 'items' && parts[4] === 'replay' && parts.length === 5)
    return <ReplayPage studyId={parts[1]} itemId={parts[3]} />
  if (parts[0] === 'studies' && parts[2] === 'items' && parts[4] === 'aois' && parts.length === 5)
    return <AoiEditorPage studyId={parts[1]} itemId={parts[3]} session={session} />
  if (parts[0] === 'studies' && parts[2] === 'items' && parts[4] === 'transitions' && parts.length === 5)
    return <TransitionsPage studyId={parts[1]} itemId={parts[3]} />
  return <NoSuchPage path={path} />
}

function NoSuchPage({ path }: { path: string }) {
  useEffect(() => {
    document.title = 'No such page · Gazette'
  }, [])
  return (
    <>
      <h1>There is no such page</h1>
      <p>
        Nothing is at <code class="address">{path}</code>. The address may be misspelt, or the study may have been
        removed.
      </p>
      <p class="row">
        <a class="button primary" href="/">
          Go to the studies
        </a>
      </p>
    </>
  )
}

const THEMES: { choice: Choice; label: string }[] = [
  { choice: 'auto', label: 'Theme: system' },
  { choice: 'light', label: 'Theme: light' },
  { choice: 'dark', label: 'Theme: dark' },
]

function Header({ session, path, signOut }: { session: Session; path: string; signOut: () => void }) {
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
            </nav>
            <Share session={session} path={path} />
          </>
        )}
        <label class="theme">
          <span class="unseen">Light or dark</span>
          <select value={choice} onChange={(event) => chooseTheme(event.currentTarget.value as Choice)}>
            {THEMES.map(({ choice: value, label }) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        </label>
        <button type="button" class="quiet" onClick={signOut}>
          {session.link === null ? 'Sign out' : 'Leave'}
        </button>
      </div>
    </header>
  )
}

/** Draws the button that shares a page of a study, for those who may change the study. */
function Share({ session, path }: { session: Session; path: string }) {
  const [isOpen, setIsOpen] = useState(false)
  const studyId = studyOfPath(path)
  if (studyId === null || !mayWrite(session, studyId)) return null
  const isView = /^\/studies\/[^/]+\/(items\/[^/]+(\/replay|\/transitions)?|groups|quality|report)$/.test(path)
  return (
    <>
      <button type="button" class="quiet" onClick={() => setIsOpen(true)}>
        Share
      </button>
      {isOpen && <ShareDialog studyId={studyId} isView={isView} onClose={() => setIsOpen(false)} />}
    </>
  )
}
