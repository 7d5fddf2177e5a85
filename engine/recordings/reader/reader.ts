import type { Batch } from '../draft/batch.ts'
import type { Draft } from '../draft/draft.ts'
import type { KeptColumns } from '../draft/kept-facts.ts'
import type { SourceFile } from '../text/source-files.ts'
import type { Mapping } from './mapping.ts'
import type { PathPattern } from './path-names.ts'

export type Screen = { widthPx: number; heightPx: number }

/** Patterns of an experiment's own messages; the first group of a match is a name. */
export type MessagePatterns = { trial: RegExp | null; end: RegExp | null; item: RegExp | null; onset: RegExp | null }

/** Options that the user adds to the files. */
export type ReadOptions = {
  /** One screen size for all. */
  screen: Screen | null
  /** Screen sizes by participants' names, which take precedence. */
  screens: Map<string, Screen> | null
  mapping: Mapping | null
  messages: MessagePatterns | null
  /** Pattern of the names in the paths of files. */
  path?: PathPattern | null
  /** Matches messages that are events of their test; without it, no message is. */
  events?: RegExp | null
  /** Columns of facts about a person. */
  kept: KeptColumns
  /** True if names of participants and items that differ only in spelling are one. */
  joinsNames?: boolean
  /** True if areas named in the files become AOIs. */
  hasAois: boolean
  /** Items of the pictures beside the recordings, by picture name; null for no item. */
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
  /** True if the recognised files only describe those with the samples. */
  hasSidecars?: boolean
  /** Options supported by this format that few formats support. */
  heeds?: ('messages' | 'events' | 'hasAois' | 'kept')[]
  /**
   * Returns whether a file holds recordings in this format, judged by its content. Files that only accompany recordings
   * do not count.
   */
  recognises: (file: SourceFile, options: ReadOptions) => boolean
  /**
   * Reads recordings in bounded memory: tables and notes go into the draft, samples come in batches.
   *
   * @param files files that the format recognises, in the natural order of their names
   * @param all every given file, to find companions of the recordings
   * @throws ServiceError invalid_bundle or usage, in one helpful sentence
   */
  read: (files: SourceFile[], all: SourceFile[], draft: Draft, options: ReadOptions) => AsyncGenerator<Batch>
}
