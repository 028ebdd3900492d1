import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { beforeAll, describe, expect, it } from 'vitest'
import { COMPILED_CONTROLLER, MAIN, type Project } from './project.js'
import { useProjects } from './use-projects.js'

const project = useProjects()

describe('a failing command', () => {
  let own: Project

  beforeAll(() => {
    own = project().write({
      'package.json': { type: 'module' },
      'src/users-controller.js': COMPILED_CONTROLLER,
      'src/app.js': MAIN,
      'none.js': 'export const x = 1',
      'several.js':
        "import { App } from 'blazon'\nexport const one = new App()\nexport const two = new App()",
      'throws.ts':
        "import 'blazon'\nfunction connect() {\n  throw new TypeError('no database')\n}\nconnect()",
      'rejects.js':
        "Promise.reject(new Error('later'))\nawait new Promise((end) => setTimeout(end, 5000))",
      'exits.js': 'process.exit(0)',
      'loops.js': 'for (;;) {}',
      'waits.js': 'await new Promise(() => setInterval(() => {}, 1000))',
      'undecorated.js': "import { App } from 'blazon'\nclass X {}\nnew App({ controllers: [X] })",
      'broken.json': '{ "openapi": ',
      'other.json': { swagger: '2.0' },
      'no-responses.json': { openapi: '3.0.3', paths: { '/x': { get: {} } } },
    })
  })

  it.each([
    ['an entry that is missing', ['routes', '--entry', 'nowhere.ts'], 2, 'There is no file at'],
    ['an entry that is a folder', ['routes', '--entry', 'src'], 2, 'It is a folder.'],
    ['an entry without an application', ['routes', '--entry', 'none.js'], 1, 'it exports x'],
    [
      'an entry with several applications',
      ['routes', '--entry', 'several.js'],
      1,
      'one (no routes); two (no routes)',
    ],
    [
      'an application that throws',
      ['routes', '--entry', 'throws.ts'],
      1,
      'TypeError: no database (throws.ts:3:9)',
    ],
    [
      'an application with an unhandled rejection while it is loaded',
      ['routes', '--entry', 'rejects.js'],
      1,
      'Error: later',
    ],
    [
      'an application that ends the process',
      ['routes', '--entry', 'exits.js'],
      1,
      'ended the process with status 0',
    ],
    [
      'an entry with an endless loop',
      ['routes', '--entry', 'loops.js', '--timeout', '1'],
      1,
      'not loaded within 1 s',
    ],
    [
      'an entry with an endless wait',
      ['routes', '--entry', 'waits.js', '--timeout', '1'],
      1,
      'a top-level `await`',
    ],
    [
      'an application with a boot error',
      ['routes', '--entry', 'undecorated.js'],
      1,
      '1. [E_DECORATORS_NOT_APPLIED] X\n',
    ],
    [
      'a path that leaves the project',
      ['openapi', 'export', '--out', '../x.json'],
      2,
      'is outside the project',
    ],
    ['an output path that is a folder', ['openapi', 'export', '--out', 'src'], 2, 'is a folder'],
    [
      'an output folder that is a file',
      ['openapi', 'export', '--out', 'none.js/x.json'],
      2,
      'cannot be written',
    ],
    ['zero workers', ['start', 'exits.js', '--workers', '0'], 2, 'a whole number from 1 to 1024'],
    [
      'a number of workers that is not a number',
      ['start', 'exits.js', '--workers', 'x'],
      2,
      'Specify auto, or',
    ],
    ['too many workers', ['start', 'exits.js', '--workers', '2000'], 2, 'from 1 to 1024'],
    [
      'a heartbeat below 0',
      ['start', 'exits.js', '--heartbeat', '-1'],
      2,
      'Specify a number of seconds, up to',
    ],
    ['a missing entry of start', ['start', 'dist/nowhere.js'], 2, 'is not a file'],
    ['a folder as the entry of start', ['start', 'src', '--workers', '2'], 2, 'is not a file'],
    ['TypeScript as the entry of start', ['start', 'throws.ts'], 2, 'is TypeScript'],
    ['start without an entry', ['start'], 2, 'dist/main.js is not a file'],
    ['a missing base document', ['openapi', 'diff', 'nowhere.json'], 2, 'cannot be read'],
    [
      'a base document that cannot be parsed',
      ['openapi', 'diff', 'broken.json'],
      2,
      'neither JSON nor YAML',
    ],
    [
      'a base document that is not an OpenAPI document',
      ['openapi', 'diff', 'other.json'],
      2,
      'not an OpenAPI document',
    ],
    [
      'a base document without responses',
      ['openapi', 'diff', 'no-responses.json'],
      2,
      'GET /x has no responses',
    ],
  ] as const)('reports one clear error for %s', async (_, args, status, message) => {
    const outcome = await own.run(args)
    expect(outcome).toMatchObject({ status, stdout: '' })
    expect(outcome.stderr).toContain(message)
    expect(outcome.stderr).not.toMatch(/^ +at /m)
  })

  it('prints the stack of an error with --verbose', async () => {
    const { stderr } = await own.run(['routes', '--entry', 'throws.ts', '--verbose'])
    expect(stderr).toMatch(/^ +at connect /m)
  })

  it.each(['SIGINT', 'SIGTERM'] as const)('leaves no process behind after %s', async (signal) => {
    own.write({
      'stuck.js': "import { writeSync } from 'node:fs'; writeSync(2, 'stuck'); for (;;);",
    })
    const command = spawn(process.execPath, [own.command, 'routes', '--entry', 'stuck.js'], {
      cwd: own.folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    await once(command.stderr, 'data')
    const isOver = once(command, 'close')
    command.kill(signal)
    // The child holds the other end of the pipe, too. The pipe closes only when both processes have ended.
    expect(await isOver).toEqual([null, signal])
  })

  it('writes neither of two files if one cannot be written', async () => {
    const args = [
      'openapi',
      'export',
      '--client',
      'typescript',
      '--client-out',
      'none.js/client.ts',
    ]
    expect(await own.run(args)).toMatchObject({ status: 2 })
    expect(own.has('openapi.json')).toBe(false)
  })

  it('prints the command that installs a missing tsx', async () => {
    const bare = project([]).write({ 'src/app.ts': 'export {}' })
    const outcome = await bare.run(['routes'])
    expect(outcome).toMatchObject({ status: 4, stdout: '' })
    expect(outcome.stderr).toContain('npm install --save-dev tsx')
  })

  it('reports that no application was found', async () => {
    const empty = project([])
    expect(await empty.run(['routes'])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('No application was found.'),
    })
  })
})
