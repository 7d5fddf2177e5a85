import { removeParticipant, removeStudy } from '../engine/import/remove.ts'
import type { Config } from '../engine/model/settings.ts'

/** `gazette remove` */
export async function remove({
  study,
  participant,
  config,
}: {
  study: string
  participant?: string
  config: Config
}): Promise<void> {
  const { dataDir, engineThreads: threads, engineMemoryMib: memoryMib } = config
  if (participant === undefined) {
    await removeStudy({ dataDir, studyId: study, now: new Date() })
    console.error(`Study ${study} is removed, with all its exports.`)
  } else {
    await removeParticipant({
      dataDir,
      studyId: study,
      participantId: participant,
      now: new Date(),
      threads,
      memoryMib,
    })
    console.error(`Participant ${participant} is removed from study ${study}, with all exports that held them.`)
  }
}
