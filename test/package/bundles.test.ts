import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import type { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { signTestToken } from '../../src/integrations/jwt/index.js'
import { Project } from '../cli/project.js'
import { blocksOf } from '../docs/markdown.js'
import { root } from '../root.js'

const PLUGINS = ['commonjs', 'json', 'node-resolve'].map((name) => `@rollup/plugin-${name}`)

const TOKEN_SECRET = randomBytes(32).toString('hex')
const CLAIMS = { aud: 'project-name', sub: 'ada', permissions: ['notes:write'] }

/** The application of the template `service`, and what else the framework loads later. */
const MORE = `
import { Cache, Controller, Get, Post, type Request } from 'blazon'
import { z } from 'zod'

const Place = z.object({ x: z.int(), at: z.email() }).meta({ examples: [{ x: 'left' }] })
const Plain = { type: 'object', required: ['n'], properties: { n: { type: 'integer' } } }

@Controller('more')
export class MoreController {
  @Get('broken')
  broken() {
    throw new Error('broken on purpose')
  }

  @Cache({ ttl: 60 })
  @Get('cached')
  cached() {
    return Math.random()
  }

  @Post('plain', { body: Plain })
  plain({ body }: Request) {
    return body
  }

  @Post('place', { body: Place })
  place({ body }: Request) {
    return body
  }
}
`
const MAIN = `
import { App } from 'blazon'
import { options } from './app.js'
import { MoreController } from './more-controller.js'

const controllers = [...options.controllers, MoreController]
const security = { cors: true }
// The template serves no page in production.
const swagger = { ...options.swagger, enabled: true }
const app = new App({ ...options, controllers, security, swagger, logs: true })
async function main() {
  const { status } = await app.fetch(new Request('http://localhost/livez'))
  const place = { host: '127.0.0.1', signals: true, announce: false }
  const { port } = await app.listen(0, place)
  console.log(JSON.stringify({ fetched: status, port }))
}
void main()
`
const VALIBOT = `
import { App, Controller, Post, type Request } from 'blazon'
import { toJsonSchema } from '@valibot/to-json-schema'
import * as v from 'valibot'

@Controller('words')
class WordsController {
  @Post('', { body: v.object({ word: v.pipe(v.string(), v.minLength(2)) }) })
  add({ body }: Request) {
    return body
  }
}

async function main() {
  for (const converters of [{}, { valibot: (schema: never) => toJsonSchema(schema) }]) {
    const app = new App({ controllers: [WordsController], swagger: { converters } })
    const init = { method: 'POST', body: '{"word":"a"}', headers: { 'content-type': 'application/json' } }
    const { status } = await app.fetch(new Request('http://localhost/words', init))
    console.log(status, JSON.stringify(app.document).includes('"minLength":2'))
  }
}
void main()
`

const PEERS = `
import { App } from 'blazon'
import { otel } from 'blazon/otel'
import { postgres } from 'blazon/postgres'
import { redisCache } from 'blazon/redis'
import { typeorm } from 'blazon/typeorm'

const nowhere = '127.0.0.1:1'
const USES = {
  otel: () => ({ plugins: [otel()] }),
  pg: () => ({ plugins: [postgres({ url: 'postgres://' + nowhere + '/none' })] }),
  pglite: () => ({ plugins: [postgres({ embedded: 'data' })] }),
  redis: () => ({ cache: { store: redisCache({ url: 'redis://' + nowhere }) } }),
  typeorm: () => ({ plugins: [typeorm({ type: 'sqljs' })] }),
}
async function main() {
  for (const [name, use] of Object.entries(USES)) {
    try {
      await new App({ ...use(), logger: false }).init()
      console.log(name, 'started')
    } catch (error) {
      console.log(name, /E_PEER_MISSING/.test(String(error)) ? 'E_PEER_MISSING' : 'connects')
    }
  }
  process.exit()
}
void main()
`

/** The commands and the configuration that docs/deploying.md shows. */
function documented(start: string): string {
  const found = blocksOf('docs/deploying.md').filter(({ text }) => text.includes(start))
  if (found.length === 0) throw new Error(`docs/deploying.md does not show ${start}`)
  return found.map(({ text }) => text).join('\n')
}

const project = new Project(['@valibot/to-json-schema', 'pg', 'redis', 'valibot', 'zod'])

/** Runs a command of the page, in the project, with the programs of this repository in place of those of `npx`. */
async function run(command: string): Promise<string> {
  const bins = [join(root, 'node_modules/.bin'), process.env['PATH']].join(delimiter)
  const text = command.replace(/^npx /, '')
  const env = { ...process.env, PATH: bins, NODE_OPTIONS: '' }
  const { stdout, stderr } = await promisify(execFile)('sh', ['-ec', text], {
    cwd: project.folder,
    env,
  })
  return stdout + stderr
}

/** One command of a shell block, whose lines may be continued. */
function commandOf(text: string, start: string): string {
  const commands = text.split(/(?<!\\)\n/)
  const found = commands.find((command) => command.startsWith('npx ') && command.includes(start))
  if (found === undefined) throw new Error(`No command with ${start}`)
  return found
}

beforeAll(async () => {
  for (const name of PLUGINS) project.install(name, join(root, 'test/package/node_modules', name))
  cpSync(join(root, 'templates/service/src'), project.path('src'), { recursive: true })
  project.write({
    'package.json': { type: 'module' },
    'src/more-controller.ts': MORE,
    'src/main.ts': MAIN,
    'src/peers.ts': PEERS,
    'src/valibot.ts': VALIBOT,
    'rollup.config.mjs': documented('// rollup.config.mjs'),
  })
  // What tsc writes, in less time.
  await run('npx esbuild src/*.ts --outdir=dist --format=esm --target=es2022 --sourcemap')
})
afterAll(() => project.remove())

/** A folder with a bundle, its map, and nothing else. */
function alone(file: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'bundle-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const name of [file, `${file}.map`]) cpSync(project.path(`dist/${name}`), join(folder, name))
  return folder
}

class Running {
  readonly child: ChildProcess
  output = ''

  constructor(file: string) {
    const env = {
      PATH: process.env['PATH'],
      NODE_ENV: 'production',
      TOKEN_SECRET,
    }
    const args = ['--enable-source-maps', file]
    this.child = spawn(process.execPath, args, { cwd: alone(file), env, stdio: 'pipe' })
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.output += text
      })
    }
    onTestFinished(() => void this.child.kill('SIGKILL'))
  }

  async started(): Promise<{ readonly fetched: number; readonly url: string }> {
    const lineOf = () => this.output.split('\n').find((each) => each.includes('"port"'))
    const closed = once(this.child, 'close')
    while (lineOf() === undefined && this.child.exitCode === null) {
      await Promise.race([closed, once(this.child.stdout as Readable, 'data')])
    }
    const line = lineOf()
    if (line === undefined) throw new Error(this.output)
    const { fetched, port } = JSON.parse(line)
    return { fetched, url: `http://127.0.0.1:${port}` }
  }
}

