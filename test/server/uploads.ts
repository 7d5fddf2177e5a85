import { expect } from 'vitest'
import type { ImportView } from '../../server/schemas/import.ts'
import { type TestServer, until } from './test-server.ts'

/** The path of an upload, for a token that may write. */
export async function begin(service: TestServer, token: string, name: string, bytes: number): Promise<Response> {
  return fetch(`${service.url}/api2/uploads`, {
    method: 'POST',
    headers: {
      'x-auth-token': token,
      'tus-resumable': '1.0.0',
      'upload-length': String(bytes),
      'upload-metadata': `filename ${Buffer.from(name).toString('base64')}`,
    },
  })
}

export async function sendOn(
  service: TestServer,
  token: string,
  path: string,
  offset: number,
  bytes: Buffer,
): Promise<Response> {
  return fetch(service.url + path, {
    method: 'PATCH',
    headers: {
      'x-auth-token': token,
      'tus-resumable': '1.0.0',
      'upload-offset': String(offset),
      'content-type': 'application/offset+octet-stream',
    },
    body: bytes as BodyInit,
  })
}

/** Sends a file whole, and returns the id of the upload. */
export async function upload(service: TestServer, token: string, name: string, bytes: Buffer): Promise<string> {
  const begun = await begin(service, token, name, bytes.length)
  expect([begun.status, await begun.text()]).toEqual([201, ''])
  const path = begun.headers.get('location')!
  expect((await sendOn(service, token, path, 0, bytes)).status).toBe(204)
  return path.split('/').at(-1)!
}

export function askImport(service: TestServer, token: string, body: unknown, study?: string): Promise<Response> {
  return fetch(`${service.url}/api2/${study === undefined ? '' : `studies/${study}/`}imports`, {
    method: 'POST',
    headers: { 'x-auth-token': token, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
}

/** Asks for an import and waits for its end. */
export async function imported(service: TestServer, token: string, body: unknown, study?: string): Promise<ImportView> {
  const asked = await askImport(service, token, body, study)
  const text = await asked.text()
  expect([asked.status, text]).toEqual([202, text])
  const path = asked.headers.get('location')!
  return until(async () => {
    const view = (await (await service.get(path, { 'x-auth-token': token })).json()) as ImportView
    return view.finishedAt !== null && view
  })
}
