import { chmodSync, symlinkSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { type Outcome, Project } from './project.js'

const CANARY = 'https://canary-of-a-secret'

const ENV = `
import { env, secret } from 'blazon'
import { z } from 'zod'

export const Env = env(
  z.object({
    PORT: z.coerce.number().int().min(1).max(65_535).default(3000).describe('Where it listens'),
    GREETING: z.string().default("it's # \\u001b[31mred"),
    REGION: z.enum(['eu', 'us']).describe('The region.\\nOne of two.'),
    DATABASE_URL: secret(z.url()),
    SIGNING_KEY: secret(z.string().default('default-canary')),
    NICKNAME: z.string().optional(),
  }),
)
`

const APP = `
import { App, inject } from 'blazon'
import { Env } from './env.js'

class Database {
  url = inject(Env).DATABASE_URL
  constructor() { throw new Error('a provider was made') }
}
export const app = new App({ providers: [Database, Env.provider] })
`

/** A program that reads the variables at its top level. */
const MAIN = `
import { app } from './app.js'
import { Env } from './env.js'

await app.listen(Env.read().PORT)
`

let project: Project
beforeAll(() => {
  project = new Project(['zod']).write({
    'package.json': { type: 'module' },
    'env.js': ENV,
    'app.js': APP,
    'main.js': MAIN,
    'none.js': 'import { App } from "blazon"\nexport const app = new App()\n',
    'broken.js': 'import "./env.js"\nthrow new Error("no database")\n',
  })
})
afterAll(() => project.remove())

function run(args: string, variables: Readonly<Record<string, string>> = {}): Promise<Outcome> {
  for (const [name, value] of Object.entries({ NODE_ENV: '', ...variables })) {
    vi.stubEnv(name, value)
  }
  onTestFinished(() => void vi.unstubAllEnvs())
  return project.run(['config', ...args.split(' ')])
}

const VALID = { REGION: 'eu', DATABASE_URL: CANARY }

describe('blazon config', () => {
  it.each(['app.js', 'main.js', 'env.js'])('prints the variables of %s', async (entry) => {
    const { status, stdout, stderr } = await run(`--entry ${entry}`, { ...VALID, PORT: '80' })
    expect(stderr).toBe('')
    expect(stdout.split('\n')).toEqual([
      'PORT          80                      the environment',
      'GREETING      "it\'s # \\u001b[31mred"  default',
      'REGION        eu                      the environment',
      'DATABASE_URL  ••••                    the environment',
      'SIGNING_KEY   ••••                    default',
      'NICKNAME      (not set)',
      '',
    ])
    expect(status).toBe(0)
  })

  it('names the files that define variables', async () => {
    project.write({ '.env': 'REGION=us\nDATABASE_URL_FILE=url\nNICKNME=x\n', url: `${CANARY}\n` })
    onTestFinished(() => void project.write({ '.env': '' }))
    const { status, stdout, stderr } = await run('--entry app.js --json', { DATABASE_URL: '' })
    expect(status).toBe(1)
    expect(stderr).toContain('DATABASE_URL\n   It is empty in the environment')
    vi.stubEnv('DATABASE_URL', undefined)
    const second = await project.run(['config', '--entry', 'app.js', '--json'])
    expect(second.status).toBe(0)
    expect(second.stderr).toBe('NICKNME is set, but is not used: did you mean NICKNAME?\n')
    const listed = JSON.parse(second.stdout) as { name: string; value: string; from: string }[]
    expect(listed.map(({ name, value, from }) => [name, value, from])).toEqual([
      ['PORT', '3000', 'default'],
      ['GREETING', "it's # \u001b[31mred", 'default'],
      ['REGION', 'us', '.env'],
      ['DATABASE_URL', '••••', 'url'],
      ['SIGNING_KEY', '••••', 'default'],
      ['NICKNAME', null, null],
    ])
    expect(stdout + stderr + second.stdout + second.stderr).not.toContain('canary')
  })

  it.each(['app.js', 'main.js'])('reports all problems of %s, and exits with 1', async (entry) => {
    const wrong = { PORT: '0', REGION: 'mars', DATABASE_URL: 'canary' }
    const { status, stdout, stderr } = await run(`--entry ${entry}`, wrong)
    expect(status).toBe(1)
    expect(stdout).toContain('DATABASE_URL  ••••')
    expect(stderr).toContain('The variables are invalid: 3 problems.')
    expect(stderr.match(/E_ENV_INVALID\] \w+/g)).toEqual([
      'E_ENV_INVALID] PORT',
      'E_ENV_INVALID] REGION',
      'E_ENV_INVALID] DATABASE_URL',
    ])
    expect(stdout + stderr).not.toContain('canary')
  })

  it('reports that there are no variables, or that a module fails for another reason', async () => {
    const none = await run('--entry none.js')
    expect(none.status).toBe(2)
    expect(none.stderr).toContain('The application describes no variables.')
    const broken = await run('--entry broken.js', VALID)
    expect(broken.status).toBe(1)
    expect(broken.stderr).toContain('Error: no database')
  })
})

