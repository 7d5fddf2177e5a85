import { sendAhead } from '../core/api.ts'
import { secretOf } from '../core/link-secret.ts'
import { pageAt } from '../core/page-at.ts'
import { firstRequests, SIGNED_IN_KEY } from './first-requests.ts'
import { PAGE_MODULES } from './page-modules.ts'

/**
 * Starts the dashboard: a small script, so that the code of the page and its first answers are requested at once, while
 * the rest of the program comes.
 */
const { pathname, hash } = location
const mayBeSignedIn = localStorage.getItem(SIGNED_IN_KEY) !== null && secretOf(hash) === null
const { settings, others } = mayBeSignedIn ? firstRequests(pathname) : { settings: [], others: [] }
sendAhead(['/api2/session', ...settings])
import('./main.tsx').then(
  ({ draw }) => draw(),
  () => {
    document.getElementById('app')!.textContent =
      'Gazette could not be loaded. The server may have stopped, or the network may be down. Reload the page.'
  },
)
const page = pageAt(pathname)
// That it is missing is told when it is shown.
if (page !== null) PAGE_MODULES[page.address]().catch(() => {})
sendAhead(others)
