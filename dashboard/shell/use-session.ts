import { useEffect, useState } from 'preact/hooks'
import {
  asProblem,
  commandLine,
  forgetAll,
  getJson,
  onSignedOut,
  type Problem,
  request,
  type Session,
} from '../core/api.ts'
import { secretOf } from '../core/link-seen.ts'
import { navigate } from '../core/router.ts'
import { needsNoLink, openLink } from '../pages/link/open-link.tsx'

const SIGNED_IN_KEY = 'gazette-signed-in'

/**
 * Keeps who is signed in, by whatever way: a session of before, a token, or the link that the address carries.
 *
 * @returns `secret` of a link that is not open yet; `opened` takes the session that it gave, null to stay with one's
 * own
 */
export function useSession(path: string) {
  const [session, setSession] = useState<Session | null>(null)
  const [problem, setProblem] = useState<Problem | null>(null)
  // Ended by itself, not by whoever was signed in.
  const [hasEnded, setHasEnded] = useState(false)
  // The secret of a link, which leaves the address before anything else sees it.
  const [secret, setSecret] = useState(() => secretOf(location.hash))

  const load = () => {
    setProblem(null)
    const show = async (found: Session) => {
      commandLine.program = found.program
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
      const found = asProblem(error)
      // A session that has ended needs no end.
      if (found.status !== 401) return setProblem({ ...found, title: `You are still signed in: ${found.title}` })
    }
    forgetAll()
    // What was drawn and not saved is nobody else's.
    sessionStorage.clear()
    setHasEnded(false)
    localStorage.removeItem(SIGNED_IN_KEY)
    // Who came from a provider would be let in again there without being asked.
    if (session?.provider?.isOwn) return location.replace('/sign-in/provider/out')
    setSession({ ...session!, signedIn: false, changeToken: null, token: null, link: null })
    navigate('/sign-in', { replace: true })
  }
  return { session, problem, load, hasEnded, secret, signedIn, opened, signOut }
}
