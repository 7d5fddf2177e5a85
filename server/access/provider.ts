import { readFileSync } from 'node:fs'
import type { Configuration } from 'openid-client'
import { ServiceError } from '../../engine/model/errors.ts'
import type { OidcConfig } from '../../engine/model/oidc-settings.ts'

/** Reasons for a failed sign-in at the provider; the dashboard has a sentence for each. */
type SignInFault = 'away' | 'misconfigured' | 'denied' | 'refused' | 'expired' | 'no-group'

/** A failed sign-in. `reason` is for the log and holds no secret. */
export class SignInError extends Error {
  readonly fault: SignInFault
  readonly reason: string

  constructor(fault: SignInFault, reason: string) {
    super(`${fault}: ${reason}`)
    this.fault = fault
    this.reason = reason
  }
}

/** Values that tie an answer of the provider to the browser that began the sign-in. */
export type Keys = { state: string; nonce: string; verifier: string }

/** Identity of the person who signed in, as the provider gives it. */
export type Identity = { subject: string; name: string; groups: string[] }

/** An OpenID Connect provider; each function throws a SignInError. */
export type Provider = {
  /** Returns where the person signs in: code with PKCE. */
  begin: (redirectUri: string, keys: Keys) => Promise<URL>
  /** Exchanges the returned code for tokens and verifies them: signature, issuer, audience, time, nonce. */
  finish: (callback: URL, keys: Keys) => Promise<Identity>
  /** Returns the provider's sign-out page; null if it has none. */
  leave: (returnTo: string) => Promise<URL | null>
}

const TIMEOUT_S = 5
/** Lifetime of the provider's metadata, whose keys and addresses may change. */
const KNOWN_FOR_MS = 3_600_000
const NAME_CHARACTERS_MAX = 200

/**
 * Opens a provider. Its metadata is fetched at the first sign-in, so an unavailable provider stops nothing else.
 *
 * @throws ServiceError invalid_setting if the file of the client secret cannot be read
 */
export function openProvider(config: OidcConfig): Provider {
  const secret = clientSecretOf(config)
  let known: { configuration: Promise<Configuration>; atMs: number } | null = null

  function discovered(): Promise<Configuration> {
    if (known !== null && performance.now() - known.atMs < KNOWN_FOR_MS) return known.configuration
    const configuration = discover(config, secret)
    known = { configuration, atMs: performance.now() }
    configuration.catch(() => {
      if (known?.configuration === configuration) known = null
    })
    return configuration
  }

  return {
    begin: (redirectUri, { state, nonce, verifier }) =>
      told(async ({ buildAuthorizationUrl, calculatePKCECodeChallenge }) =>
        buildAuthorizationUrl(await discovered(), {
          redirect_uri: redirectUri,
          scope: config.scope,
          state,
          nonce,
          code_challenge: await calculatePKCECodeChallenge(verifier),
          code_challenge_method: 'S256',
        }),
      ),
    finish: (callback, { state, nonce, verifier }) =>
      told(async ({ authorizationCodeGrant, fetchUserInfo }) => {
        const configuration = await discovered()
        const tokens = await authorizationCodeGrant(configuration, callback, {
          pkceCodeVerifier: verifier,
          expectedState: state,
          expectedNonce: nonce,
          idTokenExpected: true,
        })
        let claims: Record<string, unknown> = tokens.claims() ?? {}
        const hasMore = configuration.serverMetadata().userinfo_endpoint !== undefined
        if (claimAt(claims, config.groupsClaim) === undefined && hasMore)
          claims = { ...claims, ...(await fetchUserInfo(configuration, tokens.access_token, String(claims.sub))) }
        return identityOf(claims, config.groupsClaim)
      }),
    leave: (returnTo) =>
      told(async ({ buildEndSessionUrl }) => {
        const configuration = await discovered()
        if (configuration.serverMetadata().end_session_endpoint === undefined) return null
        return buildEndSessionUrl(configuration, { post_logout_redirect_uri: returnTo })
      }),
  }
}

function clientSecretOf({ clientSecret, clientSecretFile }: OidcConfig): string {
  if (clientSecretFile === '') return clientSecret
  try {
    return readFileSync(clientSecretFile, 'utf8').trim()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new ServiceError('invalid_setting', `OIDC_CLIENT_SECRET_FILE cannot be read: ${code}`)
  }
}

/** Imports the library at the first sign-in, so servers without sign-ins do not load it. */
type Library = typeof import('openid-client')

async function discover({ issuer, clientId }: OidcConfig, secret: string): Promise<Configuration> {
  const { allowInsecureRequests, ClientSecretPost, discovery, enableNonRepudiationChecks, None } = await import(
    'openid-client'
  )
  const address = new URL(issuer)
  // The settings allow plain HTTP only on this machine.
  const execute = [enableNonRepudiationChecks, ...(address.protocol === 'http:' ? [allowInsecureRequests] : [])]
  const authentication = secret === '' ? None() : ClientSecretPost(secret)
  return discovery(address, clientId, undefined, authentication, { execute, timeout: TIMEOUT_S })
}

/** Runs one step of a sign-in, and maps its failure to a reason for the person and one for the log. */
async function told<T>(step: (library: Library) => Promise<T>): Promise<T> {
  try {
    return await step(await import('openid-client'))
  } catch (error) {
    throw new SignInError(faultOf(error), reasonOf(error))
  }
}

type Failure = { code?: string; error?: string; status?: number; message?: string; cause?: { code?: string } }

/** Error codes of an invalid answer; all others mean a missing or unreadable answer. */
const UNLIKE = ['OAUTH_JWT_', 'OAUTH_INVALID_RESPONSE', 'OAUTH_RESPONSE_IS_NOT_CONFORM', 'OAUTH_PARSE_ERROR']

function faultOf(error: unknown): SignInFault {
  const { code = '', error: told, status = 0 } = error as Failure
  if (code === 'OAUTH_AUTHORIZATION_RESPONSE_ERROR') return told === 'access_denied' ? 'denied' : 'refused'
  if (told === 'invalid_client' || told === 'unauthorized_client') return 'misconfigured'
  if (told !== undefined && status < 500) return 'refused'
  return UNLIKE.some((beginning) => code.startsWith(beginning)) ? 'refused' : 'away'
}

/** Describes an error for the log, without headers and bodies: only names of errors and messages of the library. */
function reasonOf(error: unknown): string {
  const { code, error: told, message, cause } = error as Failure
  return [code, told, message, cause?.code].filter(Boolean).join(', ')
}

function identityOf(claims: Record<string, unknown>, groupsClaim: string): Identity {
  const subject = String(claims.sub)
  const names = [claims.preferred_username, claims.name, claims.email, subject]
  const name = String(names.find((each) => typeof each === 'string' && each !== ''))
  const told = claimAt(claims, groupsClaim)
  const groups = (Array.isArray(told) ? told : [told]).filter((each): each is string => typeof each === 'string')
  return { subject, name: name.replace(/\p{C}/gu, ' ').slice(0, NAME_CHARACTERS_MAX), groups }
}

/** Finds a claim by its name, or by a path of names separated by dots. */
function claimAt(claims: Record<string, unknown>, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path]
  return path.split('.').reduce<unknown>((at, name) => {
    const isThere = typeof at === 'object' && at !== null && Object.hasOwn(at, name)
    return isThere ? (at as Record<string, unknown>)[name] : undefined
  }, claims)
}
