import type { Plugin } from 'vite'

/** Packages of one file whose constants are made by calls: without marks, all of them are kept for any one. */
const MARKED = /\/node_modules\/d3-[a-z-]+\/[^?]*\.mjs$/
const CONSTANT = /^var [\w$]+ = .*$/gm
const CALL = /(?<==\s|\(|, )(?=(new )?[\w$]+\(|\(function\b)/g

/** Marks calls that make the constants of such packages as pure, so that unused constants are left out. */
export function pureConstants(): Plugin {
  return {
    name: 'gazette-pure-constants',
    transform: (code, id) =>
      MARKED.test(id)
        ? { code: code.replace(CONSTANT, (line) => line.replace(CALL, '/*#__PURE__*/ ')), map: null }
        : null,
  }
}
