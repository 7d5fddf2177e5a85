import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { PROVIDER_PATH } from '../../server/access/provider-routes.ts'
import { kept, keptDirectory } from '../engine/kept.ts'
import { CLIENT_ID, CLIENT_SECRET, openIssuer, startIdentities } from './identities.ts'
import { OTHER_STUDY, openBeside, openTestServer, STUDY } from './test-server.ts'

const GROUPS = `readers=read:${STUDY}; cn=editors,ou=lab=write; night=read:${OTHER_STUDY}; heads=ops`
const PEOPLE = {
  ada: ['readers', 'choir'],
  eve: ['choir'],
  joe: ['readers', 'cn=editors,ou=lab'],
  zoe: ['readers', 'night'],
  kit: [],
}
const issuer = await openIssuer()
const settings = { OIDC_ISSUER: issuer.issuer, OIDC_CLIENT_ID: CLIENT_ID, OIDC_GROUPS: GROUPS }
const folder = await keptDirectory()
const secretFile = join(folder, 'secret')
// As an editor leaves it, with a line's end.
await writeFile(secretFile, `${CLIENT_SECRET}\n`)
const service = kept(await openTestServer({ ...settings, OIDC_CLIENT_SECRET_FILE: secretFile }))
const mistaken = kept(await openBeside(service, { ...settings, OIDC_CLIENT_SECRET: 'another' }))
// Nobody listens on port 1.
const alone = kept(await openBeside(service, { ...settings, OIDC_ISSUER: 'http://127.0.0.1:1' }))
const identities = kept(startIdentities(issuer, PEOPLE, [service.url, mistaken.url]))

/** Walks through redirects with the cookies of each server, as a browser does. */
function openBrowser(who = '') {
  const jars = new Map<string, Map<string, string>>()
  const visited: string[] = []
  async function ask(address: string, init: RequestInit = {}): Promise<Response> {
    const { origin } = new URL(address)
    const jar = jars.get(origin) ?? new Map<string, string>()
    jars.set(origin, jar)
    const cookie = Array.from(jar, ([name, value]) => `${name}=${value}`).join('; ')
    const answer = await fetch(address, { ...init, redirect: 'manual', headers: { ...init.headers, cookie } })
    for (const set of answer.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(set)!
      if (value === '' || /expires=Thu, 01 Jan 1970/i.test(set)) jar.delete(name)
      else jar.set(name, value)
    }
    return answer
  }
  /** Goes on until there is a page; `change` may give another address than the one that it is sent to. */
  async function go(address: string, change = (to: string) => to): Promise<string> {
    identities.who = who
    let at = address
    for (let steps = 0; steps < 12; steps++) {
      visited.push(at)
      const answer = await ask(at)
      const location = answer.headers.get('location')
      if (location === null) return at
      at = change(new URL(location, at).href)
    }
    throw new Error('it goes round and round')
  }
  const session = async (url: string) => (await (await ask(`${url}/api2/session`)).json()) as Record<string, unknown>
  return { ask, go, session, jars, visited }
}

const start = (to = '/jobs', at = service) => `${at.url}${PROVIDER_PATH}?to=${encodeURIComponent(to)}`
const isCallback = (address: string) => address.includes(`${PROVIDER_PATH}/callback?`)
/** Changes a parameter on the way back to Gazette. */
const withCallback = (name: string, value: string) => (address: string) => {
  if (!isCallback(address)) return address
  const changed = new URL(address)
  changed.searchParams.set(name, value)
  return changed.href
}
const problem = (fault: string, at = service) => `${at.url}/sign-in#problem=${fault}`
const people = async () => (await service.parts.tokens.list()).filter(({ issuer }) => issuer !== undefined)

