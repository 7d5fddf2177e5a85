import { request } from 'node:http'
import { describe, expect, test } from 'vitest'
import { readConfig } from '../../engine/model/settings.ts'
import { PROVIDER_PATH } from '../../server/access/provider-routes.ts'
import { gazette } from '../bin/gazette.ts'
import { kept } from '../engine/kept.ts'
import { CLIENT_ID, openIssuer, startIdentities } from './identities.ts'
import { shareTestServer } from './test-server.ts'

const ORIGIN = 'https://lab.example'
const issuer = await openIssuer()
const service = kept(
  await shareTestServer({
    OIDC_ISSUER: issuer.issuer,
    OIDC_CLIENT_ID: CLIENT_ID,
    OIDC_GROUPS: 'readers=read',
    TRUST_PROXY: '1',
    PUBLIC_URL: `${ORIGIN}/`,
  }),
)
const identities = kept(startIdentities(issuer, {}, [ORIGIN]))

type Answer = { status: number; headers: Record<string, string | string[] | undefined>; text: string }

/** Asks as the proxy does, with any `Host`. */
function ask(method: string, path: string, headers: Record<string, string>): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(
      service.url + path,
      { method, headers: { 'x-forwarded-proto': 'https', ...headers } },
      (res) => {
        let text = ''
        res.setEncoding('utf8').on('data', (more) => {
          text += more
        })
        res.on('end', () => resolve({ status: res.statusCode!, headers: res.headers, text }))
      },
    )
    sent.on('error', reject).end()
  })
}

describe('PUBLIC_URL', () => {
  test('makes cookies secure, and is the address of the clients, whatever a proxy says of the scheme', async () => {
    for (const scheme of ['', 'https,https', 'wss']) {
      const host = { host: 'lab.example', 'x-forwarded-proto': scheme }
      const { headers } = await ask('POST', '/api2/session', { ...host, 'x-auth-token': service.read })
      expect(String(headers['set-cookie'])).toMatch(/^__Host-gazette_session=[^;]+;.*Secure/)
    }
    expect((await ask('GET', '/clients/', { host: 'inside.example' })).text).not.toContain('inside.example')
  })

  test('decides where a provider sends people back to, and no other host begins a sign-in', async () => {
    const begun = await ask('GET', PROVIDER_PATH, { host: 'lab.example' })
    const there = new URL(String(begun.headers.location))
    expect(there.searchParams.get('redirect_uri')).toBe(`${ORIGIN}${PROVIDER_PATH}/callback`)
    expect(String(begun.headers['set-cookie'])).toMatch(/^__Host-gazette_session_sign_in=[^;]+;.* Path=\/;.*Secure/)
    const others: Record<string, string>[] = [
      { host: 'evil.example' },
      { host: 'lab.example', 'x-forwarded-host': 'evil.example' },
    ]
    for (const headers of others)
      for (const path of ['', '/callback?code=a&state=b', '/out']) {
        const { status, text } = await ask('GET', PROVIDER_PATH + path, headers)
        expect({ status, detail: JSON.parse(text).detail }).toEqual({
          status: 400,
          detail: `People sign in at ${ORIGIN}, and under no other host.`,
        })
      }
  })

  test('decides which page is our own: a session counts there alone, a token under any host', async () => {
    const signIn = (headers: Record<string, string>) =>
      ask('POST', '/api2/session', { 'x-auth-token': service.read, ...headers })
    const made = await signIn({ host: 'lab.example', origin: ORIGIN })
    expect(made.status).toBe(201)
    const [cookie] = String(made.headers['set-cookie']).split(';')
    expect(cookie).toMatch(/^__Host-gazette_session=/)
    expect((await signIn({ host: 'evil.example', origin: 'https://evil.example' })).status).toBe(401)
    expect((await signIn({ host: 'lab.example', origin: 'https://evil.example' })).status).toBe(401)
    const list = (headers: Record<string, string>) => ask('GET', '/api2/studies', headers)
    expect((await list({ host: 'lab.example', cookie })).status).toBe(200)
    expect((await list({ host: 'lab.example:443', cookie })).status).toBe(200)
    expect((await list({ host: 'evil.example', cookie })).status).toBe(401)
    expect((await list({ host: 'web:8080', 'x-auth-token': service.read })).status).toBe(200)
  })

  test('is needed where there is a provider or a proxy, and is an origin', async () => {
    const oidc = { OIDC_ISSUER: identities.issuer, OIDC_CLIENT_ID: CLIENT_ID, OIDC_GROUPS: 'readers=read' }
    const needs = (name: string) =>
      `${name} needs PUBLIC_URL, the address at which people reach this server, such as https://gazette.example.org`
    for (const PUBLIC_URL of [
      'lab.example',
      'http://lab.example',
      'https://lab.example/gazette',
      'https://a@lab.example',
    ])
      expect(() => readConfig({ PUBLIC_URL })).toThrow('PUBLIC_URL must be')
    for (const [settings, name] of [
      [oidc, 'OIDC_ISSUER'],
      [{ TRUST_PROXY: '1' }, 'TRUST_PROXY'],
    ] as const)
      expect(await gazette(['start', '--data', service.dataDir], settings)).toMatchObject({
        code: 2,
        stderr: `gazette: ${needs(name)}\n`,
      })
  })
})