const ESBUILD = documented('npx esbuild src/main.ts')
const KINDS: Readonly<Record<string, readonly [command: () => string, file: string]>> = {
  'esbuild, as an ES module': [() => commandOf(ESBUILD, '--format=esm'), 'bundle.mjs'],
  'esbuild, as CommonJS': [() => commandOf(ESBUILD, '--format=cjs'), 'bundle.cjs'],
  'Rollup, as an ES module': [() => commandOf(documented('npx rollup'), 'rollup -c'), 'bundle.mjs'],
  'Rollup, as CommonJS': [() => commandOf(documented('npx rollup'), '--format cjs'), 'bundle.cjs'],
}

describe.each(Object.entries(KINDS))('an application in one file (%s)', (_, [command, file]) => {
  let said = ''
  beforeAll(async () => {
    rmSync(project.path(`dist/${file}`), { force: true })
    said = await run(command())
  })

  it('is built without a warning and includes every module that it loads', () => {
    // Rollup also warns of cycles and comments inside packages.
    expect(said).not.toMatch(/warning|unresolved|not exported/i)
    const text = readFileSync(project.path(`dist/${file}`), 'utf8')
    expect(text.match(/\bimport\(['"](?!node:|\.)[^)]*\)/g) ?? []).toEqual([])
    expect(existsSync(project.path(`dist/${file}.map`))).toBe(true)
  })

  it('starts without node_modules, and supports all its features', async () => {
    const service = new Running(file)
    const { fetched, url } = await service.started()
    expect(fetched).toBe(200)
    const headers = {
      'content-type': 'application/json',
      authorization: `Bearer ${signTestToken(CLAIMS, TOKEN_SECRET)}`,
    }
    const post = async (path: string, body: unknown, others: object = {}) => {
      const init = {
        method: 'POST',
        headers: { ...headers, ...others },
        body: JSON.stringify(body),
      }
      const response = await fetch(url + path, init)
      return { ...((await response.json()) as object), status: response.status }
    }
    expect(await post('/notes', { text: 'Buy milk' })).toMatchObject({
      status: 201,
      data: { id: 1 },
    })
    expect(await post('/notes', { text: '' })).toMatchObject({
      status: 400,
      code: 'VALIDATION_FAILED',
    })
    expect((await post('/notes', {}, { authorization: '' })).status).toBe(401)
    expect(await post('/more/plain', { n: 'x' })).toMatchObject({
      status: 400,
      errors: [{ path: 'n' }],
    })
    expect((await post('/more/place', { x: 1, at: 'a@b.cd' })).status).toBe(200)
    const twice = [await fetch(`${url}/more/cached`), await fetch(`${url}/more/cached`)]
    expect(twice.map((each) => each.headers.get('x-cache'))).toEqual(['MISS', 'HIT'])
    expect(twice[0]?.headers.get('access-control-allow-origin')).toBe('*')
    expect(twice[0]?.headers.get('x-frame-options')).toBe('SAMEORIGIN')
    expect((await fetch(`${url}/readyz`)).status).toBe(200)

    const page = await (await fetch(`${url}/api-docs`)).text()
    expect([page.includes('project-name'), page.includes('swagger-ui-bundle')]).toEqual([
      true,
      false,
    ])
    const document = await (await fetch(`${url}/api-docs.json`)).text()
    expect([document.includes('"maxLength":1000'), document.includes('left')]).toEqual([
      true,
      false,
    ])
    expect(await (await fetch(`${url}/api-docs.yaml`)).text()).toContain('maxLength: 1000')

    const broken = await fetch(`${url}/more/broken`)
    expect([broken.status, await broken.json()]).toMatchObject([500, { statusCode: 'error' }])
    service.child.kill('SIGTERM')
    expect(await once(service.child, 'close')).toEqual([0, null])
    // Rollup maps to what it has read: the files that the compiler has written.
    expect(service.output).toMatch(/broken on purpose.*\/more-controller\.[jt]s:\d+/)
  })
})

/** Bundles another file of the project with esbuild, and returns what the bundle prints. */
async function outputOf(name: string, options = ''): Promise<string> {
  const command = commandOf(ESBUILD, '--format=esm').replace('main.ts', `${name}.ts`).trim()
  await run(`${command.replace('bundle.mjs', `${name}.mjs`)} ${options}`)
  const service = new Running(`${name}.mjs`)
  await once(service.child, 'close')
  return service.output
}

describe('optional packages', () => {
  it('are included in the bundle, and reported at boot if they are missing', async () => {
    const outside = ['typeorm', '@electric-sql/pglite', '@opentelemetry/api'].map(
      (name) => `--external:${name}`,
    )
    const some = await outputOf('peers', [...outside, '--external:pg-native'].join(' '))
    expect(some.trim().split('\n')).toEqual([
      'otel E_PEER_MISSING',
      'pg connects',
      'pglite E_PEER_MISSING',
      expect.stringMatching(/^redis (connects|started)$/),
      'typeorm E_PEER_MISSING',
    ])
    const none = await outputOf('peers', [...outside, '--external:pg --external:redis'].join(' '))
    expect(none.match(/E_PEER_MISSING/g)).toHaveLength(5)
  })
})

describe('schemas that need another package for their description', () => {
  it('are reported at boot in a bundle, and can be described with swagger.converters', async () => {
    const output = await outputOf('valibot')
    expect(output).toContain('swagger.converters')
    expect(output).toMatch(/^400 false$/m)
    expect(output).toMatch(/^400 true$/m)
  })
})
