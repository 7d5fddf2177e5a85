import { readFileSync } from 'node:fs'

// Two folders up from dist/engine, one from engine/: the first package.json on the way to the root is ours.
const url = import.meta.url.includes('/dist/') ? '../../package.json' : '../package.json'

/** Gazette's version, which is in every plan and in every CSV's notes. */
export const VERSION: string = JSON.parse(readFileSync(new URL(url, import.meta.url), 'utf8')).version
