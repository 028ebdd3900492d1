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
    })
  })

  it.each([
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
      'an output folder that is a file',
      ['openapi', 'export', '--out', 'none.js/x.json'],
      2,
      'cannot be written',
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
})
