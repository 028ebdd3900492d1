import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { root } from './markdown.js'
import { runTypeScript, writeConfig } from './snippets.js'

/** What `npm start` runs. */
export const ORDERS: string = join(root, 'examples/orders/main.ts')

const config = writeConfig('readme', 'standard')
const running: ChildProcess[] = []

/** Nothing that a machine happens to have is used. */
const NOWHERE = { DATABASE_URL: '', REDIS_URL: '', PORT: '0' }

/** Runs a program that listens: on a port that is free, and on no server, unless told otherwise. */
export function start(file: string, env: Readonly<Record<string, string>> = {}): ChildProcess {
  const child = runTypeScript(file, { config, env: { ...NOWHERE, ...env } })
  running.push(child)
  return child
}

/** Ends all that was started. */
export async function endAll(): Promise<void> {
  for (const child of running.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
}

/** What a program prints first. Rejects where it ends without a word, with what it says of that. */
export async function firstLine(child: ChildProcess): Promise<string> {
  const lines = createInterface({ input: child.stdout as Readable })
  let complaint = ''
  child.stderr?.on('data', (text) => {
    complaint += text
  })
  const ended = once(child, 'close').then(([status]) => {
    throw new Error(`It ended with ${status}: ${complaint}`)
  })
  const [line] = await Promise.race([once(lines, 'line'), ended])
  return line
}

export const urlIn = (line: string): string => /http:\S+/.exec(line)?.[0] as string
