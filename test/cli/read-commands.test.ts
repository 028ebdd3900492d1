import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Job } from '../../src/cli/load/protocol.js'
import { turns } from '../journeys/turns.js'
import { type Answer, type PlayedChild, playChildren, playReaders } from './played-children.js'
import { runInProcess } from './run-in-process.js'

/** A project with the file `app.js`. Its content is never read, because the test plays the process that reads it. */
function project() {
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), 'blazon-read-')))
  onTestFinished(() => rmSync(cwd, { recursive: true }))
  writeFileSync(join(cwd, 'app.js'), '')
  return cwd
}

/** Runs a command for an application about which its process reports the answer. */
async function run(words: string, answer: Answer, cwd = project()) {
  playReaders(answer)
  return await runInProcess(words.split(' '), cwd)
}

const route = (method: string, path: string, more: object = {}) => ({
  ...{ method, path, controller: 'Users', handler: 'list' },
  ...{ isProtected: false, isAuthOptional: false, ...more },
})

const warning = { code: 'W_DOCS_EXPOSED', subject: 'swagger', cause: 'It is open.', remedy: 'No.' }

describe('blazon routes', () => {
  const report = {
    kind: 'routes',
    routes: [
      route('GET', '/users', { isProtected: true, guards: ['jwt', 'key'] }),
      route('POST', '/v2/users', { version: '2', isAuthOptional: true }),
      route('POST', '/users', { version: '1', isProtected: true, isSigned: true }),
      route('PUT', '/hook', { isSigned: true, handler: 'hook' }),
    ],
    jobs: {
      'send-mail': { input: { properties: { to: {}, text: {} }, required: ['to'] } },
      clean: {},
    },
    warnings: [warning],
  }

  it('prints a row for each route with its access, then the jobs with their fields', async () => {
    const { status, stdout, stderr } = await run('routes', report)
    expect(status).toBe(0)
    expect(stdout.split('\n')).toEqual([
      'GET   /users              Users.list     protected: jwt, key',
      'POST  /v2/users           Users.list     optional',
      'POST  /users (version 1)  Users.list     signature, protected',
      'PUT   /hook               Users.hook     signature',
      'JOB   send-mail           { to, text? }',
      'JOB   clean',
      '',
    ])
    expect(stderr.split('\n')).toEqual([
      expect.stringMatching(/^warning .*swagger/),
      ...[expect.any(String), expect.any(String)],
      ...['4 routes', ''],
    ])
  })

  it('filters rows and jobs without regard to case, and counts only routes', async () => {
    const { stdout, stderr } = await run('routes --filter HOOK', report)
    expect(stdout).toBe('PUT  /hook  Users.hook  signature\n')
    expect(stderr).toMatch(/\n1 route of 4\n$/)
    const jobs = await run('routes --filter Send-', report)
    expect(jobs.stdout).toBe('JOB  send-mail  { to, text? }\n')
    expect(jobs.stderr).toMatch(/\n0 routes of 4\n$/)
  })

  it('prints the routes of one version, with the routes that have no version', async () => {
    const { stdout, stderr } = await run('routes --api-version 2 --json', report)
    expect(JSON.parse(stdout)).toEqual([report.routes[0], report.routes[1], report.routes[3]])
    expect(stderr).not.toContain('routes of')
    expect((await run('routes --api-version 2', report)).stderr).toMatch(/\n3 routes of 4\n$/)
  })
})

