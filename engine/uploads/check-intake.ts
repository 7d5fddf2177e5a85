import { ServiceError } from '../model/errors.ts'
import type { FileFault } from '../storage/files/file-fault.ts'
import { namesIn } from '../storage/files/optional-files.ts'
import type { RecordsAt } from '../storage/records.ts'
import { importIds, readImport, readIntent, removeImport } from './import-job.ts'
import { readUploadFacts, removeUpload, uploadsDirectory } from './uploads.ts'

/**
 * Verifies the records of imports and uploads by their checksums. The bytes of an upload have no checksum before it is
 * imported.
 *
 * @returns number of checked files
 */
export async function checkIntake(
  dataDir: string,
  records: RecordsAt,
  tell: (fault: FileFault) => Promise<void>,
): Promise<number> {
  let files = 0
  const look = async (whose: string, read: () => Promise<unknown>, remove: () => Promise<string>) => {
    try {
      return (await read()) !== null
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'corrupt') throw error
      await tell({ sentence: `${whose}: ${error.message}.`, mend: remove })
      return true
    }
  }
  for (const id of await importIds(records)) {
    const remove = () =>
      removeImport(records, id).then(
        () => 'It is removed: look at the study, and ask for the import again if it is not there.',
      )
    for (const read of [readImport, readIntent])
      if (await look(`Import ${id}`, () => read(records, id), remove)) files++
  }
  for (const name of await namesIn(uploadsDirectory(dataDir))) {
    const [id, ending] = name.split('.')
    const remove = () => removeUpload(dataDir, id).then(() => 'It is removed: send the file again.')
    if (ending === 'json' && (await look(`Upload ${id}`, () => readUploadFacts(dataDir, id), remove))) files++
  }
  return files
}
