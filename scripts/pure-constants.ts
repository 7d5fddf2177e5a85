import type { Plugin } from 'vite'

/** Packages of one file whose constants are made by calls: without marks, all of them are kept for any one. */
const MARKED = /\/node_modules\/d3-scale-chromatic\/[^?]*\.mjs$/

/** Marks calls that make the constants of such packages as pure, so that unused constants are left out. */
export function pureConstants(): Plugin {
  return {
    name: 'gazette-pure-constants',
    transform: (code, id) =>
      MARKED.test(id) ? { code: code.replace(/^(var [\w$]+ = )(?=(new )?[\w$]+\()/gm, '$1/*#__PURE__*/ '), map: null } : null,
  }
}