describe('blazon routes --explain', () => {
  const explained = {
    ...route('GET', '/users/:id'),
    before: [{ name: 'cors', from: 'middlewares[0]' }],
    steps: [
      { name: 'guard', phase: 'access', does: 'asks', isCertain: true, sources: ['auth.guard'] },
      { name: 'tenant', phase: 'access', does: 'finds', isCertain: false, sources: [] },
      { name: 'handler', phase: 'work', does: 'runs', isCertain: true, sources: [] },
    ],
    decorators: [
      { name: '@Get', on: 'Users.list', at: { file: 'src/users.ts', line: 3 } },
      { name: '@Auth', on: 'class Users', at: null },
    ],
  }

  it('prints each phase once, what is only possible, and the places of decorators', async () => {
    const answer = { kind: 'explain', result: { kind: 'route', route: explained }, warnings: [] }
    const { stdout } = await run('routes --explain get users/:id', answer)
    expect(stdout.split('\n')).toEqual([
      ...['GET  /users/:id  Users.list  public', ''],
      ...['Before the route', '  cors  middlewares[0]', ''],
      'Steps',
      '  access  guard    asks',
      '                   - auth.guard',
      '          tenant   possibly: finds',
      ...['  work    handler  runs', ''],
      'Decorators',
      '  src/users.ts:3  @Get   Users.list',
      ...['  unknown         @Auth  class Users', ''],
    ])
  })

  it.each([
    ['--explain get users/:id', { method: 'GET', path: '/users/:id' }],
    ['--explain /users --api-version 1', { method: null, path: '/users', version: '1' }],
  ])('asks about a route, whose words can have any case: %s', async (words, query) => {
    const jobs: unknown[] = []
    await run(`routes ${words}`, (job) => {
      jobs.push(job)
      return { kind: 'explain', result: { kind: 'route', route: explained }, warnings: [] }
    })
    expect(jobs).toMatchObject([{ kind: 'explain', query }])
  })

  it('accepts a method and a path in one word, but not three words', async () => {
    const jobs: Job[] = []
    playReaders((job) => {
      jobs.push(job as Job)
      return { kind: 'explain', result: { kind: 'candidates', candidates: [] }, warnings: [] }
    })
    const cwd = project()
    const none = await runInProcess(['routes', '--explain', 'put  /a'], cwd)
    expect(jobs).toMatchObject([{ query: { method: 'PUT', path: '/a' } }])
    expect([none.status, none.stderr]).toEqual([2, expect.stringContaining('No route matches put')])
    const wrong = await runInProcess(['routes', '--explain', 'GET', '/a', 'b'], cwd)
    expect(wrong.stderr).toContain("The value is 'GET' '/a' 'b'.")
    expect([wrong.status, jobs.length]).toEqual([2, 1])
  })

  it('lists the routes of the path if none or several match', async () => {
    const candidates = [route('GET', '/a', { version: '1' }), route('PUT', '/a')]
    const result = { kind: 'candidates', candidates }
    const answer = { kind: 'explain', result, warnings: [warning] }
    const { status, stdout, stderr } = await run('routes --explain /a --api-version 1', answer)
    expect([status, stdout]).toEqual([2, ''])
    expect(stderr).toContain('/a in version 1 does not match exactly one route.')
    expect(stderr).toContain('GET  /a (version 1)  Users.list  public\n')
    expect(stderr).toMatch(/^warning /)
  })
})

describe('blazon config', () => {
  const variable = (name: string, more: object = {}) => ({
    ...{ name, value: 'x', isSecret: false, from: 'the environment', isRequired: true },
    ...{ description: null, expected: null, fallback: null, ...more },
  })
  const envs = (...all: object[]) => ({
    kind: 'env',
    envs: all.map((each) => ({ variables: [], problems: [], misspelt: [], ...each })),
  })

  it('prints each variable once, masked if one schema marks it, and quotes unusual values', async () => {
    const masked = variable('KEY', { value: '***', isSecret: true })
    const answer = envs(
      { variables: [variable('KEY', { value: 'secret' }), variable('A', { value: ' a' })] },
      { variables: [masked, variable('B', { value: '\u001b', from: null }), variable('A')] },
      { variables: [variable('KEY'), variable('C', { value: null, from: null })] },
    )
    const { status, stdout } = await run('config', answer)
    expect(stdout.split('\n')).toEqual([
      'KEY  ***        the environment',
      'A    " a"       the environment',
      'B    "\\u001b"',
      'C    (not set)',
      '',
    ])
    expect(status).toBe(0)
  })

  it('names misspelt variables, and then fails once for each problem', async () => {
    const problem = { code: 'E_ENV_INVALID', subject: 'PORT', cause: 'No.', remedy: 'Set it.' }
    const misspelt = [{ name: 'PROT', meant: 'PORT' }]
    const { status, stdout, stderr } = await run(
      'config --json',
      envs({ variables: [variable('A')], problems: [problem], misspelt }, { problems: [problem] }),
    )
    expect([status, JSON.parse(stdout).length]).toEqual([1, 1])
    expect(stderr).toMatch(/^PROT is set, but is not used: did you mean PORT\?\n/)
    expect(stderr).toContain('The variables are invalid: 1 problem.')
    expect((await run('config', envs())).status).toBe(2)
  })

  it('writes an example that changes nothing if it is copied', async () => {
    const cwd = project()
    const answer = envs({
      variables: [
        variable('A', { description: 'One.\r\n\nTwo\u0007.', expected: 'a number' }),
        variable('B', { isRequired: false, isSecret: true, fallback: 'a b' }),
        variable('C', { isRequired: false, fallback: `"'` }),
        variable('D', { isRequired: false, fallback: '"\'`' }),
        variable('not valid'),
      ],
    })
    const text = [
      '# One.\n# Two .\n# Required, a number\nA=\n',
      '# Optional, secret\n# B="a b"\n',
      '# Optional\n# C=`"\'`\n',
      '# Optional\n# D=\n',
    ].join('\n')
    expect((await run('config --example -', answer, cwd)).stdout).toBe(text)
    const file = join(cwd, '.env.example')
    expect((await run('config --example', answer, cwd)).stderr).toContain(
      '.env.example (written): 5 variables.',
    )
    expect(readFileSync(file, 'utf8')).toBe(text)
    expect((await run('config --example', answer, cwd)).stderr).toContain('(unchanged)')
    writeFileSync(file, 'own')
    expect((await run('config --example', answer, cwd)).status).toBe(2)
    expect((await run('config --example --force', answer, cwd)).status).toBe(0)
    expect(readFileSync(file, 'utf8')).toBe(text)
  })
})

