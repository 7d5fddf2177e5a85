// Our program as its users start it.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const PROGRAM = fileURLToPath(new URL('../../dist/bin/gazette.cjs', import.meta.url))

export function gazette(args, { dataDir, env = {}, stdout = 'pipe' }) {
  return spawn(process.execPath, [PROGRAM, ...args, '--data', dataDir], {
    stdio: ['ignore', stdout, 'pipe'],
    env: { ...process.env, PORT: '0', LOG_LEVEL: 'silent', ...env },
  })
}

/** Runs a command to its end; returns what it printed. @throws Error with what it said when it fails */
export async function finished(child) {
  const text = { out: '', error: '' }
  child.stdout?.setEncoding('utf8').on('data', (chunk) => (text.out += chunk))
  child.stderr.setEncoding('utf8').on('data', (chunk) => (text.error += chunk))
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`exit ${code}: ${text.error}`)
  return text.out.trim()
}

/** Waits for a line that matches; returns the match. */
export function lineOf(child, pattern) {
  return new Promise((resolve, reject) => {
    let text = ''
    const look = (chunk) => {
      text += chunk
      const match = pattern.exec(text)
      if (match) resolve(match)
    }
    child.stdout.on('data', look)
    child.stderr.on('data', look)
    child.once('close', (code) => reject(new Error(`exit ${code}: ${text}`)))
  })
}

export async function stop(child) {
  if (child.exitCode !== null) return
  const closed = once(child, 'close')
  child.kill('SIGTERM')
  await closed
}

/** The most memory that a process ever held, in bytes; polled, since it is gone with the process. Linux only. */
export function watchPeak(child) {
  let peak = 0
  const timer = setInterval(() => {
    try {
      const match = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))
      if (match) peak = Number(match[1]) * 1024
    } catch {
      // It has ended, or this is not Linux.
    }
  }, 20)
  child.once('close', () => clearInterval(timer))
  return () => peak
}
