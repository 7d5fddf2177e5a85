import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/**
 * Returns the path of a compiled thread or process beside a module, also when that runs as TypeScript, which Node 20
 * cannot load by itself.
 *
 * @param url of the module, below engine/ or worker/
 * @param name such as `./export-thread.js`
 */
export function threadFile(url: string, name: string): string {
  const compiled = fileURLToPath(new URL(name, url))
  return existsSync(compiled)
    ? compiled
    : fileURLToPath(new URL(name, url.replace(/\/(engine|worker)\/(?!.*\/(?:engine|worker)\/)/, '/dist/$1/')))
}
