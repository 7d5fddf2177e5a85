import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { endJob } from '../../../engine/jobs/end-job.ts'
import { openJobs } from '../../../engine/jobs/open-jobs.ts'
import { requestJob, takeBackRequest } from '../../../engine/jobs/request-job.ts'
import { withdrawInterest } from '../../../engine/jobs/withdraw-job.ts'
import { jobId } from '../../../engine/model/plan.ts'
import { asked, failed, jobFixtureForEach, later, planOf, T0 } from './job-fixture.ts'

const fixture = jobFixtureForEach()
const { jobs } = fixture

const countOpen = async (tokenId: string) => (await jobs.unfinished.of(tokenId)).size
/** Waits until changes of other processes are visible. */
async function untilCount(tokenId: string, count: number): Promise<void> {
  const deadline = performance.now() + 30_000
  while ((await countOpen(tokenId)) !== count) {
    if (performance.now() > deadline) throw new Error('waited in vain')
    await sleep(25)
  }
}

describe('a request', () => {
  it('is one job for equal plans, whoever asks, and says who asked', async () => {
    const first = await requestJob(jobs, planOf(), asked('anna'))
    const second = await requestJob(openJobs(fixture.dataDir), planOf(), asked('ben'))
    expect(first).toMatchObject({ id: jobId(planOf()), attempt: 1, end: null, begun: true })
    expect(second).toMatchObject({ id: first.id, attempt: 1, begun: false, createdAt: T0.toISOString() })
    expect(await fixture.interested(first.id)).toEqual(['anna', 'ben'])
  })

  it('is begun once by 200 at once from three stores', async () => {
    const stores = [jobs, openJobs(fixture.dataDir), openJobs(fixture.dataDir)]
    const all = await Promise.all(
      Array.from({ length: 200 }, (_, i) => requestJob(stores[i % 3], planOf(), asked(`token-${i % 7}`))),
    )
    expect(all.filter(({ begun }) => begun)).toHaveLength(1)
    expect(new Set(all.map(({ id, attempt }) => `${id} ${attempt}`)).size).toBe(1)
    expect(await fixture.interested(all[0].id)).toHaveLength(7)
    expect(await fixture.names(all[0].id)).toEqual(['by', 'plan.json'])
  })

  it('is counted for its token until it ends', async () => {
    const { id } = await requestJob(jobs, planOf(), asked('anna'))
    await requestJob(jobs, planOf('b'.repeat(64)), asked('anna'))
    expect([await countOpen('anna'), await countOpen('ben')]).toEqual([2, 0])
    await endJob(jobs, id, 1, failed)
    expect(await countOpen('anna')).toBe(1)
  })

  it('is counted for its token as soon as it is asked for, taken back, withdrawn or begun anew', async () => {
    const plans = ['a', 'b', 'c'].map((letter) => planOf(letter.repeat(64)))
    const counts = []
    const records = []
    for (const plan of plans) {
      records.push(await requestJob(jobs, plan, asked('anna')))
      counts.push(await countOpen('anna'))
    }
    await requestJob(jobs, plans[0], asked('anna'))
    await requestJob(jobs, plans[0], asked('ben'))
    counts.push(await countOpen('anna'))
    await takeBackRequest(jobs, records[1], 'anna')
    counts.push(await countOpen('anna'))
    await withdrawInterest(jobs, records[2].id, 'anna', later(1))
    counts.push(await countOpen('anna'))
    await requestJob(jobs, plans[2], asked('anna', later(2)))
    counts.push(await countOpen('anna'))
    await withdrawInterest(jobs, records[0].id, 'all', later(3))
    counts.push(await countOpen('anna'), await countOpen('ben'))
    expect(counts).toEqual([1, 2, 3, 3, 2, 1, 2, 1, 0])
  })

  it('is counted also when another process began or ended it, a little later', async () => {
    const [other, third] = [openJobs(fixture.dataDir), openJobs(fixture.dataDir)]
    expect(await countOpen('anna')).toBe(0)
    const { id } = await requestJob(other, planOf(), asked('anna'))
    expect((await openJobs(fixture.dataDir).unfinished.of('anna', { fresh: true })).size).toBe(1)
    await untilCount('anna', 1)
    await endJob(third, id, 1, failed)
    await untilCount('anna', 0)
  })

  it('taken back leaves nothing, unless somebody else asked too', async () => {
    const record = await requestJob(jobs, planOf(), asked('anna'))
    await requestJob(jobs, planOf(), asked('ben'))
    await takeBackRequest(jobs, record, 'anna')
    expect(await fixture.interested(record.id)).toEqual(['ben'])
    await takeBackRequest(jobs, record, 'ben')
    expect(await jobs.storage.names('exports')).toEqual([])
  })

  it('taken back after a failed attempt brings the failure back', async () => {
    const { id } = await requestJob(jobs, planOf(), asked())
    await endJob(jobs, id, 1, failed)
    const again = await requestJob(jobs, planOf(), asked('anna', later(62_000)))
    expect(again).toMatchObject({ attempt: 2, end: null, begun: true })
    await takeBackRequest(jobs, again, 'anna')
    expect(await jobs.read(id)).toMatchObject({ attempt: 1, end: { state: 'failed' }, createdAt: T0.toISOString() })
  })

  it('of a token that is no file name is refused', async () => {
    await expect(requestJob(jobs, planOf(), asked('../anna'))).rejects.toThrow('safe in file names')
    expect(await jobs.read('../../etc')).toBeNull()
  })
})
