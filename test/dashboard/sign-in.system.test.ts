import { expect, test } from 'vitest'
import { CLIENT_ID, CLIENT_SECRET, openIssuer, startIdentities } from '../server/identities.ts'
import { axeFindings, hasChromium, openWalk, signOut } from './browser.ts'
import { openDashboardServer } from './dashboard-server.ts'

test.skipIf(!hasChromium)(
  'the dashboard lets people in from a provider, and tells those whom it does not',
  async () => {
    const issuer = await openIssuer()
    const service = await openDashboardServer([], {
      OIDC_ISSUER: issuer.issuer,
      OIDC_CLIENT_ID: CLIENT_ID,
      OIDC_CLIENT_SECRET: CLIENT_SECRET,
      OIDC_GROUPS: 'readers=read',
    })
    const identities = startIdentities(issuer, { ada: ['readers'], eve: ['choir'] }, [service.url])
    const { browser, page, complaints } = await openWalk(service.url)
    try {
      const link = page.getByRole('link', { name: `Sign in with ${new URL(issuer.issuer).host}` })
      identities.who = 'eve'
      await page.goto(`${service.url}/jobs`)
      await link.click()
      await page.getByText('none of your groups may use this server').waitFor()
      expect(page.url()).toBe(`${service.url}/sign-in`)
      expect(await axeFindings(page)).toEqual([])
      // The page has no drawing, and follows the system nevertheless.
      await page.emulateMedia({ colorScheme: 'dark' })
      await expect.poll(() => page.locator('html').getAttribute('data-theme')).toBe('dark')
      await page.emulateMedia({ colorScheme: 'light' })
      await page.context().clearCookies()

      identities.who = 'ada'
      await page.goto(`${service.url}/jobs`)
      await link.click()
      await page.getByRole('heading', { name: 'Jobs' }).waitFor()
      expect(page.url()).toBe(`${service.url}/jobs`)
      await signOut(page)
      await page.waitForURL(`${issuer.issuer}/session/end?**`)
      await page.goto(`${service.url}/jobs`)
      await link.waitFor()
      expect(complaints.filter((each) => !each.startsWith(`foreign request: ${issuer.issuer}/`))).toEqual([])
    } finally {
      await browser.close()
      await service.close()
      await identities.close()
    }
  },
  120_000,
)
