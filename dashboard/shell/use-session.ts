import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import {
  commandLine,
  forgetAll,
  getJson,
  onSignedOut,
  type Problem,
  problemFrom,
  request,
  type Session,
  sendAhead,
} from '../core/api.ts'
import { secretOf } from '../core/link-secret.ts'
import { navigate } from '../core/router.ts'
import { retrying } from '../core/try-again.ts'
import { forgetChoices } from '../pages/bring-in/choices/remembered.ts'
import { needsNoLink, openLink } from '../pages/link/open-link.tsx'
import { sendChartsAhead } from './chart-requests.ts'
import { firstRequests, SIGNED_IN_KEY } from './first-requests.ts'

/**
 * Keeps the session, however it began: an earlier sign-in, a token, or the link in the address.
 *
 * @returns `secret` of a link that is not open yet; `opened` takes the session that the link gave, or null to keep the
 * current one
 */
export function useSession(path: string) {
  const [session, setSession] = useState<Session | null>(null)
  const [problem, setProblem] = useState<Problem | null>(null)
  // The session expired; the user did not sign out.
  const [hasEnded, setHasEnded] = useState(false)
  const [secret, setSecret] = useSecret()

  const load = () => {
    setProblem(null)
    getJson<Session>('/api2/session')
      .then(async (found) => {
        commandLine.program = found.program
        const begun = await begin(found, secret, path)
        if (begun.secret === null) setSecret(null)
        if (begun.hasEnded !== null) setHasEnded(begun.hasEnded)
        setSession(begun.session)
      })
      .catch((error) => setProblem(problemFrom(error)))
  }
  useRetries(load, problem)
  // A layout effect, since an ordinary one would start one frame later.
  useLayoutEffect(() => {
    load()
    onSignedOut.call = () => {
      forgetAll()
      setHasEnded(true)
      setSession((before) => before && { ...before, signedIn: false, changeToken: null, token: null })
    }
  }, [])

  const signedIn = (next: Session) => {
    forgetAll()
    setHasEnded(false)
    setSecret(null)
    localStorage.setItem(SIGNED_IN_KEY, 'yes')
    setSession(next)
    if (path === '/sign-in') navigate('/', { replace: true })
  }
  const opened = (next: Session | null) => {
    forgetAll()
    setSecret(null)
    setSession(next ?? session)
  }
  const signOut = async () => {
    try {
      await request('/api2/session', { method: 'DELETE' })
    } catch (error) {
      const found = problemFrom(error)
      // An expired session need not be ended.
      if (found.status !== 401) return setProblem({ ...found, title: `You are still signed in: ${found.title}` })
    }
    forgetUser()
    setHasEnded(false)
    // A provider would sign the user in again without a prompt.
    if (session?.provider?.isOwn) return location.replace('/sign-in/provider/out')
    setSession({ ...session!, signedIn: false, changeToken: null, token: null, link: null })
    navigate('/sign-in', { replace: true })
  }
  return { session, problem, load, hasEnded, secret, signedIn, opened, signOut }
}

/** Keeps the secret of a link, which is removed from the address before anything else can read it. */
function useSecret() {
  const [secret, setSecret] = useState(() => secretOf(location.hash))
  useEffect(() => {
    if (secret !== null) history.replaceState(null, '', location.pathname + location.search)
    // A link pasted into a window with the same page changes only the fragment.
    addEventListener('hashchange', () => secretOf(location.hash) !== null && location.reload())
  }, [])
  return [secret, setSecret] as const
}

/**
 * Session with which the pages begin, the secret of a link that is not open yet, and whether a sign-in has expired;
 * null if that does not change.
 */
type Begun = { session: Session; secret: string | null; hasEnded: boolean | null }

/** Begins with the session that the server found, or with that of a link. @throws problems of opening the link */
async function begin(found: Session, secret: string | null, path: string): Promise<Begun> {
  const isNeedless = secret !== null && needsNoLink(found, path)
  if (secret !== null && !isNeedless && (!found.signedIn || found.link !== null)) {
    const opened = await openLink(secret).catch((error: unknown) => {
      if (problemFrom(error).status !== 401) throw error
      return null
    })
    if (opened !== null) return { session: opened, secret: null, hasEnded: null }
    return { session: { ...found, signedIn: false, token: null, link: null }, secret, hasEnded: null }
  }
  // The session expired in the background: the user had signed in and did not sign out.
  const hasEnded = found.signedIn ? null : localStorage.getItem(SIGNED_IN_KEY) !== null
  if (found.signedIn && found.link === null) {
    localStorage.setItem(SIGNED_IN_KEY, 'yes')
    const { settings, others } = firstRequests(path)
    sendAhead([...settings, ...others])
    void sendChartsAhead(location)
  }
  return { session: found, secret: isNeedless ? null : secret, hasEnded }
}

/** Loads again by itself after a problem that may pass. */
function useRetries(load: () => void, problem: Problem | null): void {
  const newest = useRef(load)
  newest.current = load
  const [retries] = useState(() => retrying(() => newest.current()))
  useEffect(() => {
    retries.after(problem)
    return retries.stop
  }, [problem])
}

/** Removes what the browser keeps for a user: the next one must not see unsaved drafts. */
function forgetUser(): void {
  forgetAll()
  sessionStorage.clear()
  localStorage.removeItem(SIGNED_IN_KEY)
  forgetChoices()
}
