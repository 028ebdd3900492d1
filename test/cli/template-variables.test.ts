import { randomBytes } from 'node:crypto'
import { App } from 'blazon'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { Env } from '../../templates/saas/src/env.js'
import { Env as ServiceEnv } from '../../templates/service/src/env.js'
import { problemsOf, workIn } from '../journeys/env/support.js'

function inProduction(files: Readonly<Record<string, string>>): void {
  workIn(files)
  vi.stubEnv('NODE_ENV', 'production')
  vi.stubEnv('DATABASE_URL', undefined)
  vi.stubEnv('TOKEN_SECRET', randomBytes(32).toString('hex'))
  onTestFinished(() => void vi.unstubAllEnvs())
}

describe('a project from the template saas in production', () => {
  it('does not start without the URL of a database server', async () => {
    inProduction({})
    const problems = await problemsOf(() => Env.read())
    expect(problems.map(({ code, subject }) => [code, subject])).toEqual([
      ['E_ENV_INVALID', 'DATABASE_URL'],
    ])
    expect(problems[0]?.remedy).toContain('DATABASE_URL_FILE')
    expect(await problemsOf(() => App.create({ providers: [Env.provider] }))).toEqual(problems)
  })

  it('does not use the database URL in an ignored .env, and reports the file', async () => {
    inProduction({ '.env': 'DATABASE_URL=postgres://canary@localhost/notes\n' })
    const [problem] = await problemsOf(() => Env.read())
    expect(problem?.remedy).toContain('The file .env sets it, but is not read')
  })

  it('starts with a database server, and outside production with an embedded database', () => {
    inProduction({})
    vi.stubEnv('DATABASE_URL', 'postgres://localhost/notes')
    expect(Env.read().DATABASE_URL).toBe('postgres://localhost/notes')
    vi.stubEnv('NODE_ENV', '')
    vi.stubEnv('DATABASE_URL', undefined)
    expect(Env.read()).toMatchObject({ DATABASE_FOLDER: '.data/postgres' })
  })
})

describe.each([
  ['service', ServiceEnv],
  ['saas', Env],
] as const)('a project from the template %s in production', (_, variables) => {
  const refused = async (TOKEN_SECRET: string | undefined) => {
    vi.stubEnv('TOKEN_SECRET', TOKEN_SECRET)
    const problems = await problemsOf(() => variables.read())
    expect(problems.map(({ code, subject }) => [code, subject])).toEqual([
      ['E_ENV_INVALID', 'TOKEN_SECRET'],
    ])
    return problems[0]
  }

  it('does not start without a secret for tokens, or with the development secret', async () => {
    inProduction({})
    vi.stubEnv('DATABASE_URL', 'postgres://localhost/notes')
    vi.stubEnv('NODE_ENV', '')
    vi.stubEnv('TOKEN_SECRET', undefined)
    const known = variables.read().TOKEN_SECRET
    vi.stubEnv('NODE_ENV', 'production')
    expect((await refused(undefined))?.remedy).toContain('TOKEN_SECRET_FILE')
    expect(JSON.stringify(await refused(known))).not.toContain(known)
    await refused('short')
  })

  it('starts with its own secret', () => {
    inProduction({})
    vi.stubEnv('DATABASE_URL', 'postgres://localhost/notes')
    expect(variables.read().TOKEN_SECRET).toBe(process.env['TOKEN_SECRET'])
  })
})
