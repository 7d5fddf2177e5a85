import { ServiceError } from '../../model/errors.ts'
import { generic } from '../any-table/any-table.ts'
import { guessMapping, SCREEN_DOUBT } from '../any-table/guess-mapping.ts'
import { noteAssumed } from '../draft/draft.ts'
import { parseMapping } from '../reader/mapping.ts'
import type { Reader } from '../reader/reader.ts'
import { isInHdf5 } from '../text/part-text.ts'

/**
 * Reads the HDF5 files of PsychoPy's ioHub, whose fields have the same names for every tracker, and units that only the
 * values tell: by the mapping that is guessed for the first.
 */
export const psychopy: Reader = {
  name: 'psychopy',
  title: "PsychoPy's HDF5",
  heeds: ['kept', 'events'],
  recognises: (file, { mapping }) => mapping === null && isInHdf5(file),
  async *read(files, all, draft, options) {
    const guessed = await guessMapping(files[0], files)
    const text = JSON.stringify({ ...guessed, notes: [] })
    if (text.includes('"?"'))
      throw new ServiceError(
        'usage',
        `${files[0].name} cannot be read without a mapping, which gazette convert --guess proposes: ${guessed.notes.join('; ')}`,
      )
    for (const note of guessed.notes) if (note !== SCREEN_DOUBT) noteAssumed(draft, note)
    yield* generic.read(files, all, draft, { ...options, mapping: parseMapping(text, 'the guessed mapping') })
  },
}
