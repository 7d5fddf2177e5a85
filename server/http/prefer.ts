import type { Request } from 'express'

/**
 * The preferences (RFC 7240) that are honoured; `applied` is the Preference-Applied of the answer, '' for none. Whether
 * `return=manifest` is applied depends on the export.
 */
type Preferences = {
  respondAsync: boolean
  waitSeconds: number | null
  returnsManifest: boolean
  applied: string
}

const WAIT_MAX_SECONDS = 60

/**
 * Parses the preferences of a request. Ignores unknown or malformed ones, as RFC 7240 requires; of several with one
 * name, the first counts.
 */
export function readPreferences(req: Request): Preferences {
  const given = new Map<string, string>()
  for (const part of (req.get('prefer') ?? '').split(',')) {
    const [name, value = ''] = part
      .split(';')[0]
      .split('=')
      .map((text) => text.trim())
    if (!given.has(name.toLowerCase())) given.set(name.toLowerCase(), value.replace(/^"(.*)"$/, '$1'))
  }
  const respondAsync = given.has('respond-async')
  const wait = given.get('wait') ?? ''
  const waitSeconds = /^\d{1,9}$/.test(wait) && Number(wait) <= WAIT_MAX_SECONDS ? Number(wait) : null
  const applied = [respondAsync ? 'respond-async' : '', waitSeconds === null ? '' : `wait=${waitSeconds}`]
  const returnsManifest = given.get('return') === 'manifest'
  return { respondAsync, waitSeconds, returnsManifest, applied: applied.filter((text) => text !== '').join(', ') }
}
