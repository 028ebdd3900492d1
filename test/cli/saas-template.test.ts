import { App } from 'blazon'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { Env } from '../../templates/saas/src/env.js'
import { problemsOf, workIn } from '../journeys/env/support.js'

function inProduction(files: Readonly<Record<string, string>>): void {
  workIn(files)
  vi.stubEnv('NODE_ENV', 'production')
  vi.stubEnv('DATABASE_URL', undefined)
  onTestFinished(() => void vi.unstubAllEnvs())
}

describe('a project of the template saas, in production', () => {
  it('does not start without a server for its database', async () => {
    inProduction({})
    const problems = await problemsOf(() => Env.read())
    expect(problems.map(({ code, subject }) => [code, subject])).toEqual([
      ['E_ENV_INVALID', 'DATABASE_URL'],
    ])
    expect(problems[0]?.remedy).toContain('DATABASE_URL_FILE')
    expect(await problemsOf(() => App.create({ providers: [Env.provider] }))).toEqual(problems)
  })

  it('does not take the server of a .env that is not read, and says so', async () => {
    inProduction({ '.env': 'DATABASE_URL=postgres://canary@localhost/notes\n' })
    const [problem] = await problemsOf(() => Env.read())
    expect(problem?.remedy).toContain('The file .env has it, but is not read')
  })

  it('starts with a server, and elsewhere with the database in its process', () => {
    inProduction({})
    vi.stubEnv('DATABASE_URL', 'postgres://localhost/notes')
    expect(Env.read().DATABASE_URL).toBe('postgres://localhost/notes')
    vi.stubEnv('NODE_ENV', '')
    vi.stubEnv('DATABASE_URL', undefined)
    expect(Env.read()).toMatchObject({ DATABASE_FOLDER: '.data/postgres' })
  })
})
