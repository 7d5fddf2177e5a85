import type { Job } from '../../engine/jobs/record/job.ts'
import type { FilePlan } from '../../engine/model/plan.ts'
import type { World } from './world.ts'

/** Files of jobs as they lie, on the disk or in the bucket, for those who check. */

const ROOT = 'exports'

/** Returns the names of all files of all jobs, with their bytes. */
export function allJobFiles({ disk, bucket, isInBucket }: World): [path: string, bytes: Buffer | null][] {
  if (!isInBucket) return disk.everything().filter(([path]) => path.startsWith(`/${ROOT}/`))
  return [...bucket.objects].filter(([key]) => key.startsWith(`${ROOT}/`)).map(([key, bytes]) => [`/${key}`, bytes])
}

/** Reads a file of a job; null when there is none. The plan in a bucket is the one with the highest number. */
export function jobFile({ disk, bucket, isInBucket }: World, id: string, name: string): Buffer | null {
  if (!isInBucket) return disk.read(`/${ROOT}/${id}/${name}`)
  if (name !== 'plan.json') return bucket.objects.get(`${ROOT}/${id}/${name}`) ?? null
  const numbers = [...bucket.objects.keys()]
    .filter((key) => key.startsWith(`${ROOT}/${id}/`) && key.endsWith('.plan.json'))
    .map((key) => Number.parseInt(key.split('/')[2], 10))
  return bucket.objects.get(`${ROOT}/${id}/${Math.max(...numbers)}.plan.json`) ?? null
}

/** Reads the plan of a job; null when there is none. */
export function planOf(world: World, id: string): (Pick<Job, 'attempt'> & { plan: FilePlan }) | null {
  const text = jobFile(world, id, 'plan.json')
  return text && JSON.parse(text.toString())
}

/** Returns whether a job is gone, or its attempt has ended. */
export function isOver(world: World, id: string): boolean {
  const plan = planOf(world, id)
  return plan === null || jobFile(world, id, `${plan.attempt}.end.json`) !== null
}
