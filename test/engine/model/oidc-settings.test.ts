import { describe, expect, test } from 'vitest'
import { accessOf, isIssuer, readGroupRoles } from '../../../engine/model/oidc-settings.ts'
import { readConfig } from '../../../engine/model/settings.ts'

const [A, B] = ['0a000000-0000-4000-8000-000000000001', '0b000000-0000-4000-8000-000000000002']

describe('the groups of a provider', () => {
  test('are read with their roles and studies, whatever their names are', () => {
    expect(readGroupRoles(`lab admins=ops; cn=a,ou=b=read:${A},${B.toUpperCase()};x=write`)).toEqual([
      { name: 'lab admins', role: 'ops', studies: 'all' },
      { name: 'cn=a,ou=b', role: 'read', studies: [A, B] },
      { name: 'x', role: 'write', studies: 'all' },
    ])
  })
  test('may be for projects, whose names have escapes for what separates', () => {
    expect(readGroupRoles(`a=b=write:project:Lab 1: A%2CB%3b 5%25 %3D x,${A}; y=read:project:Lab 1`)).toEqual([
      { name: 'a=b', role: 'write', studies: ['project:Lab 1: A,B; 5% = x', A] },
      { name: 'y', role: 'read', studies: ['project:Lab 1'] },
    ])
  })
  test.each(['x=read:project:', 'x=read:project', 'x=read:project:A=read', 'x=read:project:5%', 'x=read:project:A%00'])(
    'are for no project in %j',
    (text) => expect(readGroupRoles(text)).toBeUndefined(),
  )
  test.each(['x', 'x=', '=read', 'x=owner', 'x=collect', 'x=read:', 'x=read:1', `x=read:${A},`, 'x=read;;y=read'])(
    'are not read from %j',
    (text) => expect(readGroupRoles(text)).toBeUndefined(),
  )
  test('give the highest role that one of them has, on the studies that come with it', () => {
    const groups = readGroupRoles(`r=read; a=read:${A}; b=read:${B}; w=write:${B}; o=ops`)!
    expect(accessOf(groups, ['none'])).toBeNull()
    expect(accessOf(groups, ['a', 'b'])).toEqual({ role: 'read', studies: [A, B] })
    expect(accessOf(groups, ['r', 'a'])).toEqual({ role: 'read', studies: 'all' })
    // Not all studies: only that group may write.
    expect(accessOf(groups, ['r', 'w'])).toEqual({ role: 'write', studies: [B] })
    expect(accessOf(groups, ['w', 'o'])).toEqual({ role: 'ops', studies: 'all' })
  })
})

describe('the settings of a provider', () => {
  test.each(['https://id.example/realms/lab', 'http://127.0.0.1:3000', 'http://localhost', 'http://[::1]:9'])(
    'take the issuer %s',
    (issuer) => expect(isIssuer(issuer)).toBe(true),
  )
  test.each([
    'http://id.example',
    'ftp://id.example',
    'id.example',
    'https://a:b@id.example',
    'http://127.0.0.1.nip.io',
  ])('do not take the issuer %s', (issuer) => expect(isIssuer(issuer)).toBe(false))
  test('belong together', () => {
    const oidc = { OIDC_ISSUER: 'https://id.example', OIDC_CLIENT_ID: 'gazette', OIDC_GROUPS: 'x=read' }
    expect(readConfig({}).oidc).toBeNull()
    expect(readConfig(oidc).oidc).toMatchObject({ scope: 'openid profile email', groupsClaim: 'groups' })
    expect(() => readConfig({ ...oidc, OIDC_GROUPS: '' })).toThrow(/OIDC_ISSUER needs OIDC_CLIENT_ID and OIDC_GROUPS/)
    expect(() => readConfig({ ...oidc, OIDC_SCOPE: 'profile' })).toThrow(
      /OIDC_SCOPE must be scopes separated by spaces, with openid/,
    )
    expect(() => readConfig({ ...oidc, OIDC_CLIENT_SECRET: 's', OIDC_CLIENT_SECRET_FILE: 'f' })).toThrow(/set one of/)
  })
})
