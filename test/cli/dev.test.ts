import { renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
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

  it('runs an application of the framework in TypeScript, with what its App sends', async () => {
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

  it('loses no request during twenty saves, and leaves one process', async () => {
    const project = devProject()
    const run = await serving(project)
    const pids = new Set<number>()
    let isOver = false
    const clients = Array.from({ length: 4 }, async () => {
      while (!isOver) {
        const reply = await run.ask()
        expect(reply).toMatchObject({ status: 200 })
        pids.add(pidOf(reply))
      }
    })
    for (let save = 1; save <= 20; save++) {
      project.write({ 'value.js': value(`save-${save}`) })
      await pause(100)
    }
    await expect.poll(async () => (await run.ask()).text).toMatch(/^save-20 /)
    isOver = true
    await Promise.all(clients)
    const last = pidOf(await run.ask())
    await expect.poll(() => [...pids].filter(isAlive)).toEqual([last])
    expect(run.output).not.toContain('EADDRINUSE')
  })

  it('lets a request wait for the process that starts', async () => {
    const project = devProject({ 'gate.js': 'export {}' })
    const run = await serving(project)
    project.write({ 'value.js': `${GATE}\n${value('two')}` })
    await run.until('value.js changed')
    const reply = run.ask()
    await run.until('at the gate')
    project.write({ open: '' })
    expect((await reply).text).toMatch(/^two /)
  })

  it('responds from the last process that started when the wait is over', async () => {
    const project = devProject()
    const run = await serving(project, { args: ['--timeout', '0.2'] })
    project.write({ 'value.js': `${GATE}\n${value('two')}` })
    await run.until('at the gate')
    expect((await run.ask()).text).toMatch(/^one /)
  })

  it('responds 503 when no process has started and the wait is over', async () => {
    const project = devProject({ 'value.js': `${GATE}\n${value('one')}` })
    const run = await DevRun.start(project, { args: ['--timeout', '0.2'] })
    await run.until('at the gate')
    const { status, text, headers } = await run.ask()
    expect({ status, ...JSON.parse(text) }).toMatchObject({
      status: 503,
      statusCode: 'error',
      code: 'SERVICE_UNAVAILABLE',
      message: 'The application has not started yet.',
    })
    expect(headers.get('retry-after')).toBe('2')
  })

  it.each([
    [
      'a syntax error',
      'main.js',
      `${MAIN}\nconst = 1`,
      ['SyntaxError', 'main.js:', 'Correct the syntax'],
    ],
    [
      'an error at boot',
      'value.js',
      'export const value = 1\nthrow new TypeError("no way")',
      ['TypeError: no way', 'value.js:2:7', '> 2 | throw', 'save the file'],
    ],
    [
      'a rejection',
      'value.js',
      'export const value = 1\nPromise.reject(new Error("later"))\nawait new Promise(() => setInterval(() => {}, 1000))',
      ['Error: later', 'value.js:2'],
    ],
    [
      'a missing file',
      'value.js',
      "export { value } from './gone.js'",
      ['Cannot find module', 'gone.js', 'Correct the import'],
    ],
    [
      'an end',
      'value.js',
      'export const value = 1; process.exit(3)',
      ['its process ended with status 3'],
    ],
  ])('keeps the last process that started after %s', async (_, file, text, shown) => {
    const project = devProject()
    const run = await serving(project)
    project.write({ [file]: text })
    const output = await run.until('the last process that started keeps serving')
    for (const part of shown) expect(output).toContain(part)
    expect((await run.ask()).text).toMatch(/^one /)
    project.write({ 'main.js': MAIN, 'value.js': value('mended') })
    await run.until(READY)
    expect((await run.ask()).text).toMatch(/^mended /)
  })

  describe('before the reports of imports arrive, which in Node 20 come from a thread,', () => {
    const LATE = `
      import { MessagePort } from 'node:worker_threads'
      const { on } = MessagePort.prototype
      MessagePort.prototype.on = function (name, listener) {
        if (listener.name !== 'report') return on.call(this, name, listener)
        setTimeout(() => on.call(this, name, listener), 60_000).unref()
        return this
      }`

    /** Starts a project whose processes end before such a report has arrived. */
    async function startLate(files: Readonly<Record<string, string>>) {
      const project = devProject({ 'late.mjs': LATE, ...files })
      const NODE_OPTIONS = `--import ${pathToFileURL(project.path('late.mjs'))}`
      return { project, run: await DevRun.start(project, { env: { NODE_OPTIONS } }) }
    }

    it('names the file of a syntax error, and starts again after its next save', async () => {
      const { project, run } = await startLate({ 'main.js': 'const = 1' })
      expect(await run.until('Correct the syntax')).toContain('main.js:1')
      project.write({ 'main.js': MAIN })
      await run.until(READY)
    })

    it('starts again after a save of a file whose import has ended the process', async () => {
      const { project, run } = await startLate({
        'main.js': MAIN.replace('./value.js', './lib/value.js'),
        'lib/value.js': 'export const value = process.exit(3)',
      })
      await run.until('its process ended with status 3')
      project.write({ 'lib/value.js': value('mended') })
      await run.until(READY)
    })
  })

  it('starts the application again for files of --watch that it has not imported', async () => {
    const project = devProject({ 'views/page.html': 'one', 'views/note.txt': 'x', 'a.yaml': '' })
    const args = ['--watch', 'views/**/*.html', 'a.{yaml,json}']
    const run = await DevRun.start(project, { args })
    await run.until(READY)
    const first = pidOf(await run.ask())
    project.write({ 'views/note.txt': 'other', 'views/page.html': 'two' })
    expect(await run.until('changed')).toMatch(/blazon dev: views[/\\]page\.html changed$/)
    await run.until(READY)
    expect(pidOf(await run.ask())).not.toBe(first)
    // A file in a folder that did not exist.
    project.write({ 'views/new/deep/part.html': 'new' })
    expect(await run.until('changed')).toMatch(/part\.html changed$/)
    await run.until(READY)
    project.write({ 'a.json': '{}' })
    expect(await run.until('changed')).toMatch(/a\.json changed$/)
    await run.until(READY)
  })

  it('shows where the classes and methods are that a boot error names', async () => {
    const project = devProject({
      'main.ts': WRONG_MAIN,
      'users-controller.ts': WRONG_CONTROLLER,
    })
    const run = await DevRun.start(project, { args: ['--entry', 'main.ts'] })
    await run.until('did not start')
    const output = await run.until('> 5')
    expect(output).toContain('UsersController.find: users-controller.ts:5:3\n')
    expect(output).not.toContain('main.ts:')
    // A provider that is missing has no decorator: the class that injects it has one.
    project.write({ 'users-controller.ts': WRONG_CONTROLLER.replace(':user', ':id') })
    await run.until('did not start')
    expect(await run.until('> 10')).toContain('OrdersController: users-controller.ts:10:1\n')
  })

  it('shows a browser why no process starts, and JSON to other clients', async () => {
    const throws = 'throw new Error("<script>alert(1)</script>")'
    const project = devProject({ 'value.js': `export const value = 1\n${throws}` })
    const run = await DevRun.start(project)
    await run.until('did not start')
    const page = await run.ask('/any', { accept: 'text/html,*/*' })
    expect(page).toMatchObject({ status: 503 })
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(page.text).toContain('value.js:2:7')
    expect(page.text).toContain('&lt;script&gt;alert(1)')
    expect(page.text).not.toContain('<script')
    expect(page.text).toContain('http-equiv="refresh"')
    const json = await run.ask('/any')
    expect(JSON.parse(json.text).message).toContain('value.js:2:7')
    project.write({ 'value.js': value('mended') })
    await run.until(READY)
    expect((await run.ask()).text).toMatch(/^mended /)
  })

  it('shows what a process has printed that ends without an error', async () => {
    const project = devProject({
      'value.js': 'export const value = 1; console.error("no database"); process.exit(1)',
    })
    const run = await DevRun.start(project)
    expect(await run.until('did not start')).toContain('no database')
    expect(JSON.parse((await run.ask()).text).message).toMatch(/status 1\.\nno database$/)
  })

  it('starts when the file is created that an import lacked', async () => {
    const project = devProject({ 'value.js': "export { value } from './parts/gone.js'" })
    const run = await DevRun.start(project)
    await run.until('did not start')
    project.write({ 'parts/gone.js': value('created') })
    await run.until(READY)
    expect((await run.ask()).text).toMatch(/^created /)
  })

  it('says that a crashed process is gone, and starts with the next save', async () => {
    const crash = "setTimeout(() => { throw new Error('crashed') }, 300)"
    const project = devProject({ 'value.js': `${value('one')}${crash}` })
    const run = await serving(project)
    await run.until('The application ended')
    expect(await run.ask()).toMatchObject({ status: 503 })
    project.write({ 'value.js': value('two') })
    await run.until(READY)
    expect((await run.ask()).text).toMatch(/^two /)
  })
})

describe('saves', () => {
  it('count only with new content', async () => {
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

  it('may rename another file over the old one, or empty it first', async () => {
    const project = devProject()
    const run = await serving(project)
    project.write({ 'value.js.tmp': value('two') })
    renameSync(project.path('value.js.tmp'), project.path('value.js'))
    await run.until(READY)
    expect((await run.ask()).text).toMatch(/^two /)
    writeFileSync(project.path('value.js'), '')
    await pause(20)
    writeFileSync(project.path('value.js'), value('three'))
    await expect.poll(async () => (await run.ask()).text).toMatch(/^three /)
    rmSync(project.path('value.js'))
    await pause(20)
    project.write({ 'value.js': value('four') })
    await expect.poll(async () => (await run.ask()).text).toMatch(/^four /)
  })

  it('of .env change the environment, in which variables of the terminal win', async () => {
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

  it('of CommonJS files count, too', async () => {
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
  it('of any number stay the same, for each server', async () => {
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

  it('of other programs are reported, with a remedy', async () => {
    const other = createServer().listen(0)
    onTestFinished(() => void other.close())
    const { port } = other.address() as { port: number }
    const project = devProject({ 'main.js': MAIN.replace('Number(process.env.PORT)', `${port}`) })
    const run = await DevRun.start(project, { args: ['--port', String(port)] })
    const output = (await run.until('did not start')) + (await run.until('--port 3001'))
    expect(output).toContain('EADDRINUSE')
  })

  it('are in use for a second server of the process, as with Node alone', async () => {
    const project = devProject({
      'main.js': `${MAIN}
        createServer().listen(Number(process.env.PORT)).on('error', ({ code }) => console.log('second: ' + code))`,
    })
    const run = await DevRun.start(project)
    await run.until('second: EADDRINUSE')
    expect((await run.ask()).text).toMatch(/^one /)
  })
})

describe('the end', () => {
  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('by %s leaves nothing', async (signal) => {
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

  it('of a killed command ends the application', async () => {
    const run = await serving(devProject())
    const pid = pidOf(await run.ask())
    await run.end('SIGKILL')
    await expect.poll(() => isAlive(pid)).toBe(false)
  })
})

describe('options', () => {
  it('pass arguments after --', async () => {
    const project = devProject({ 'value.js': 'export const value = process.argv.slice(2).join()' })
    const run = await serving(project, { args: ['--', '--color', 'red'] })
    expect((await run.ask()).text).toMatch(/^--color,red /)
  })

  it('give the debugger to the application alone, also after a restart', async () => {
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

  it('check the types beside the application, which they do not stop', async () => {
    const project = devProject({
      'tsconfig.json': { compilerOptions: { strict: true, types: [] }, files: ['value.ts'] },
      'value.ts': "export const value: number = 'text'",
    })
    project.install(
      'typescript',
      new URL('../../node_modules/typescript', import.meta.url).pathname,
    )
    const run = await DevRun.start(project, { args: ['--typecheck'] })
    await run.until(READY)
    const output = await run.until('types: 1 error.')
    expect(output).toContain('types: value.ts(1,14): error TS2322')
    project.write({ 'value.ts': 'export const value: number = 1' })
    await run.until('types: no errors any more.')
  })

  it.each([
    ['a port that is none', ['--port', '70000'], 'a whole number up to 65535'],
    ['no time', ['--timeout', '0'], 'Give seconds'],
    ['an entry that is missing', ['--entry', 'nowhere.js'], 'does not exist'],
  ])('refuse %s', async (_, args, text) => {
    const project = devProject()
    const { status, stderr } = await project.run(['dev', ...args])
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining(text) })
  })
})

/** Waits at the top level of a module until the test creates the file `open`. */
const GATE = `
import { existsSync } from 'node:fs'
console.log('at the gate')
while (!existsSync('open')) await new Promise((resolve) => setTimeout(resolve, 10))`

/** The path of the first route lacks a parameter, and nothing provides a class. */
const WRONG_CONTROLLER = `import { Controller, Get, inject } from 'blazon'

@Controller('users')
export class UsersController {
  @Get(':user', { params: { type: 'object', properties: { id: { type: 'string' } } } })
  find() {}
}
class Missing {}

@Controller('orders')
export class OrdersController {
  readonly missing = inject(Missing)
}
`

const WRONG_MAIN = `import { App } from 'blazon'
import { OrdersController, UsersController } from './users-controller.js'

await new App({ controllers: [UsersController, OrdersController], logger: false }).listen(0)
`
