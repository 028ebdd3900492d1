import { existsSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { DevRun, devProject, freePort, isAlive, MAIN, pidOf, value } from './dev-run.js'

const READY = 'blazon dev: ready'

/** Starts a project, and waits until it serves. */
async function serving(...args: Parameters<typeof DevRun.start>): Promise<DevRun> {
  const run = await DevRun.start(...args)
  await run.until(READY)
  return run
}

describe('blazon dev', () => {
  it('serves the new code after a save, from a new process on the same port', async () => {
    const project = devProject()
    const run = await serving(project)
    const before = await run.ask()
    expect(before.text).toMatch(/^one \d+$/)
    project.write({ 'value.js': value('two') })
    expect(await run.until(READY)).toContain('value.js changed')
    const after = await run.ask()
    expect(after.text).toMatch(/^two \d+$/)
    await expect.poll(() => isAlive(pidOf(before))).toBe(false)
  })

  it('runs a TypeScript application that starts a Blazon App', async () => {
    const source = (text: string) => `
      import { App, Controller, Get } from 'blazon'
      @Controller('texts')
      class Texts {
        @Get() list(): string { return '${text}' }
      }
      await new App({ controllers: [Texts] }).listen(Number(process.env.PORT))`
    const project = devProject({ 'src/main.ts': source('one') })
    const run = await serving(project, { args: ['--entry', 'src/main.ts'] })
    expect(JSON.parse((await run.ask('/texts')).text)).toMatchObject({ data: 'one' })
    project.write({ 'src/main.ts': source('two') })
    await run.until(READY)
    expect(JSON.parse((await run.ask('/texts')).text)).toMatchObject({ data: 'two' })
  })

  it('runs a TypeScript application that is compiled to CommonJS', async () => {
    const project = devProject({
      'package.json': { type: 'commonjs' },
      'tsconfig.json': { compilerOptions: { module: 'commonjs', target: 'es2022' } },
      'src/main.ts': `
      import { App, Controller, Get } from 'blazon'
      @Controller('texts')
      class Texts {
        @Get() list(): string { return 'one' }
      }
      void new App({ controllers: [Texts] }).listen(Number(process.env.PORT))`,
    })
    const run = await serving(project, { args: ['--entry', 'src/main.ts'] })
    expect(JSON.parse((await run.ask('/texts')).text)).toMatchObject({ data: 'one' })
  })

  it('serves the code of the last of twenty quick saves, from a single process', async () => {
    const project = devProject()
    const run = await serving(project)
    const pids = new Set([pidOf(await run.ask())])
    for (let save = 1; save <= 20; save++) {
      project.write({ 'value.js': value(`save-${save}`) })
      await pause(100)
      const pid = await run.ask().then(pidOf, () => null)
      if (pid !== null) pids.add(pid)
    }
    await expect.poll(async () => await textOf(run)).toMatch(/^save-20 /)
    const last = pidOf(await run.ask())
    pids.add(last)
    await expect.poll(() => [...pids].filter(isAlive)).toEqual([last])
    expect(run.output).not.toContain('EADDRINUSE')
  })

  it('lets a new process listen only after the old process has sent its responses and ended', async () => {
    const project = devProject({ 'main.js': SLOW_END })
    const run = await serving(project)
    const slow = run.ask('/slow')
    await run.until('slow request')
    project.write({ 'value.js': value('two') })
    const output = await run.until('listening: two')
    expect(output).toContain('one has ended')
    expect((await slow).text).toBe('slow one')
  })

  it('keeps the last running process if the new one fails', async () => {
    const failures: [what: string, file: string, text: string, shown: string[]][] = [
      ['a syntax error', 'main.js', `${MAIN}\nconst = 1`, ['SyntaxError', 'main.js:']],
      [
        'an error at boot',
        'value.js',
        'export const value = 1\nthrow new TypeError("no way")',
        ['TypeError: no way', 'value.js:2:7'],
      ],
      [
        'an unhandled rejection',
        'value.js',
        'export const value = 1\nPromise.reject(new Error("later"))\nawait new Promise(() => setInterval(() => {}, 1000))',
        ['Error: later', 'value.js:2'],
      ],
      [
        'a missing file',
        'value.js',
        "export { value } from './gone.js'",
        ['Cannot find module', 'gone.js'],
      ],
      [
        'an exit of the new process',
        'value.js',
        'export const value = 1; process.exit(3)',
        ['its process ended with status 3'],
      ],
    ]
    const project = devProject()
    const run = await serving(project)
    let served = 'one'
    for (const [what, file, text, shown] of failures) {
      project.write({ [file]: text })
      const output = await run.until('is still running')
      for (const part of shown) expect(output, what).toContain(part)
      expect((await run.ask()).text, what).toMatch(new RegExp(`^${served} `))
      served = `repaired after ${what}`
      project.write({ 'main.js': MAIN, 'value.js': value(served) })
      await run.until(READY)
      expect((await run.ask()).text).toMatch(new RegExp(`^${served} `))
    }
  })

  it('restarts the application when a file or folder given with --watch changes', async () => {
    const project = devProject({ 'views/page.html': 'one', 'a.yaml': '', 'b.yaml': '' })
    const run = await serving(project, { args: ['--watch', 'views', 'a.yaml'] })
    const first = pidOf(await run.ask())
    project.write({ 'b.yaml': 'other', 'views/page.html': 'two', 'views/.page.swp': 'half' })
    expect(await run.until('changed')).toMatch(/blazon dev: views[/\\]page\.html changed$/)
    await run.until(READY)
    expect(pidOf(await run.ask())).not.toBe(first)
    // A file in a folder that did not exist.
    project.write({ 'views/new/deep/part.html': 'new' })
    expect(await run.until('changed')).toMatch(/part\.html changed$/)
    await run.until(READY)
    rmSync(project.path('views'), { recursive: true })
    expect(await run.until('changed')).toContain('page.html')
    await run.until(READY)
    project.write({ 'views/page.html': 'back' })
    expect(await run.until('changed')).toMatch(/page\.html changed$/)
    await run.until(READY)
    project.write({ 'a.yaml': 'new' })
    expect(await run.until('changed')).toMatch(/a\.yaml changed$/)
  })

  it.each([
    ['JavaScript', 'main.js', 'parts/gone.js'],
    ['TypeScript', 'main.ts', 'parts/gone.ts'],
  ])('starts when a missing imported file is created, in %s', async (_, entry, file) => {
    const main = MAIN.replace('./value.js', './parts/gone.js')
    const project = devProject({ [entry]: main })
    const run = await DevRun.start(project, { args: ['--entry', entry] })
    await run.until('did not start')
    project.write({ [file]: value('created') })
    await run.until(READY)
    expect((await run.ask()).text).toMatch(/^created /)
  })

  it('reports that a process has crashed, and starts again at the next save', async () => {
    const crash = "setTimeout(() => { throw new Error('crashed') }, 300)"
    const project = devProject({ 'value.js': `${value('one')}${crash}` })
    const run = await serving(project)
    expect(await run.until('The application ended')).toContain('Error: crashed')
    await expect(run.ask()).rejects.toThrow()
    project.write({ 'value.js': value('two') })
    await run.until(READY)
    expect((await run.ask()).text).toMatch(/^two /)
  })
})

describe('saved files', () => {
  it('cause a restart only if their content is new', async () => {
    const project = devProject()
    const run = await serving(project)
    const { text } = await run.ask()
    utimesSync(project.path('value.js'), new Date(), new Date())
    project.write({ 'value.js': value('one'), 'main.js': MAIN, 'unrelated.js': 'x' })
    expect((await run.ask()).text).toBe(text)
    project.write({ 'value.js': value('two') })
    const output = await run.until(READY)
    expect(output.match(/changed/g)).toEqual(['changed'])
  })

  it('cause a restart even if they are renamed into place or emptied first', async () => {
    const project = devProject()
    const run = await serving(project)
    project.write({ 'value.js.tmp': value('two') })
    renameSync(project.path('value.js.tmp'), project.path('value.js'))
    await run.until(READY)
    expect((await run.ask()).text).toMatch(/^two /)
    writeFileSync(project.path('value.js'), '')
    await pause(20)
    writeFileSync(project.path('value.js'), value('three'))
    await expect.poll(() => textOf(run)).toMatch(/^three /)
    rmSync(project.path('value.js'))
    await pause(20)
    project.write({ 'value.js': value('four') })
    await expect.poll(() => textOf(run)).toMatch(/^four /)
  })

  it('cause a restart if their whole folder is replaced', async () => {
    const project = devProject({
      'main.js': MAIN.replace('./value.js', './lib/value.js'),
      'lib/value.js': value('one'),
      'other/value.js': value('two'),
    })
    const run = await serving(project)
    renameSync(project.path('lib'), project.path('old'))
    renameSync(project.path('other'), project.path('lib'))
    await expect.poll(() => textOf(run)).toMatch(/^two /)
    // The folder of now is watched.
    project.write({ 'lib/value.js': value('three') })
    await expect.poll(() => textOf(run)).toMatch(/^three /)
  })

  it('can be .env, but variables of the terminal take precedence over its values', async () => {
    const print = "import { value } from './value.js'\n"
    const project = devProject({
      '.env': 'GREETING=hello\nOTHER=file\n',
      'value.js': "export const value = process.env.GREETING + '-' + process.env.OTHER",
      'main.js': MAIN.replace(print, print),
    })
    const run = await serving(project, { env: { OTHER: 'terminal' } })
    expect((await run.ask()).text).toMatch(/^hello-terminal /)
    project.write({ '.env': 'GREETING=bye\n' })
    expect(await run.until(READY)).toContain('.env changed')
    expect((await run.ask()).text).toMatch(/^bye-terminal /)
  })

  it('can be CommonJS files', async () => {
    const project = devProject({
      'package.json': { type: 'commonjs' },
      'main.js': MAIN.replace(/import \{ (\w+) \} from (.*)/g, 'const { $1 } = require($2)'),
      'value.js': "exports.value = 'one'",
    })
    const run = await serving(project)
    project.write({ 'value.js': "exports.value = 'two'" })
    await run.until(READY)
    expect((await run.ask()).text).toMatch(/^two /)
  })
})

describe('ports', () => {
  it('stay the same after a restart, for each server', async () => {
    const project = devProject({
      'main.js': `
        import { createServer } from 'node:http'
        import { value } from './value.js'
        const listen = (name) => {
          const server = createServer((req, res) => res.end(name + ' ' + value))
          server.listen(0, '127.0.0.1', () => console.log(name + '=' + server.address().port + ';'))
        }
        listen('api')
        listen('metrics')`,
    })
    const run = await DevRun.start(project)
    const metrics = /metrics=(\d+);/.exec(
      (await run.until('metrics=')) + (await run.until(';')),
    )?.[1]
    const ask = async () => await (await fetch(`http://127.0.0.1:${metrics}`)).text()
    await expect.poll(ask).toBe('metrics one')
    expect((await run.ask()).text).toBe('api one')
    project.write({ 'value.js': value('two') })
    await run.until(`metrics=${metrics};`)
    await expect.poll(ask).toBe('metrics two')
    expect((await run.ask()).text).toBe('api two')
  })

  it('are reported if other programs use them', async () => {
    const other = createServer().listen(0)
    onTestFinished(() => void other.close())
    const { port } = other.address() as { port: number }
    const run = await DevRun.start(
      devProject({ 'main.js': MAIN.replace('Number(process.env.PORT)', `${port}`) }),
      {
        args: ['--port', String(port)],
      },
    )
    expect(await run.until('did not start')).toContain('EADDRINUSE')
  })

  it('given with --port replace only the port of the first server', async () => {
    const project = devProject({
      'main.js': `${MAIN.replace('Number(process.env.PORT)', '{ port: 1, exclusive: true }')}
        createServer().listen('second.sock', () => console.log('second'))`,
    })
    const run = await serving(project)
    expect((await run.ask()).text).toMatch(/^one /)
    await expect.poll(() => existsSync(project.path('second.sock'))).toBe(true)
  })
})

describe('a signal that ends blazon dev', () => {
  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('ends all processes: %s', async (signal) => {
    const project = devProject({
      'main.js': `${MAIN}
        import { spawn } from 'node:child_process'
        const { pid } = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
        process.on('SIGTERM', () => { console.log('closing'); server.close(() => process.exit()) })
        console.log('grandchild ' + pid + ';')`,
    })
    const run = await DevRun.start(project)
    const grandchild = Number(/grandchild (\d+)/.exec(await run.until(';'))?.[1])
    await run.until(READY)
    const pid = pidOf(await run.ask())
    expect(await run.end(signal)).toEqual([0, null])
    expect(run.output).toContain('closing')
    expect(isAlive(pid)).toBe(false)
    await expect.poll(() => isAlive(grandchild)).toBe(false)
    await expect(run.ask()).rejects.toThrow()
  })

  it('also ends the application if it is SIGKILL', async () => {
    const run = await serving(devProject())
    const pid = pidOf(await run.ask())
    await run.end('SIGKILL')
    await expect.poll(() => isAlive(pid)).toBe(false)
  })
})

describe('options of blazon dev', () => {
  it('pass on the arguments after --', async () => {
    const project = devProject({ 'value.js': 'export const value = process.argv.slice(2).join()' })
    const run = await serving(project, { args: ['--', '--color', 'red'] })
    expect((await run.ask()).text).toMatch(/^--color,red /)
  })

  it('attach the debugger only to the application, even after a restart', async () => {
    const project = devProject()
    const address = `127.0.0.1:${await freePort()}`
    const run = await serving(project, { args: ['--inspect', address] })
    const target = async (): Promise<readonly { id?: string }[]> =>
      JSON.parse(await (await fetch(`http://${address}/json/list`)).text())
    const before = await target()
    expect(before).toMatchObject([{ title: expect.stringContaining('main.js') }])
    project.write({ 'value.js': value('two') })
    const output = await run.until(READY)
    expect(output).not.toContain('address already in use')
    expect((await run.ask()).text).toMatch(/^two /)
    const after = await target()
    expect(after).toMatchObject([{ title: expect.stringContaining('main.js') }])
    expect(after[0]?.id).not.toBe(before[0]?.id)
  })
})

/** The text that the application responds; empty while none listens. */
async function textOf(run: DevRun): Promise<string> {
  return await run.ask().then(
    ({ text }) => text,
    () => '',
  )
}

/** Ends when its response is sent, which takes a moment. */
const SLOW_END = `
import { createServer } from 'node:http'
import { value } from './value.js'
const server = createServer((req, res) => {
  if (req.url === '/') return res.end(value)
  console.log('slow request')
  res.shouldKeepAlive = false
  process.once('SIGTERM', () => setTimeout(() => res.end('slow ' + value), 300))
})
process.on('SIGTERM', () => server.close(() => console.log(value + ' has ended')))
server.listen(Number(process.env.PORT), () => console.log('listening: ' + value))`
