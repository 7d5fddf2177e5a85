import { getJson, type JobView, request } from '../../core/api.ts'

/**
 * Requests a file as a job, and returns the job. It bypasses the browser's cache: a conditional request would be
 * answered with 304, and no job would start.
 *
 * @throws Problem
 */
export async function startJob(path: string): Promise<JobView> {
  const response = await request(path, { headers: { Prefer: 'respond-async' }, cache: 'no-store' })
  if (response.status === 202) return (await response.json()) as JobView
  // The file existed already: its ETag names the job.
  await response.body?.cancel()
  const planId = /"([0-9a-f]{64})/.exec(response.headers.get('etag') ?? '')?.[1]
  return getJson<JobView>(`/api2/jobs/x${planId}`)
}
