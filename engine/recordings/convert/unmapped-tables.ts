import { type Draft, noteDoubt } from '../draft/draft.ts'
import { type Mapping, missingColumns, namedColumns } from '../reader/mapping.ts'
import { tableHead } from '../text/foreign-table.ts'
import type { SourceFile } from '../text/source-files.ts'

/** Reports tables that are left out, although they lack only some of the columns of the mapping. */
export function noteUnmapped(draft: Draft, files: SourceFile[], mapping: Mapping): void {
  const most = new Set(namedColumns(mapping)).size / 2
  const lacking = files.flatMap((file) => {
    const header = draft.usedFiles.has(file.name) ? undefined : tableHead(file)?.header
    const missing = header === undefined ? [] : [...new Set(missingColumns(header, mapping))]
    return missing.length > 0 && missing.length <= most ? [{ name: file.name, missing: missing.join(', ') }] : []
  })
  if (lacking.length === 0) return
  const [{ name, missing }] = lacking
  noteDoubt(
    draft,
    lacking.length === 1
      ? `${name} lacks ${missing} of the mapping, and is left out: if it holds a recording, import it with a mapping of its own and --append`
      : `${lacking.length.toLocaleString('en')} tables lack columns of the mapping, such as ${name} ${missing}, and are left out: if they hold recordings, import them with a mapping of their own and --append`,
  )
}
