import { tmpdir } from 'node:os'
import { describe, expect, it } from 'vitest'
import { runInProcess } from './run-in-process.js'

/** Runs the command in this process. It loads no application. */
async function run(...argv: string[]) {
  return await runInProcess(argv, tmpdir())
}

describe('help', () => {
  it.each([
    [['--help'], ['openapi', 'routes', 'db']],
    [
      ['db', '--help'],
      ['migrate', 'status', 'doctor', 'table'],
    ],
    [
      ['db', 'migrate', '--help'],
      ['--url', '--embedded', '--dir', '--login', '--no-roles', '--tenant-role', 'DATABASE_URL'],
    ],
    [
      ['db', 'doctor', '--help'],
      ['--url', '--embedded', '--json'],
    ],
    [
      ['openapi', '--help'],
      ['export', 'diff'],
    ],
    [
      ['help', 'openapi'],
      ['export', 'diff'],
    ],
    [
      ['openapi', 'export', '-h'],
      ['--out', '--format', '--client', '--client-out', '--check', '--strict', '--entry', '--path'],
    ],
    [
      ['openapi', 'diff', '--help'],
      ['<base>', '--breaking', '--format', '--entry', '--path'],
    ],
    [
      ['routes', '--help'],
      ['--json', '--filter', '--entry', '--timeout', '--verbose'],
    ],
  ])('is printed for %j', async (argv, words) => {
    const { status, stdout, stderr } = await run(...argv)
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    for (const word of words) expect(stdout).toContain(word)
  })

  it('is printed as an error if no command is named', async () => {
    expect(await run()).toMatchObject({
      status: 2,
      stdout: '',
      stderr: expect.stringContaining('Usage:'),
    })
    expect(await run('openapi')).toMatchObject({ status: 2, stdout: '' })
  })
})

describe('an invalid command line', () => {
  it.each([
    [['opanapi'], 'Did you mean openapi?'],
    [['openapi', 'exprt'], 'Did you mean export?'],
    [['openapi', 'export', '--chek'], 'Did you mean --check?'],
    [['openapi', 'export', '--format', 'xml'], 'Allowed choices are json, yaml.'],
    [['openapi', 'export', '--client', 'java'], 'Allowed choices are typescript.'],
    [['openapi', 'export', '--out'], 'argument missing'],
    [['openapi', 'export', 'here'], 'too many arguments'],
    [['openapi', 'diff'], "missing required argument 'base'"],
    [['routes', '--timeout', 'soon'], 'Specify a number of seconds'],
    [['routes', '--timeout', '0'], 'Specify a number of seconds'],
    [['routes', '--timeout', '1e9'], 'Specify a number of seconds'],
    [['routes', '--timeout', '2147484'], 'Specify a number of seconds'],
    [['start', '--workers', '0'], 'Specify auto, or a whole number from 1 to 1024.'],
    [['start', '--workers', '1025'], 'Specify auto, or a whole number from 1 to 1024.'],
    [['start', '--workers', '1.5'], 'Specify auto, or a whole number from 1 to 1024.'],
    [['start', '--timeout', '0'], 'Specify a number of seconds'],
    [['start', '--heartbeat', '3601'], 'Specify a number of seconds'],
    [['dev', '--port', '65536'], 'Specify a port: a whole number up to 65535.'],
    [['dev', '--dashboard-port', '1e3'], 'Specify a port: a whole number up to 65535.'],
  ])('causes an error with a remedy: %j', async (argv, message) => {
    const { status, stdout, stderr } = await run(...argv)
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
    expect(stderr).toContain(message)
    expect(stderr).toContain('--help')
  })
})

it('the command prints its version', async () => {
  expect(await run('--version')).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
  })
})
