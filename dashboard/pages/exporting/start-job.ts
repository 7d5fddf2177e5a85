import { getJson, type JobView, request } from '../../core/api.ts'

/**
 * Asks for a file as a job, and returns the job. What the browser has kept of a download does not count: it would be
 * asked whether that has changed, which it never does, and no job would begin. Throws a Problem.
 */
export async function startJob(path: string): Promise<JobView> {
  const response = await request(path, { headers: { Prefer: 'respond-async' }, cache: 'no-store' })
  if (response.status === 202) return (await response.json()) as JobView
  // The file was there already: its job is named by its ETag.
  await response.body?.cancel()
  const planId = /"([0-9a-f]{64})/.exec(response.headers.get('etag') ?? '')?.[1]
  return getJson<JobView>(`/api2/jobs/x${planId}`)
}
