import { readFileSync } from 'node:fs'

// Three folders up from dist/engine/model, two from engine/model.
const url = import.meta.url.includes('/dist/') ? '../../../package.json' : '../../package.json'

/** Gazette's version, which is in every plan and in every CSV's notes. */
export const VERSION: string = JSON.parse(readFileSync(new URL(url, import.meta.url), 'utf8')).version
