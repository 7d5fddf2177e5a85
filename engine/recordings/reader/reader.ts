import type { Batch } from '../bundle/batch.ts'
import type { Draft } from '../bundle/draft.ts'
import type { KeptColumns } from '../bundle/kept-facts.ts'
import type { SourceFile } from '../text/source-files.ts'
import type { Mapping } from './mapping.ts'

export type Screen = { widthPx: number; heightPx: number }

/** Patterns of an experiment's own messages; what their first group matches is a name. */
export type MessagePatterns = { trial: RegExp | null; end: RegExp | null; item: RegExp | null; onset: RegExp | null }

/** Options that the user adds to the files on the command line. */
export type ReadOptions = {
  /** One size for all. */
  screen: Screen | null
  /** Sizes by participants' names, which go before. */
  screens: Map<string, Screen> | null
  mapping: Mapping | null
  messages: MessagePatterns | null
  /** Matches messages that are events of their test; without it, none is. */
  events?: RegExp | null
  /** Columns that say something of a person. */
  kept: KeptColumns
  /** True if areas that the files name become AOIs. */
  hasAois: boolean
  /** Names of the items that pictures beside the recordings are of, by the pictures' names; null for none. */
  pictures: Map<string, string | null> | null
}

export const NO_OPTIONS: ReadOptions = {
  screen: null,
  screens: null,
  mapping: null,
  messages: null,
  kept: { tags: [], externalData: [] },
  hasAois: false,
  pictures: null,
}

/** A format of foreign recordings. */
export type Reader = {
  /** Name of the format, as given to `--format`. */
  name: string
  title: string
  /** Options that mean something to few formats, and do to this one. */
  heeds?: ('messages' | 'events' | 'hasAois' | 'kept')[]
  /**
   * Returns whether this file holds recordings in this format, by its content. Files that only accompany recordings do
   * not.
   */
  recognises: (file: SourceFile, options: ReadOptions) => boolean
  /**
   * Reads recordings, in bounded memory: tables and notes go into the draft, samples come in batches.
   *
   * @param files those that it recognises, in the order of their names
   * @param all every file that was given, to find what lies beside the recordings
   * @throws ServiceError invalid_bundle or usage, in one sentence that helps
   */
  read: (files: SourceFile[], all: SourceFile[], draft: Draft, options: ReadOptions) => AsyncGenerator<Batch>
}
