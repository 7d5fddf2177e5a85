import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The compiled thread, also when this file runs as TypeScript, which threads of Node 20 cannot. @param name from engine/ on */
export function threadFile(name: string): string {
  const compiled = fileURLToPath(new URL(name, import.meta.url))
  return existsSync(compiled) ? compiled : fileURLToPath(new URL(`../dist/engine/${name}`, import.meta.url))
}
