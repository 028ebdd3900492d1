import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { afterEach, describe, expect, it } from 'vitest'
import { blocksOf, read, root } from './markdown.js'
import { clear, outputOf, runTypeScript, writeBlock, writeConfig } from './snippets.js'

const config = writeConfig('readme', 'standard')
const running: ChildProcess[] = []

afterEach(async () => {
  for (const child of running.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
})

function start(file: string, port = 0): ChildProcess {
  const child = runTypeScript(file, { config, env: { PORT: String(port) } })
  running.push(child)
  return child
}

async function firstLine(child: ChildProcess): Promise<string> {
  const lines = createInterface({ input: child.stdout as Readable })
  const [line] = await once(lines, 'line')
  return line
}

const urlIn = (line: string) => /http:\S+/.exec(line)?.[0] as string

describe('the README', () => {
  it('opens with examples/hello', () => {
    const [hello] = blocksOf('README.md')
    const file = (name: string) => readFileSync(join(root, 'examples/hello', name), 'utf8')
    const listen = 'await new App({ controllers: [UsersController] }).listen(3000)\n'
    const options = file('app.ts').match(/^\/\*\*.*\nexport const options = (.*)\n$/m)
    expect(options?.[1]).toBe('{ controllers: [UsersController] }')
    // One file on this page. There are two, so that tests can have the controller without the port.
    const single = file('app.ts')
      .replace('import { ', 'import { App, ')
      .replace(String(options?.[0]), listen)
    expect(hello?.text).toBe(single)
    expect(file('main.ts')).toMatch(/^await new App\(options\)\.listen\(3000\)$/m)
    expect(hello?.text.trim().split('\n').length).toBeLessThanOrEqual(25)
  })

  it('names only tasks that exist', () => {
    const scripts = JSON.parse(read('package.json')).scripts
    const named = [
      ...read('README.md').matchAll(/npm (?:run )?(start|test|build|bench|\w+:\w+)\b/g),
    ]
    expect(named.length).toBeGreaterThan(2)
    for (const [, name] of named) expect(scripts).toHaveProperty([name as string])
  })

  it('shows the answers of examples/hello', async () => {
    clear('readme/README.md')
    const [hello] = blocksOf('README.md')
    const listen = /^await (new App\(.*\))\.listen\(3000\)$/m
    expect(hello?.text).toMatch(listen)
    const text = hello?.text.replace(
      listen,
      (_, app) => `console.log('http://127.0.0.1:' + (await ${app}.listen(0)).port)`,
    ) as string
    const child = start(writeBlock('readme', { ...(hello as NonNullable<typeof hello>), text }))
    const url = urlIn(await firstLine(child))
    await compareAll(conversation('examples/hello/main.ts'), url)
  })
})

describe('npm start', () => {
  const main = join(root, 'examples/orders/main.ts')

  it('prints one line with URL, routes and boot time, and answers as the README shows', async () => {
    const child = start(main)
    const line = await firstLine(child)
    expect(line).toMatch(/^http:\/\/localhost:\d+ · 9 routes · ready in \d+ ms · docs at \S+$/)
    expect(read('README.md')).toMatch(
      /^http:\/\/localhost:3000 · 9 routes · ready in \d+ ms · docs at \S+$/m,
    )
    await compareAll(conversation('examples/orders/main.ts'), urlIn(line))
  })

  it.each(['SIGINT', 'SIGTERM'] as const)('ends cleanly on %s', async (signal) => {
    const child = start(main)
    await firstLine(child)
    child.kill(signal)
    const [status] = await once(child, 'exit')
    expect(status).toBe(0)
  })

  it('says in one line that the port is taken', async () => {
    const { port } = new URL(urlIn(await firstLine(start(main))))
    const second = start(main, Number(port))
    const output = outputOf(second)
    expect(await output).toBe(`Port ${port} is taken. Choose another: PORT=3001 npm start\n`)
    expect(second.exitCode).toBe(1)
  })
})

interface Exchange {
  readonly command: string
  readonly answer: string
}

/** The `$ curl …` lines below `<!-- server: file -->`, each with what is printed under it. */
function conversation(server: string): Exchange[] {
  const part = read('README.md')
    .split('<!-- server: ')
    .find((text) => text.startsWith(`${server} -->`))
  const consoles = [...(part ?? '').matchAll(/^```console\n(.*?)^```$/gms)].map(([, text]) => text)
  const exchanges = consoles.join('').split(/^\$ /m).slice(1)
  expect(exchanges.length).toBeGreaterThan(3)
  return exchanges.map((exchange) => {
    const [command = '', ...answer] = exchange.split('\n')
    return { command, answer: answer.join('') }
  })
}

async function compareAll(exchanges: readonly Exchange[], url: string): Promise<void> {
  for (const { command, answer } of exchanges) {
    const shown = JSON.parse(steady(answer))
    expect({ command, answer: JSON.parse(steady(await curl(command, url))) }).toEqual({
      command,
      answer: shown,
    })
  }
}

/** Puts a stand-in where every run has another value. */
function steady(text: string): string {
  return text
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
    .replace(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g, '<uuid>')
}

/** As much of curl as the README uses. */
async function curl(command: string, url: string): Promise<string> {
  const words = [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, word]) => quoted ?? word)
  const headers = new Headers()
  let [method, target, body]: (string | undefined)[] = []
  for (let i = 1; i < words.length; i++) {
    const word = words[i] as string
    if (word === '-X') method = words[++i]
    else if (word === '-H') headers.append(...(String(words[++i]).split(': ') as [string, string]))
    else if (word === '--json') {
      headers.set('Content-Type', 'application/json')
      body = words[++i]
    } else target = word.replace('localhost:3000', url)
  }
  method ??= body === undefined ? 'GET' : 'POST'
  const response = await fetch(target as string, { method, headers, body: body ?? null })
  return await response.text()
}
