import { isIP } from 'node:net'

/** Location of objects: a bucket or a directory. */
export type StorePlace =
  | { kind: 'directory'; path: string }
  | {
      kind: 's3'
      bucket: string
      /** Prefix of keys: '', or ending in a slash. */
      prefix: string
      /** Undefined if the SDK finds it, in AWS_REGION or its configuration. */
      region: string | undefined
      endpoint: string | undefined
      pathStyle: boolean
    }

const OPTIONS = ['region', 'endpoint', 'pathStyle', 'allowHttp']

const OPTIONS_RULE = 'with ?region=, endpoint=, pathStyle=true or allowHttp=true behind it where needed'

/** Rule for the address of an object store, for use in sentences. */
export const STORE_URL_RULE = `s3://bucket/prefix, ${OPTIONS_RULE}, or file:///directory`

/** Rule for the address of one object. */
export const OBJECT_URL_RULE = `s3://bucket/name, ${OPTIONS_RULE}, and without credentials`

/**
 * Parses the address of objects, such as `s3://bucket/prefix?region=eu-central-1`; null if it is invalid. It cannot
 * contain credentials. An endpoint must use HTTPS, unless it is on this machine or has `allowHttp=true`.
 */
export function readStoreUrl(text: string): StorePlace | null {
  if (!URL.canParse(text)) return null
  const { protocol, hostname, pathname, searchParams, username, password, port, hash } = new URL(text)
  if (username || password || hash) return null
  const path = decoded(pathname)
  if (path === null) return null
  if (protocol === 'file:')
    return hostname === '' && path.length > 1 && !text.includes('?') ? { kind: 'directory', path } : null
  if (protocol !== 's3:' || port !== '' || !/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(hostname)) return null
  const options = [...searchParams.keys()]
  if (options.some((name) => !OPTIONS.includes(name)) || new Set(options).size < options.length) return null
  const flag = (name: string) => searchParams.get(name) ?? 'false'
  if (['pathStyle', 'allowHttp'].some((name) => !['true', 'false'].includes(flag(name)))) return null
  const endpoint = searchParams.get('endpoint') ?? undefined
  if (endpoint !== undefined && !isEndpoint(endpoint, flag('allowHttp') === 'true')) return null
  const prefix = path.replace(/^\/+|\/+$/g, '')
  if (prefix.split('/').some((part) => part.startsWith('.')) || prefix.includes('//')) return null
  return {
    kind: 's3',
    bucket: hostname,
    prefix: prefix === '' ? '' : `${prefix}/`,
    region: searchParams.get('region') ?? undefined,
    endpoint,
    pathStyle: flag('pathStyle') === 'true',
  }
}

function isEndpoint(text: string, allowsHttp: boolean): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname, username, password, pathname, search, hash } = new URL(text)
  if (username || password || search || hash || pathname !== '/') return false
  return protocol === 'https:' || (protocol === 'http:' && (allowsHttp || isHere(hostname)))
}

function isHere(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || (isIP(hostname) === 4 && hostname.startsWith('127.'))
}

function decoded(path: string): string | null {
  try {
    return decodeURIComponent(path)
  } catch {
    return null
  }
}
