import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { dirname, join, relative } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { expect } from 'vitest'
import type { Variables } from './conversation.js'
import { blocksOf, read, root } from './markdown.js'
import { outputOf, pathsOfBuild, runTypeScript, writeConfig } from './snippets.js'

/** What `npm start` runs. */
export const ORDERS: string = join(root, 'examples/orders/main.ts')

/** What `npm run token` runs. */
const TOKEN = join(dirname(ORDERS), 'token.ts')

/** A program with an empty database starts as a copy of one. */
const imports = [join(root, 'test/docs/from-template.ts')]

const config = writeConfig('readme', 'standard', pathsOfBuild())
const running: ChildProcess[] = []

/** Nothing that a machine happens to have is used. */
const NOWHERE = { DATABASE_URL: '', REDIS_URL: '', PORT: '0' }

/** Runs a program that listens: on a port that is free, and on no server, unless told otherwise. */
export function start(file: string, env: Readonly<Record<string, string>> = {}): ChildProcess {
  const child = runTypeScript(file, { config, imports, env: { ...NOWHERE, ...env } })
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

/** The first line with a URL that a program prints or logs. Rejects where it ends without one, with what it says of that. */
export async function firstLine(child: ChildProcess): Promise<string> {
  const lines = [child.stdout, child.stderr].map(async (input) => {
    for await (const line of createInterface({ input: input as Readable })) {
      if (urlIn(line) !== undefined) return line
    }
    return await new Promise<never>(() => {})
  })
  let complaint = ''
  child.stderr?.on('data', (text) => {
    complaint += text
  })
  const ended = once(child, 'close').then(([status]) => {
    throw new Error(`It ended with ${status}: ${complaint}`)
  })
  // The program may end later, when nobody waits for its line any more.
  ended.catch(() => {})
  return await Promise.race([...lines, ended])
}

export const urlIn = (line: string): string => /http:[^\s"]+/.exec(line)?.[0] as string

/** The tokens that the tour sets as variables of the shell. */
export async function tokensOfTour(): Promise<Variables> {
  const { token } = JSON.parse(read('package.json')).scripts
  expect(token).toContain(relative(root, TOKEN))
  const block = blocksOf('docs/tour.md').find(({ text }) => text.includes('npm run --silent token'))
  const tokens: Record<string, string> = {}
  for (const line of block?.text.trim().split('\n') ?? []) {
    const [, variable = '', user = ''] =
      /^(\w+)=\$\(npm run --silent token (\w+)\)$/.exec(line) ?? []
    expect(user).not.toBe('')
    tokens[variable] = (await outputOf(runTypeScript(TOKEN, { config, args: [user] }))).trim()
  }
  return tokens
}