describe('an application that cannot be read', () => {
  async function asked(children: readonly PlayedChild[]): Promise<PlayedChild> {
    while (children[0]?.received.length !== 1) await turns(1)
    return children[0]
  }
  const failure = (reason: string, stack?: string) => ({
    kind: 'failure',
    ...{ reason, message: 'The message.', stack },
  })

  it.each([
    ['threw', 'app.js failed while it was loaded.', 'The message. (lib/a.js:3:9)'],
    ['no-app', 'app.js has no application.', 'The message. It was found by its name.'],
    ['several-apps', 'app.js has several applications.', 'The message.'],
    ['declaration', 'The message.', ''],
  ])('is reported with the reason: %s', async (reason, what, cause) => {
    const cwd = project()
    const own = `Error\n at node:internal/a:1:1\n at ${cwd}/node_modules/b.js:2:2\n at file://${cwd}/lib/a.js:3:9`
    const { status, stderr } = await run('routes', failure(reason, own), cwd)
    const [first, second = ''] = stderr.split('\n')
    expect([status, first, second.trim()]).toEqual([1, what, cause])
    expect(stderr).not.toContain('node:internal')
    const verbose = await run('routes --verbose --entry app.js', failure(reason, own), cwd)
    expect(verbose.stderr).toContain('node:internal')
    expect(verbose.stderr).not.toContain('found by its name')
  })

  it('is given up after the time limit, and its process is killed', async () => {
    const children = playChildren()
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const cwd = project()
    const ended = runInProcess(['routes', '--timeout', '2'], cwd)
    const child = await asked(children)
    await vi.advanceTimersByTimeAsync(1999)
    expect(child.signals).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    expect(child.signals).toEqual(['SIGKILL'])
    child.exit(null, 'SIGKILL')
    const { status, stderr } = await ended
    expect([status, stderr.split('\n')[0]]).toEqual([1, 'app.js was not loaded within 2 s.'])
    expect(vi.getTimerCount()).toBe(0)
  })

  it.each([
    [3, null, 'app.js ended the process with status 3 while it was loaded.'],
    [null, 'SIGSEGV', 'app.js ended the process by SIGSEGV while it was loaded.'],
  ] as const)('is reported if its process ends: %s, %s', async (code, signal, message) => {
    playChildren((child) => void child.once('received', () => child.exit(code, signal)))
    const { status, stderr } = await runInProcess(['routes'], project())
    expect([status, stderr.split('\n')[0]]).toEqual([1, message])
  })

  it('is read if its report arrives after its process has ended, and after other messages', async () => {
    const report = { kind: 'routes', routes: [], jobs: {}, warnings: [] }
    playChildren((child) => {
      child.once('received', () => {
        for (const other of [null, 'text', { blazon: {} }]) child.emit('message', other)
        child.emit('close', 0, null)
        setImmediate(() => {
          child.say(report)
          child.disconnect()
        })
      })
    })
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    expect(await runInProcess(['routes'], project())).toMatchObject({
      status: 0,
      stderr: '0 routes\n',
    })
    expect(vi.getTimerCount()).toBe(0)
  })

  it('leaves no process behind if the command receives a signal', async () => {
    const names = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const
    const listeners = () => names.map((name) => process.listeners(name))
    const all = listeners()
    const before = process.listeners('SIGTERM')
    const children = playChildren()
    const ended = runInProcess(['routes'], project())
    const child = await asked(children)
    const sent: unknown[] = []
    vi.spyOn(process, 'kill').mockImplementation((...args) => {
      sent.push(args)
      return true
    })
    const own = process.listeners('SIGTERM').filter((each) => !before.includes(each))
    for (const listener of own) listener('SIGTERM')
    expect([child.signals, sent]).toEqual([['SIGKILL'], [[process.pid, 'SIGTERM']]])
    child.exit(null, 'SIGKILL')
    expect((await ended).status).toBe(1)
    expect(listeners()).toEqual(all)
  })
})
