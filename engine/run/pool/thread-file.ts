import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/**
 * Returns the path of a compiled thread beside a module, also when that runs as TypeScript, which threads of Node 20
 * cannot load.
 *
 * @param url of the module, below engine/
 * @param name such as `./export-thread.js`
 */
export function threadFile(url: string, name: string): string {
  const compiled = fileURLToPath(new URL(name, url))
  return existsSync(compiled)
    ? compiled
    : fileURLToPath(new URL(name, url.replace(/\/engine\/(?!.*\/engine\/)/, '/dist/engine/')))
}
