import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { ITEM_VIEWS } from '../../isomorphic/pages.ts'
import { SessionSeen } from '../core/analysis/analysis-seen.ts'
import { mayWrite, type Session } from '../core/api.ts'
import { studyOfPath } from '../core/link-seen.ts'
import { useOneStop } from '../core/one-stop.ts'
import { hasSettings, openSettings } from '../core/open-settings.ts'
import { followLink, usePlace } from '../core/router.ts'
import { useSingleKeys } from '../core/single-keys.ts'
import { useTour } from '../core/tour.ts'
import { LinkBar, SeenByLink } from '../pages/link/link-shell.tsx'
import { LinkInstead } from '../pages/link/open-link.tsx'
import { Button } from '../ui/controls/button.tsx'
import { Mark } from '../ui/mark.tsx'
import { StudySections } from '../ui/study-sections.tsx'
import { lazyPage } from '../ui/waiting/lazy-page.tsx'
import { Loading, Trouble } from '../ui/waiting/states.tsx'
import { Menu } from './menu.tsx'
import { PAGE_MODULES } from './page-modules.ts'
import { Page } from './pages.tsx'
import { SearchDialog } from './search-dialog.tsx'
import { useSession } from './use-session.ts'
import './frame.css'

const SignInPage = lazyPage(PAGE_MODULES['/sign-in'])
const TourCard = lazyPage(() => import('../pages/tour/tour-card.tsx').then((loaded) => loaded.TourCard))
const ShareDialog = lazyPage(() => import('../pages/link/share-dialog.tsx').then((loaded) => loaded.ShareDialog))

const KeysDialog = lazyPage(() => import('./keys-dialog.tsx').then((loaded) => loaded.KeysDialog))

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
      <SignInPage {...{ session, hasEnded }} isLink={secret !== null || session.link !== null} onSignedIn={signedIn} />
    )

  return <SignedIn {...{ session, path, signOut }} />
}

type SignedInProps = { session: Session; path: string; signOut: () => void }

/** Draws the page of a path, below the header. */
function SignedIn({ session, path, signOut }: SignedInProps) {
  const { tour } = useTour()
  const [hasKeys, setHasKeys] = useState(false)
  useSingleKeys()
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the clicks are those of links, which keys make too
    // biome-ignore lint/a11y/noStaticElementInteractions: as above
    <div class="shell" onClick={followLink}>
      <a class="skip" href="#main">
        Skip to content
      </a>
      {hasSettings(path) && (
        <Button class="skip" onClick={openSettings}>
          Skip to settings
        </Button>
      )}
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
        Gazette {session.version} ·{' '}
        <Button class="link" aria-keyshortcuts="?" onClick={() => setHasKeys(true)}>
          Keys
        </Button>
      </footer>
      {hasKeys && <KeysDialog onClose={() => setHasKeys(false)} />}
    </div>
  )
}

function Header({ session, path, signOut }: SignedInProps) {
  const studyId = studyOfPath(path)
  const stop = useOneStop<HTMLDivElement>('.nav a, :scope > button')
  const [isSharing, setIsSharing] = useState(false)
  const isSharable = studyId !== null && session.link === null && mayWrite(session, studyId)
  return (
    <header class="header">
      <div class="header-inner" {...(session.link === null ? stop : {})}>
        {session.link !== null ? (
          <LinkBar link={session.link} expiresAt={session.token?.expiresAt ?? null} path={path} />
        ) : (
          <>
            <span class="brand">
              <Mark />
              Gazette
            </span>
            <nav class="nav" aria-label="Main">
              <a href="/" aria-current={path === '/' ? 'page' : undefined}>
                Studies
              </a>
              {studyId !== null && <StudySections studyId={studyId} />}
            </nav>
            <Search />
          </>
        )}
        <Menu {...{ session, path, signOut }} onShare={isSharable ? () => setIsSharing(true) : null} />
      </div>
      {isSharing && isSharable && (
        <ShareDialog studyId={studyId} isView={VIEW_PATH.test(path)} onClose={() => setIsSharing(false)} />
      )}
    </header>
  )
}

/** Draws the button that searches everything, and its dialog. */
function Search() {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <Button class="quiet search-button" aria-label="Search" aria-keyshortcuts="/" onClick={() => setIsOpen(true)}>
        <svg width="15" height="15" viewBox="0 0 15 15" aria-hidden="true" focusable="false">
          <path
            d="M6 1a5 5 0 1 0 0 10A5 5 0 0 0 6 1M9.6 9.6 14 14"
            fill="none"
            stroke="currentColor"
            stroke-width="1.8"
          />
        </svg>
        <span>Search</span> <kbd>/</kbd>
      </Button>
      {isOpen && <SearchDialog onClose={() => setIsOpen(false)} />}
    </>
  )
}

/** Pages that a link may show; others lead to the whole study. */
const VIEW_PATH = new RegExp(`^/studies/[^/]+/(items/[^/]+(/(${ITEM_VIEWS.join('|')}))?|groups|quality|report)$`)
