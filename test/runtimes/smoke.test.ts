import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { build } from 'esbuild'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { builtPackage } from '../cli/built-package.js'
import { root } from '../root.js'
import { HOW_TO_FETCH, otherRuntimes, ownRuntime, type Runtime } from './runtimes.js'

/** The first example of the README, which tells its port. */
function firstExample(): string {
  const [, code = ''] = /```ts\n(.*?)```/s.exec(readFileSync(join(root, 'README.md'), 'utf8')) ?? []
  const listens = "(0, { host: '127.0.0.1', announce: false })"
  const own = code.replace('await new App', 'const { port } = await new App')
  return `${own.replace('.listen(3000)', `.listen${listens}`)}\nconsole.log(port)\n`
}

/** A project in which the package is installed as npm would install it, in the folder of the repository for its dependencies. */
const cache = join(root, '.cache')
mkdirSync(cache, { recursive: true })
const project = mkdtempSync(join(cache, 'runtimes-smoke-'))
const modules = join(project, 'node_modules')
mkdirSync(modules)
cpSync(builtPackage(), join(modules, 'blazon'), { recursive: true })
symlinkSync(join(root, 'node_modules/zod'), join(modules, 'zod'), 'dir')
writeFileSync(join(project, 'package.json'), JSON.stringify({ type: 'module', private: true }))
writeFileSync(join(project, 'app.ts'), firstExample())
// Node and Deno run no decorators yet.
await build({
  absWorkingDir: project,
  entryPoints: ['app.ts'],
  outfile: join(project, 'app.js'),
  target: 'es2022',
  tsconfigRaw: {},
})
afterAll(() => rmSync(project, { recursive: true, force: true }))

/** Starts the example, and returns its URL. It ends with the test. */
async function start({ binary, args }: Runtime): Promise<string> {
  const child = spawn(binary, [...args, join(project, 'app.js')], {
    cwd: project,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(async () => {
    child.kill('SIGKILL')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  })
  for await (const line of createInterface({ input: child.stdout })) {
    return `http://127.0.0.1:${line}`
  }
  throw new Error('The example has ended before it has printed its port.')
}

async function send(url: string, body?: string): Promise<object> {
  const type = { 'Content-Type': 'application/json' }
  const response = await fetch(
    url,
    body === undefined ? {} : { method: 'POST', headers: type, body },
  )
  const { headers } = response
  return {
    status: response.status,
    type: headers.get('content-type'),
    // One of helmet's.
    options: headers.get('x-content-type-options'),
    body: await response.json(),
  }
}

const ALWAYS = { type: 'application/json; charset=utf-8', options: 'nosniff' }
const runtimes = Object.entries({ Node: ownRuntime(), ...otherRuntimes() })

describe.each(runtimes)('the first README example under %s', (name, runtime) => {
  if (runtime === null) console.warn(`Skipped: ${name} is not installed. ${HOW_TO_FETCH}`)

  it.skipIf(runtime === null)('responds with the expected status, headers and body', async () => {
    const users = `${await start(runtime as Runtime)}/users`
    expect(await send(`${users}/0`)).toMatchObject({
      ...ALWAYS,
      status: 200,
      body: { status: 200, data: { id: 0, name: 'Ada', email: 'ada@example.com' } },
    })
    expect(await send(users, '{"name":"Bo","email":"Bo@Example.com"}')).toMatchObject({
      ...ALWAYS,
      status: 201,
      body: { status: 201, data: { id: 1, name: 'Bo', email: 'bo@example.com' } },
    })
    expect(await send(users, '{"name":""}')).toMatchObject({
      ...ALWAYS,
      status: 400,
      body: { code: 'VALIDATION_FAILED', errors: [{ path: 'name' }, { path: 'email' }] },
    })
    expect(await send(users, '{"name":')).toMatchObject({
      ...ALWAYS,
      status: 400,
      body: { code: 'MALFORMED_JSON' },
    })
    expect(await send(`${users}/9`)).toMatchObject({ ...ALWAYS, status: 404 })
  })
})
