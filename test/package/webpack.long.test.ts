import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import Terser from 'terser-webpack-plugin'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import webpack, { type Configuration } from 'webpack'
import { Project } from '../cli/project.js'
import { blocksOf } from '../docs/markdown.js'

const MAIN = `
import { App, Body, Cache, Controller, csv, Get, Post, Produces } from 'blazon'
import { z } from 'zod'

@Controller('notes')
class NotesController {
  @Cache({ ttl: 60 }) @Get('cached') cached() {
    return 1
  }
  @Body(z.object({ text: z.string().min(1) })) @Post() add({ body }) {
    return body
  }
  @Produces(csv(), 'application/json') @Get() list() {
    return [{ id: 1 }]
  }
  @Get('broken') broken() {
    throw new Error('broken on purpose')
  }
}

async function main() {
  const options = { controllers: [NotesController], logs: true, security: { cors: true }, health: true }
  const app = new App(options)
  const { port } = await app.listen(0, { host: '127.0.0.1', signals: true, announce: false })
  console.log('PORT ' + port)
}
main()
`

const project = new Project(['zod']).write({
  'package.json': { type: 'module' },
  'src/main.ts': MAIN,
})
const main = project.path('dist/main.js')

beforeAll(async () => {
  const from = project.path('src/main.ts')
  await build({ entryPoints: [from], outfile: main, format: 'esm', target: 'es2022' })
})
afterAll(() => project.remove())

/** The configuration of docs/deploying.md, with a minimizer in this process: others wait for idle processors. */
async function byWebpack(more: Configuration): Promise<void> {
  const [block] = blocksOf('docs/deploying.md').filter(({ text }) =>
    text.includes('// webpack.config.mjs'),
  )
  if (block === undefined) throw new Error('docs/deploying.md does not show webpack.config.mjs')
  project.write({ 'webpack.config.mjs': block.text })
  const { default: shown } = await import(pathToFileURL(project.path('webpack.config.mjs')).href)
  const minimizer = [new Terser({ parallel: false })]
  const path = project.path('dist/webpack')
  const config: Configuration = {
    ...shown,
    context: project.folder,
    optimization: { minimizer },
    ...more,
    output: { ...(more.output ?? shown.output), path },
  }
  const stats = await promisify((done: (error: Error | null, stats?: webpack.Stats) => void) =>
    webpack(config, done),
  )()
  expect(stats?.toJson({ all: false, errors: true }).errors).toEqual([])
}

async function byNcc(): Promise<void> {
  const command = createRequire(import.meta.url).resolve('@vercel/ncc/dist/ncc/cli.js')
  const args = [command, 'build', main, '-o', project.path('dist/ncc')]
  await promisify(execFile)(process.execPath, args, { cwd: project.folder })
}

// The ES module is minimized, which takes most of the time.
const COMMONJS = {
  experiments: {},
  output: { filename: 'main.cjs' },
  optimization: { minimize: false },
}

it.each([
  ['webpack, as an ES module', () => byWebpack({}), 'webpack', 'main.mjs'],
  ['webpack, as CommonJS', () => byWebpack(COMMONJS), 'webpack', 'main.cjs'],
  [
    'webpack, for development',
    () => byWebpack({ mode: 'development', devtool: false }),
    'webpack',
    'main.mjs',
  ],
  ['ncc', byNcc, 'ncc', 'index.js'],
] as const)('an application bundled by %s starts without node_modules', async (...row) => {
  const [, bundle, folder, file] = row
  rmSync(project.path(`dist/${folder}`), { recursive: true, force: true })
  await bundle()
  const { child, output, url } = await start(folder, file)
  const json = { 'content-type': 'application/json' }
  const post = { method: 'POST', headers: json, body: '{"text":""}' }
  expect((await fetch(`${url}/notes`, post)).status).toBe(400)
  expect(await (await fetch(`${url}/notes`)).text()).toBe('id\r\n1\r\n')
  const twice = [await fetch(`${url}/notes/cached`), await fetch(`${url}/notes/cached`)]
  expect(twice.map(({ headers }) => headers.get('x-cache'))).toEqual(['MISS', 'HIT'])
  expect(twice[0]?.headers.get('access-control-allow-origin')).toBe('*')
  expect(twice[0]?.headers.get('x-frame-options')).toBe('SAMEORIGIN')
  expect((await fetch(`${url}/notes/broken`)).status).toBe(500)
  expect((await fetch(`${url}/readyz`)).status).toBe(200)
  expect(await (await fetch(`${url}/api-docs.yaml`)).text()).toContain('minLength: 1')
  child.kill('SIGTERM')
  expect(await once(child, 'close')).toEqual([0, null])
  expect(output()).toContain('broken on purpose')
})

/** Starts a copy of a bundle, in a folder without packages. */
async function start(folder: string, file: string) {
  const alone = mkdtempSync(join(tmpdir(), 'bundle-'))
  onTestFinished(() => rmSync(alone, { recursive: true, force: true }))
  cpSync(project.path(`dist/${folder}`), alone, { recursive: true })
  const child: ChildProcess = spawn(process.execPath, [file], { cwd: alone, stdio: 'pipe' })
  onTestFinished(() => void child.kill('SIGKILL'))
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      printed += text
    })
  }
  const closed = once(child, 'close')
  while (!/^PORT \d+$/m.test(printed) && child.exitCode === null) {
    await Promise.race([closed, once(child.stdout as Readable, 'data')])
  }
  const [, port] = /^PORT (\d+)$/m.exec(printed) ?? []
  if (port === undefined) throw new Error(printed)
  return { child, output: () => printed, url: `http://127.0.0.1:${port}` }
}
