import type { Samples } from '../compute/gaze.ts'
import type { ParticipantColumns } from '../model/study.ts'
import type {
  GivenEvent,
  GivenParticipant,
  GivenTest,
  GivenValidation,
  SampleMeasures,
} from '../snapshot/table-columns.ts'

/** A test as it arrives. Times are ascending or not, as recorded; what is lost is NaN, as everywhere. */
export type ArrivedTest = { given: GivenTest; samples: Samples; measured: SampleMeasures; events: GivenEvent[] }

/** A participant as it arrives: checked by itself, not yet against the study. */
export type Arrival = {
  participant: GivenParticipant
  /** Columns that it has besides the fixed ones. */
  columns: ParticipantColumns
  tests: ArrivedTest[]
  validations: GivenValidation[]
  sampleCount: number
  /** Bytes of the body, unpacked, and their SHA-256. */
  bytes: number
  content: string
}