describe('signing in at a provider', () => {
  test('lets a member of a group do what the group may, and no more, until they sign out', async () => {
    const browser = openBrowser('ada')
    expect(await browser.go(start(`/studies/${STUDY}?itemId=1`))).toBe(`${service.url}/studies/${STUDY}?itemId=1`)
    const { signedIn, changeToken, token, provider } = await browser.session(service.url)
    expect({ signedIn, token, provider }).toMatchObject({
      signedIn: true,
      token: { name: 'ada', role: 'read', studies: [STUDY] },
      provider: { name: new URL(identities.issuer).host, isOwn: true },
    })
    expect((await browser.ask(`${service.url}/api2/studies/${STUDY}`)).status).toBe(200)
    expect((await browser.ask(`${service.url}/api2/studies/${OTHER_STUDY}`)).status).toBe(404)
    const put = { method: 'PUT', body: '{}', headers: { 'content-type': 'application/json' } }
    const changing = { ...put, headers: { ...put.headers, 'x-change-token': String(changeToken) } }
    expect((await browser.ask(`${service.url}/api2/studies/${STUDY}`, changing)).status).toBe(403)
    // The browser asked with PKCE, a state and a nonce, and keeps nothing of them.
    const authorization = new URL(browser.visited.find((address) => address.includes('code_challenge='))!)
    expect(authorization.searchParams.get('code_challenge_method')).toBe('S256')
    expect([...browser.jars.get(new URL(service.url).origin)!.keys()]).toHaveLength(1)
    const out = { method: 'DELETE', headers: { 'x-change-token': String(changeToken) } }
    expect((await browser.ask(`${service.url}/api2/session`, out)).status).toBe(204)
    expect((await browser.session(service.url)).signedIn).toBe(false)
    const left = (await browser.ask(`${service.url}${PROVIDER_PATH}/out`)).headers.get('location')!
    expect(left.startsWith(`${identities.issuer}/session/end?`)).toBe(true)
    expect(new URL(left).searchParams.get('post_logout_redirect_uri')).toBe(`${service.url}/sign-in`)
  })

  test('gives one session for a code, a state and a cookie, however often they are sent, also by a provider that takes codes again', async () => {
    identities.takeCodesAgain()
    const browser = openBrowser('ada')
    let callback = ''
    await browser.go(start(), (to) => {
      if (!isCallback(to)) return to
      callback = to
      return service.url
    })
    const cookie = Array.from(browser.jars.get(service.url)!, ([name, value]) => `${name}=${value}`).join('; ')
    const send = (changed = cookie) => fetch(callback, { redirect: 'manual', headers: { cookie: changed } })
    const answers = [...(await Promise.all([send(), send(), send()])), await send()]
    const places = answers.map(({ headers }) => headers.get('location'))
    expect(places.sort()).toEqual(['/jobs', ...Array(3).fill('/sign-in#problem=expired')].sort())
    expect(
      answers.flatMap(({ headers }) => headers.getSetCookie()).filter((set) => /=ada|=[0-9a-f]{16}\./.test(set)),
    ).toHaveLength(1)
    // Nobody can put off when the cookie ends.
    const [, end] = /\.([0-9a-z]{8})\./.exec(cookie)!
    const later = (Number.parseInt(end, 36) + 600_000).toString(36)
    expect((await send(cookie.replace(end, later))).headers.get('location')).toMatch(/^\/sign-in#problem=/)
    const over = (Date.now() - 1).toString(36)
    expect((await send(cookie.replace(end, over))).headers.get('location')).toBe('/sign-in#problem=expired')
  })

  test('knows a person again, with the highest role of their groups; a revoked one is signed out at once', async () => {
    await openBrowser('joe').go(start())
    const browser = openBrowser('joe')
    await browser.go(start())
    const known = (await people()).filter(({ name }) => name === 'joe')
    expect(known).toMatchObject([{ role: 'write', studies: 'all', issuer: identities.issuer }])
    const zoe = openBrowser('zoe')
    await zoe.go(start())
    expect((await zoe.session(service.url)).token).toMatchObject({ role: 'read', studies: [STUDY, OTHER_STUDY] })
    expect((await browser.session(service.url)).signedIn).toBe(true)
    await service.parts.tokens.revoke(known[0].id)
    expect((await browser.session(service.url)).signedIn).toBe(false)
    expect((await zoe.session(service.url)).signedIn).toBe(true)
  })

  test.each(['eve', 'kit'])('tells %s, of no group that is known, and lets them in nowhere', async (who) => {
    const browser = openBrowser(who)
    expect(await browser.go(start())).toBe(problem('no-group'))
    expect((await browser.session(service.url)).signedIn).toBe(false)
    expect((await people()).map(({ name }) => name)).not.toContain(who)
    const reason = who === 'eve' ? 'of these groups: choir' : 'no group in groups'
    expect(service.logged.join('')).toContain(`"fault":"no-group","reason":"${reason}"`)
  })

  test('goes to pages of its own alone', async () => {
    for (const to of ['//evil.example', '/\\evil.example', 'https://evil.example/', '/sign-in/provider', '/\r\nx'])
      expect(await openBrowser('ada').go(start(to)), to).toBe(`${service.url}/`)
  })
})

describe('an answer that does not belong to the sign-in is refused', () => {
  const refusedBy = async (change: (to: string) => string, who = 'ada') => {
    const before = await people()
    const browser = openBrowser(who)
    const end = await browser.go(start(), change)
    expect((await browser.session(service.url)).signedIn).toBe(false)
    expect(await people()).toEqual(before)
    return end
  }

  test('with another state', async () => {
    expect(await refusedBy(withCallback('state', 'x'.repeat(43)))).toBe(problem('refused'))
  })
  test('with another nonce', async () => {
    const change = (address: string) => address.replace(/([?&]nonce=)[^&]+/, '$1another')
    expect(await refusedBy(change)).toBe(problem('refused'))
    const told = service.logged.filter((line) => line.includes('"fault"')).at(-1)
    expect(told).toContain('"reason":"OAUTH_JWT_CLAIM_COMPARISON_FAILED')
  })
  test('with another verifier, code or issuer', async () => {
    expect(await refusedBy((to) => to.replace(/([?&]code_challenge=)[^&]+/, `$1${'x'.repeat(43)}`))).toBe(
      problem('refused'),
    )
    expect(await refusedBy(withCallback('code', 'x'))).toBe(problem('refused'))
    expect(await refusedBy(withCallback('iss', 'https://evil.example'))).toBe(problem('refused'))
  })
  test('in another browser, and a second time', async () => {
    const browser = openBrowser('ada')
    await browser.go(start())
    const callback = browser.visited.find(isCallback)!
    expect(await openBrowser().go(callback)).toBe(problem('expired'))
    expect(await browser.go(callback)).toBe(problem('expired'))
  })
  test('and so is one that the person declined', async () => {
    const change = (address: string) => {
      if (!isCallback(address)) return address
      const denied = new URL(address)
      denied.searchParams.delete('code')
      denied.searchParams.set('error', 'access_denied')
      return denied.href
    }
    expect(await refusedBy(change)).toBe(problem('denied'))
  })
})

describe('a provider that does not work', () => {
  test('is told in the address, and tokens are taken as ever', async () => {
    expect(await openBrowser().go(start('/', alone))).toBe(problem('away', alone))
    const signedIn = await fetch(`${alone.url}/api2/session`, {
      method: 'POST',
      headers: { 'x-auth-token': alone.read },
    })
    expect(signedIn.status).toBe(201)
    expect((await alone.get('/api2/studies')).status).toBe(200)
  })
  test('or that does not know the secret, is told to the operator', async () => {
    expect(await openBrowser('ada').go(start('/', mistaken))).toBe(problem('misconfigured', mistaken))
    expect(mistaken.logged.join('')).toContain('"fault":"misconfigured"')
  })
  test('is none where no issuer is set', async () => {
    const plain = await openBeside(service, {})
    expect((await plain.get(PROVIDER_PATH, { accept: 'application/json' })).status).toBe(404)
    expect(await (await plain.get('/api2/session')).json()).toMatchObject({ provider: null })
    await plain.close()
  })
})

test('no line of the log holds a secret, a code or a cookie', () => {
  const logged = [service, mistaken, alone].flatMap((each) => each.logged).join('')
  expect(logged).toContain('/sign-in/provider/callback')
  expect(logged).not.toContain(CLIENT_SECRET)
  expect(logged).not.toMatch(/code=|state=|code_verifier|_sign_in=/)
})
