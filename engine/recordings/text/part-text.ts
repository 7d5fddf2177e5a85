import { ioHubTables, ioHubText } from '../hdf5/iohub-text.ts'
import { sheetsOf, sheetText } from '../workbook/sheet-text.ts'
import type { Sheet } from '../workbook/workbook.ts'

/** First bytes of a workbook, and of any zip archive; and of an HDF5 file. */
export const ZIP = 'PK\x03\x04'
const HDF5 = '\x89HDF'

/** Lists the tables in a workbook or in a file of PsychoPy's ioHub; null for any other file. */
export async function partsOf(magic: string, path: string, name: string): Promise<Sheet[] | null> {
  if (magic.startsWith(ZIP)) return sheetsOf(path, name)
  return magic.startsWith(HDF5) ? ioHubTables(path, name) : null
}

/** Returns whether a table lies in an HDF5 file: only there, parts begin with a slash. */
export const isInHdf5 = ({ sheet }: { sheet: string | null }) => sheet?.startsWith('/') === true

/** Yields a table in a workbook or an HDF5 file as text with tabs. */
export function partText(
  of: { path: string; name: string; sheet: string },
  onShare?: (share: number) => void,
): AsyncGenerator<Buffer> {
  return isInHdf5(of) ? ioHubText(of, onShare) : sheetText(of, onShare)
}
