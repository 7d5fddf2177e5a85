import type { FormatName } from '../../engine/model/format-names.ts'
import type { Config } from '../../engine/model/settings.ts'
import type { Snapshot } from '../../engine/model/study.ts'
import type { ParameterOptions } from '../given/export-options.ts'

/** A study of which a product is made, and where it is written. */
export type Making = {
  snapshot: Snapshot
  format: FormatName
  output: string | undefined
  force: boolean
  signal: AbortSignal
  config: Config
}

/** Options of products, those of the tables among them. */
export type ProductOptions = ParameterOptions & { exports?: string; screenDistance?: string; screenSize?: string }
