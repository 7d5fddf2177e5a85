import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Provider } from 'oidc-provider'

export const CLIENT_ID = 'gazette'
export const CLIENT_SECRET = 'a secret of the client, which nobody may see'

/** A real OpenID provider on loopback, whose people sign in without a form: whoever is `who` at that moment. */
export type Identities = {
  issuer: string
  who: string
  /** Makes it accept codes again, as some providers do. */
  takeCodesAgain: () => void
  close: () => Promise<void>
}

/** Listens, so that the issuer is known before the servers that trust it. */
export async function openIssuer(): Promise<{ issuer: string; server: Server }> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { issuer: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server }
}

/**
 * Starts the provider. It wants PKCE, and tells groups at its userinfo endpoint alone, as its conformance has it.
 *
 * @param people their groups by their names
 * @param urls of the servers that people sign in to
 */
export function startIdentities(
  { issuer, server }: { issuer: string; server: Server },
  people: Record<string, string[]>,
  urls: string[],
): Identities {
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT_ID,
        client_secret: CLIENT_SECRET,
        token_endpoint_auth_method: 'client_secret_post',
        redirect_uris: urls.map((url) => `${url}/sign-in/provider/callback`),
        post_logout_redirect_uris: urls.map((url) => `${url}/sign-in`),
      },
    ],
    cookies: { keys: ['of cookies'] },
    claims: { openid: ['sub'], profile: ['preferred_username', 'groups'] },
    features: {
      devInteractions: { enabled: false },
      rpInitiatedLogout: {
        // Its own page asks other hosts for a font.
        logoutSource: (ctx, form) => {
          ctx.body = `<!doctype html>${form}<button form="op.logoutForm" name="logout" value="yes">Yes</button>`
        },
      },
    },
    interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
    pkce: { required: () => true },
    findAccount: (_ctx, id) => ({
      accountId: id,
      claims: () => ({ sub: id, preferred_username: id, groups: people[id] ?? [] }),
    }),
    // Nobody is asked whether Gazette may know their groups.
    loadExistingGrant: async ({ oidc }) => {
      const grant = new oidc.provider.Grant({ accountId: oidc.session?.accountId, clientId: oidc.client?.clientId })
      grant.addOIDCScope('openid profile email')
      await grant.save()
      return grant
    },
  })
  const answer = provider.callback()
  const takeCodesAgain = () => {
    provider.AuthorizationCode.prototype.consume = async () => undefined
  }
  const identities = { issuer, who: '', takeCodesAgain, close: () => closed(server) }
  server.on('request', (req, res) => {
    if (!req.url?.startsWith('/interaction/')) return answer(req, res)
    const login = { accountId: identities.who }
    provider.interactionFinished(req, res, { login }, { mergeWithLastSubmission: false }).catch((error) => {
      res.statusCode = 500
      res.end(String(error))
    })
  })
  return identities
}

async function closed(server: Server): Promise<void> {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
}
