import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import * as blazon from '../../src/index.js'
import { compareAll, conversation } from './conversation.js'
import { blocksOf, read, root } from './markdown.js'
import { endAll, firstLine, ORDERS, start, tokensOfTour, urlIn } from './servers.js'
import { clear, outputOf, writeBlock } from './snippets.js'

afterEach(endAll)

describe('the README', () => {
  it('begins with the code of examples/hello', () => {
    const [hello] = blocksOf('README.md').filter(({ info }) => info === 'ts')
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

  it('names only npm scripts that exist', () => {
    const scripts = JSON.parse(read('package.json')).scripts
    const named = [
      ...read('README.md').matchAll(/npm (?:run )?(start|test|build|bench|\w+:\w+)\b/g),
    ]
    expect(named.length).toBeGreaterThan(2)
    for (const [, name] of named) expect(scripts).toHaveProperty([name as string])
  })

  it('states that WebSocket decorators, GraphQL and message brokers are missing', () => {
    expect(read('README.md')).toContain(
      'Blazon has no decorators for WebSockets, no GraphQL and no message brokers',
    )
    const { dependencies, exports } = JSON.parse(read('package.json'))
    const names = [...Object.keys(dependencies), ...Object.keys(exports), ...Object.keys(blazon)]
    expect(names.filter((name) => /websocket|\bws\b|graphql|amqp|kafka/i.test(name))).toEqual([])
  })

  it('shows the real boot error of examples/hello with a wrong path', async () => {
    clear('readme/mistake')
    const [shown] = blocksOf('README.md').filter(({ info }) => info === 'text')
    const source = read('examples/hello/app.ts')
    const text = `${source.replace("':id'", "':userId'").replace('export const', 'const')}
await (await import('blazon')).App.create(options).catch(({ message }) => console.log(message))\n`
    const child = start(
      writeBlock('readme/mistake', { ...(shown as NonNullable<typeof shown>), text }),
    )
    expect((await outputOf(child)).trim()).toBe(shown?.text.trim())
  })

  it('has at most six links', () => {
    expect([...read('README.md').matchAll(/(?<!!)\[[^\]]*\]\(/g)].length).toBeLessThanOrEqual(6)
  })

  it('shows the real responses of examples/hello', async () => {
    clear('readme/README.md')
    const [hello] = blocksOf('README.md').filter(({ info }) => info === 'ts')
    const listen = /^await (new App\(.*\))\.listen\(3000\)$/m
    expect(hello?.text).toMatch(listen)
    const text = hello?.text.replace(
      listen,
      (_, app) => `console.log('http://127.0.0.1:' + (await ${app}.listen(0)).port)`,
    ) as string
    const child = start(writeBlock('readme', { ...(hello as NonNullable<typeof hello>), text }))
    const url = urlIn(await firstLine(child))
    await compareAll(conversation('README.md', 'examples/hello/main.ts'), { 3000: url })
  })
})

describe('npm start', () => {
  const folder = mkdtempSync(join(tmpdir(), 'blazon-readme-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  const startOrders = (env: Record<string, string> = {}) =>
    start(ORDERS, { DATABASE_FOLDER: join(folder, randomUUID()), ...env })

  // Two copies of the package are two of everything in it: of who a request is for, too.
  it('loads every entry point of the package from dist/', async () => {
    const doors = Object.keys(JSON.parse(read('package.json')).exports)
      .filter((door) => door !== './package.json')
      .map((door) => door.replace(/^\./, 'blazon'))
    const program = `for (const door of ${JSON.stringify(doors)}) console.log(import.meta.resolve(door))`
    const args = ['--import', 'tsx', '--input-type=module', '--eval', program]
    const found = (await outputOf(spawn(process.execPath, args, { cwd: root }))).trim().split('\n')
    expect(found).toHaveLength(doors.length)
    const built = pathToFileURL(join(root, 'dist/')).href
    expect(found.filter((url) => !url.startsWith(built))).toEqual([])
  })

  it('logs URL, number of routes and boot time in one line, and responds as the tour shows', async () => {
    const child = startOrders()
    const line = await firstLine(child)
    const text =
      'Listening on http://localhost:PORT with 14 routes, started in TIME ms; documentation: http://localhost:PORT/api-docs'
    const plain = (one: string) =>
      one.replace(/:\d+(?=[ /])/g, ':PORT').replace(/\d+ ms/, 'TIME ms')
    expect(plain(JSON.parse(line).message)).toBe(text)
    const shown = read('docs/tour.md').match(/ INFO {2}(Listening.*) url=/)?.[1]
    expect(plain(shown as string)).toBe(text)
    const exchanges = conversation('docs/tour.md', 'examples/orders/main.ts')
    await compareAll(exchanges, { 3000: urlIn(line) }, await tokensOfTour())

    // A second program on the same port ends, and the first one still responds to a signal.
    const { port } = new URL(urlIn(line))
    const second = startOrders({ PORT: port })
    // Beside the lines about the migrations of its own database.
    const lines = (await outputOf(second)).split('\n').filter((each) => !/"Migrated"/.test(each))
    expect(lines).toEqual([`Port ${port} is in use. Choose another one: PORT=3001 npm start`, ''])
    expect(second.exitCode).toBe(1)
    child.kill('SIGINT')
    expect(await once(child, 'exit')).toEqual([0, null])
  })

  it('prints TOKEN_SECRET as the name of the missing variable in production', async () => {
    const child = startOrders({ NODE_ENV: 'production', TOKEN_SECRET: '' })
    const output = await outputOf(child)
    expect(output).toContain('[E_ENV_INVALID] TOKEN_SECRET')
    expect(child.exitCode).toBe(1)
  })

  it('prints the reason if the database cannot be reached', async () => {
    const child = start(ORDERS, { DATABASE_URL: 'postgres://shop:s3cret@127.0.0.1:1/orders' })
    const output = await outputOf(child)
    expect(output).toContain('The database cannot be reached: connect ECONNREFUSED 127.0.0.1:1.')
    expect(output).not.toContain('s3cret')
    expect(child.exitCode).toBe(1)
  })
})
