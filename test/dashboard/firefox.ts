import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { canRun } from '../programs.ts'

const FIREFOX = 'firefox-esr'
export const hasFirefox = canRun(FIREFOX, '--version')
if (!hasFirefox) console.warn(`The walk through Firefox is skipped: there is no ${FIREFOX}`)

const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf'
type Reference = Record<typeof ELEMENT, string>

/** A page in Debian's Firefox, which playwright does not drive: its remote control is Marionette, JSON over TCP. */
export type FirefoxPage = {
  goto: (url: string) => Promise<void>
  /** Runs the body of a function in the page. @returns its JSON, also of a promise */
  run: <T>(body: string, ...values: unknown[]) => Promise<T>
  /** Waits until an expression is true in the page. */
  waitFor: (expression: string) => Promise<void>
  /** Waits for a control by its CSS selector and its text, and clicks it as a mouse does. */
  click: (selector: string, text?: string) => Promise<void>
  type: (selector: string, text: string) => Promise<void>
  /** Keeps a picture of the window. */
  picture: (path: string) => Promise<void>
  close: () => Promise<void>
}

export async function openFirefox(): Promise<FirefoxPage> {
  const profile = await mkdtemp(join(tmpdir(), 'gazette-firefox-'))
  await writeFile(join(profile, 'user.js'), 'user_pref("marionette.port", 0);\n')
  const program = spawn(FIREFOX, ['--headless', '--marionette', '--profile', profile], { stdio: 'ignore' })
  const port = () => readFile(join(profile, 'MarionetteActivePort'), 'utf8').catch(() => '')
  await expect.poll(port).not.toBe('')
  const send = await openMarionette(Number(await port()))
  await send('WebDriver:NewSession', { capabilities: { alwaysMatch: {} } })
  await send('WebDriver:SetTimeouts', { script: 120_000, pageLoad: 120_000 })
  await send('WebDriver:SetWindowRect', { width: 1280, height: 900 })
  return pageOf(send, () => end(program, profile))
}

type Send = (command: string, parameters?: object) => Promise<{ value: unknown }>

function pageOf(send: Send, close: () => Promise<void>): FirefoxPage {
  const run = async <T>(body: string, ...values: unknown[]) =>
    (await send('WebDriver:ExecuteScript', { script: body, args: values })).value as T
  const find = async (selector: string, text = '') => {
    const body = `return [...document.querySelectorAll(arguments[0])]
      .find((each) => each.checkVisibility() && (each.ariaLabel ?? each.textContent).includes(arguments[1])) ?? null`
    await expect.poll(async () => (await run(body, selector, text)) !== null).toBe(true)
    return (await run<Reference>(body, selector, text))[ELEMENT]
  }
  return {
    run,
    goto: async (url) => void (await send('WebDriver:Navigate', { url })),
    waitFor: async (expression) => {
      await expect.poll(() => run(`return Boolean(${expression})`)).toBe(true)
    },
    click: async (selector, text) => void (await send('WebDriver:ElementClick', { id: await find(selector, text) })),
    type: async (selector, text) => void (await send('WebDriver:ElementSendKeys', { id: await find(selector), text })),
    picture: async (path) => {
      const { value } = await send('WebDriver:TakeScreenshot', { full: false })
      await writeFile(path, Buffer.from(value as string, 'base64'))
    },
    close,
  }
}

/** Connects to Marionette: each message is its length in bytes, a colon, and `[type, id, …]` as JSON. */
async function openMarionette(port: number): Promise<Send> {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  const waiting = new Map<number, { resolve: (result: { value: unknown }) => void; reject: (error: Error) => void }>()
  readMessages(socket, (message) => {
    if (!Array.isArray(message)) return
    const [, id, error, result] = message as [number, number, { message: string } | null, { value: unknown }]
    if (error === null) waiting.get(id)?.resolve(result)
    else waiting.get(id)?.reject(new Error(error.message))
    waiting.delete(id)
  })
  let last = 0
  return (command, parameters = {}) => {
    const id = ++last
    const text = JSON.stringify([0, id, command, parameters])
    socket.write(`${Buffer.byteLength(text)}:${text}`)
    return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }))
  }
}

function readMessages(socket: Socket, each: (message: unknown) => void): void {
  let bytes = Buffer.alloc(0)
  socket.on('data', (more: Buffer) => {
    bytes = Buffer.concat([bytes, more])
    for (;;) {
      const colon = bytes.indexOf(':')
      if (colon < 0) return
      const end = colon + 1 + Number(bytes.subarray(0, colon))
      if (bytes.length < end) return
      each(JSON.parse(bytes.subarray(colon + 1, end).toString()))
      bytes = bytes.subarray(end)
    }
  })
}

async function end(program: ChildProcess, profile: string): Promise<void> {
  program.kill()
  if (program.exitCode === null && program.signalCode === null) await once(program, 'exit')
  await rm(profile, { recursive: true, force: true, maxRetries: 9 })
}
