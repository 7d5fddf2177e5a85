import { request, type Session } from '../../core/api.ts'
import { studyOfPath } from '../../core/link-seen.ts'
import { useChange } from '../../core/use-change.ts'
import { Actions } from '../../ui/actions.tsx'
import { Button } from '../../ui/controls/button.tsx'

/** Signs in with the secret of a link. @throws Problem 401 for a link that has expired */
export async function openLink(secret: string): Promise<Session> {
  const response = await request('/api2/session', { method: 'POST', headers: { 'X-AUTH-TOKEN': secret } })
  return (await response.json()) as Session
}

/** Returns whether a signed-in user can see a page without its link. */
export function needsNoLink({ token, link }: Session, path: string): boolean {
  if (token === null || link !== null || token.role === 'collect') return false
  return token.studies === 'all' || token.studies.includes(studyOfPath(path) ?? '')
}

type LinkInsteadProps = { session: Session; secret: string; onSession: (session: Session | null) => void }

/** Asks a signed-in user without access to the study before a link replaces their session. */
export function LinkInstead({ session, secret, onSession }: LinkInsteadProps) {
  const { problem, act } = useChange()
  const open = () => act(async () => onSession(await openLink(secret)))
  return (
    <main class="page narrow">
      <h1>Open a shared link?</h1>
      <p>
        You are signed in as <bdi>{session.token?.name || 'a token without a name'}</bdi>, which may not read the study
        of this link. Opening the link signs you out in this browser.
      </p>
      <Actions problem={problem} cancel="Stay signed in" onCancel={() => onSession(null)}>
        <Button class="primary" onClick={open}>
          Open the link
        </Button>
      </Actions>
    </main>
  )
}