describe('blazon config --example', () => {
  const TEXT = `# Where it listens
# Optional, a whole number, from 1 to 65535
# PORT=3000

# Optional, text
# GREETING="it's # \u001b[31mred"

# The region.
# One of two.
# Required, eu or us
REGION=

# Required, secret, text of the format uri
DATABASE_URL=

# Optional, secret, text
# SIGNING_KEY=

# Optional, text
# NICKNAME=
`

  it('prints an example without values, even if variables are invalid', async () => {
    const { status, stdout } = await run('--entry app.js --example -', { DATABASE_URL: 'canary' })
    expect(status).toBe(0)
    expect(stdout).toBe(TEXT)
    expect(parseEnv(stdout)).toEqual({ REGION: '', DATABASE_URL: '' })
    expect(parseEnv(stdout.replace('# GREETING', 'GREETING'))).toMatchObject({
      GREETING: "it's # \u001b[31mred",
    })
  })

  it('writes the file, and replaces an existing one only with --force', async () => {
    const first = await run('--entry app.js --example')
    expect(first).toMatchObject({ status: 0, stderr: '.env.example (written): 6 variables.\n' })
    expect(project.read('.env.example')).toBe(TEXT)
    const again = await run('--entry app.js --example')
    expect(again).toMatchObject({ status: 0, stderr: '.env.example (unchanged): 6 variables.\n' })
    project.write({ '.env.example': 'MINE=\n' })
    const refused = await run('--entry app.js --example')
    expect(refused.status).toBe(2)
    expect(refused.stderr).toContain('.env.example exists.')
    expect(project.read('.env.example')).toBe('MINE=\n')
    expect((await run('--entry app.js --example --force')).status).toBe(0)
    expect(project.read('.env.example')).toBe(TEXT)
  })

  it('writes to a given file in the project, but not to a file outside the project', async () => {
    expect((await run('--entry app.js --example deploy/env.example')).status).toBe(0)
    expect(project.read('deploy/env.example')).toBe(TEXT)
    const outside = await run('--entry app.js --example ../env.example')
    expect(outside.status).toBe(2)
    symlinkSync('/tmp/blazon-none.example', project.path('link'))
    expect((await run('--entry app.js --example link')).status).toBe(2)
    const both = await run('--entry app.js --example - --json')
    expect(both.status).toBe(2)
  })

  it('does not treat an unreadable file as a missing file', async () => {
    project.write({ unreadable: 'MINE=\n' })
    chmodSync(project.path('unreadable'), 0o000)
    const { status } = await run('--entry app.js --example unreadable')
    chmodSync(project.path('unreadable'), 0o600)
    expect(status).toBe(2)
    expect(project.read('unreadable')).toBe('MINE=\n')
  })
})
