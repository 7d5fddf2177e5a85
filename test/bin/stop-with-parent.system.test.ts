import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { hasTerminals } from './gazette.ts'
import { startBy } from './npm-start.ts'

/** A terminal with one program in its foreground. SIGUSR1 types Ctrl-C; its own end closes the terminal. */
const TERMINAL = `
import os, pty, signal, sys
pid, terminal = pty.fork()
if pid == 0: os.execvp(sys.argv[1], sys.argv[1:])
signal.signal(signal.SIGUSR1, lambda *_: os.write(terminal, b"\\x03"))
while True:
  try: os.write(1, os.read(terminal, 4096))
  except OSError: break
os.waitpid(pid, 0)
`
const onTerminal = (...line: string[]) => ['python3', '-c', TERMINAL, ...line]
/** Runs its words as a job in the background. */
const JOB = '"$@" & wait'

test.each([
  // npm passes SIGTERM on to the script.
  ['SIGTERM', 'npm start alone', ['npm', 'start']],
  ['SIGTERM', 'npx in the background', ['npx', 'gazette', 'start']],
  ['SIGHUP', 'npx in the background', ['npx', 'gazette', 'start']],
  ['SIGKILL', 'npm under a supervisor that kills it alone', ['npm', 'start']],
  ['SIGINT', 'npm under a supervisor that interrupts it alone', ['npm', 'start']],
  ['SIGKILL', 'a script that started the program', ['sh', '-c', 'node dist/bin/gazette.cjs start; exit 0']],
] as const)('%s to %s ends the service and its token', async (signal, _, line) => {
  const { started, ended } = await startBy([...line])
  started.kill(signal)
  expect(await ended()).toBe(0)
})

test.skipIf(!hasTerminals).each([
  ['Ctrl-C', 'SIGUSR1', ['npm', 'start']],
  // Such a shell is replaced by the program that it runs, so that npm interrupts what the terminal has interrupted.
  ['Ctrl-C, where sh is bash,', 'SIGUSR1', ['npm', 'start', '--script-shell=bash']],
  ['closing the terminal', 'SIGKILL', ['npm', 'start']],
  ['closing the terminal of a job in the background', 'SIGKILL', ['bash', '--norc', '-ic', JOB, '-', 'npm', 'start']],
] as const)('%s ends the service and its token', async (_, signal, line) => {
  const { started, ended } = await startBy(onTerminal(...line))
  started.kill(signal)
  expect(await ended()).toBe(0)
})

test.each([
  ['nohup, which bash names', 'SIGHUP', ['bash', '-c', 'nohup node dist/bin/gazette.cjs start & wait']],
  ['setsid', null, ['sh', '-c', 'setsid node dist/bin/gazette.cjs start; exit 0']],
  ['DETACHED=on', 'SIGHUP', ['sh', '-c', 'DETACHED=on node dist/bin/gazette.cjs start; exit 0']],
] as const)('a service made one by %s outlives its parent, and ends by SIGTERM', async (_, hangup, line) => {
  const { started, pid, ended, answers } = await startBy([...line])
  started.kill('SIGKILL')
  if (hangup !== null) process.kill(pid, hangup)
  // For longer than it takes to notice that a parent has ended.
  for (let i = 0; i < 40; i++) {
    expect(await answers()).toBe(true)
    await setTimeout(50)
  }
  process.kill(pid, 'SIGTERM')
  expect(await ended()).toBe(0)
})
