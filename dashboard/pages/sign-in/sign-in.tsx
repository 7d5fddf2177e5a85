import { useEffect, useState } from 'preact/hooks'
import { commandLine, type Problem, problemFrom, request, type Session } from '../../core/api.ts'
import { useTitle } from '../../core/use-title.ts'
import { Button } from '../../ui/controls/button.tsx'
import { Mark } from '../../ui/mark.tsx'
import './sign-in.css'
import { tokenIn } from './token-of.ts'

/** Errors of a provider, by their names in the fragment of this page's address. */
const FAULTS: Record<string, string | undefined> = {
  away: 'The sign-in service cannot be reached. Try again later, or sign in with a token.',
  misconfigured:
    'The sign-in service does not accept this server. Its operator should check OIDC_CLIENT_ID and its secret.',
  denied: 'The sign-in service refused the sign-in.',
  refused: 'The answer of the sign-in service does not match a sign-in from this browser. Try again.',
  expired: 'The sign-in took longer than ten minutes, or cookies are disabled. Try again.',
  'no-group':
    'You are signed in at the sign-in service, but none of your groups may use this server. Ask its operator.',
}

/** Returns the page to return to. */
function here(): string {
  return location.pathname === '/sign-in' ? '/' : location.pathname + location.search
}

/** Signs in, automatically with the code of a printed address. @returns `problem` of this server or of a provider */
function useSigningIn(onSignedIn: (session: Session) => void) {
  const [problem, setProblem] = useState<Problem | null>(null)
  const [isBusy, setIsBusy] = useState(false)

  const signIn = async (headers: Record<string, string>, refused: string) => {
    setIsBusy(true)
    setProblem(null)
    try {
      const response = await request('/api2/session', { method: 'POST', headers })
      onSignedIn((await response.json()) as Session)
    } catch (error) {
      const found = problemFrom(error)
      setProblem(found.status === 401 ? { status: 401, title: 'Not signed in', detail: refused, type: null } : found)
      setIsBusy(false)
    }
  }

  useTitle('Sign in')
  useEffect(() => {
    const told = new URLSearchParams(location.hash.slice(1))
    const fault = FAULTS[told.get('problem') ?? '']
    if (fault !== undefined) {
      history.replaceState(null, '', location.pathname + location.search)
      setProblem({ status: 0, title: 'Not signed in', detail: fault, type: null })
    }
    const code = told.get('code')
    if (code === null) return
    history.replaceState(null, '', location.pathname + location.search)
    const refused =
      'This address was used before, or has expired. Sign in with the token in the file that was named below it.'
    void signIn({ 'X-Sign-In-Code': code }, refused)
  }, [])
  return { problem, isBusy, signIn }
}

type SignInPageProps = {
  session: Session
  hasEnded: boolean
  /** True if an expired link led here. */
  isLink: boolean
  onSignedIn: (session: Session) => void
}

/**
 * Signs in with a token, or with the code in the address that `gazette start` printed. Neither is ever part of a
 * request's URL.
 */
export function SignInPage({ session: { version, provider }, hasEnded, isLink, onSignedIn }: SignInPageProps) {
  const { problem, isBusy, signIn } = useSigningIn(onSignedIn)
  return (
    <main class="sign-in">
      <div class="card">
        <h1>
          <Mark /> Gazette
        </h1>
        <p class="lead">Explore eye-tracking studies, try settings, export tables.</p>
        {isLink && (
          <p class="notice" role="alert">
            <strong>This link does not work.</strong> It has expired, was revoked, or was not copied completely. If your
            session of 12 hours is over, open the link again. Otherwise ask the sender for a new link, or sign in.
          </p>
        )}
        {hasEnded && !isLink && (
          <p class="notice" role="alert">
            <strong>Your session has ended.</strong> A session lasts 12 hours, or as long as its token. Sign in to
            continue where you left off.
          </p>
        )}
        {provider !== null && (
          <>
            <a class="button primary" href={`/sign-in/provider?to=${encodeURIComponent(here())}`}>
              Sign in with {provider.name}
            </a>
            <p class="hint">or with a token:</p>
          </>
        )}
        <TokenForm isMain={provider === null} isWrong={problem !== null} {...{ isBusy, signIn }} />
        {problem !== null && (
          <div class="trouble" role="alert">
            <strong>{problem.title}</strong>
            <p>{problem.detail}</p>
          </div>
        )}
        <p id="token-help" class="hint">
          <code>npm start</code> prints an address that signs you in, and the name of a file with a token: paste its
          line here. An operator creates lasting tokens with <code>{commandLine.program} token create</code>.
        </p>
      </div>
      <p class="footer">Gazette {version}</p>
    </main>
  )
}

type TokenFormProps = {
  isMain: boolean
  isWrong: boolean
  isBusy: boolean
  signIn: (headers: Record<string, string>, refused: string) => Promise<void>
}

function TokenForm({ isMain, isWrong, isBusy, signIn }: TokenFormProps) {
  const [token, setToken] = useState('')
  const submit = (event: Event) => {
    event.preventDefault()
    const refused = 'The token is unknown, expired or revoked. Check that you copied all of it.'
    void signIn({ 'X-AUTH-TOKEN': tokenIn(token) }, refused)
  }
  return (
    <form onSubmit={submit}>
      <label for="token">Access token</label>
      <input
        id="token"
        type="password"
        autocomplete="current-password"
        spellcheck={false}
        placeholder="xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx"
        required
        value={token}
        aria-describedby="token-help"
        aria-invalid={isWrong}
        onInput={(event) => setToken(event.currentTarget.value)}
      />
      <Button isSubmit class={isMain ? 'primary' : ''} busy={isBusy && 'Signing in …'}>
        Sign in
      </Button>
    </form>
  )
}
