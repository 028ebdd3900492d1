import { randomBytes } from 'node:crypto'
import { App, ConfigError, env, InjectionToken, secret } from 'blazon'
import { type JwtKeys, jwt, signTestToken } from 'blazon/jwt'
import { TestApp } from 'blazon/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { MeController } from './app.js'

const Env = env(z.object({ TOKEN_SECRET: secret(z.string().min(32)) }))
const secrets = ['one', 'other'].map((name) => name + randomBytes(32).toString('hex'))
const [one = '', other = ''] = secrets
const guard = jwt({ keys: ({ get }) => get(Env).TOKEN_SECRET })
const options = { controllers: [MeController], providers: [Env.provider], auth: { guard } }

async function create(TOKEN_SECRET: string) {
  const testOverrides = [{ token: Env, useValue: Env.read({ TOKEN_SECRET }) }]
  const app = await TestApp.create({ ...options, contract: 'throw', testOverrides })
  onTestFinished(() => app.close())
  return app
}

describe('keys that a function returns', () => {
  it('can come from the environment variables of each application', async () => {
    const apps = [await create(one), await create(other)]
    const statuses = await Promise.all(
      apps.flatMap((app) =>
        secrets.map(async (each) => {
          const token = signTestToken({ sub: 'ada' }, each)
          const caller = app.with({ authorization: `Bearer ${token}` })
          return (await caller.request().get('/me')).status
        }),
      ),
    )
    expect(statuses).toEqual([200, 401, 401, 200])
  })

  it('can be returned asynchronously, and can be several keys', async () => {
    const Vault = new InjectionToken<() => Promise<JwtKeys>>('Vault')
    const useValue = async () => [{ secret: one, kid: 'a' }, other]
    const app = await TestApp.create({
      controllers: [MeController],
      providers: [{ token: Vault, useValue }],
      auth: { guard: jwt({ keys: ({ get }) => get(Vault)() }) },
    })
    onTestFinished(() => app.close())
    for (const [secret, kid] of [
      [one, 'a'],
      [other, undefined],
    ] as const) {
      const token = signTestToken({ sub: 'ada' }, secret, { header: { kid } })
      await app
        .with({ authorization: `Bearer ${token}` })
        .request()
        .get('/me')
        .expect(200)
    }
  })

  it('are not requested before boot, and add no 503 to the document', () => {
    let calls = 0
    const counted = jwt({ keys: () => `${++calls}`.repeat(32) })
    expect(counted.contract()).toEqual({ errors: [] })
    new App({ ...options, auth: { guard: counted } })
    expect(calls).toBe(0)
  })

  it.each([
    ['It is not a key', undefined],
    ['a secret of 5 bytes', 'short'],
    ['keys[1]: It is a secret', [one, 'short']],
    ['It contains no keys', []],
  ])('prevent startup if they are invalid: %s', async (text, keys) => {
    const wrong = jwt({ keys: async () => keys as JwtKeys })
    const error = await App.create({ controllers: [MeController], auth: { guard: wrong } }).catch(
      (reason: unknown) => reason,
    )
    expect(error).toBeInstanceOf(ConfigError)
    const message = (error as Error).message.replace(/\n\s+/g, ': ')
    expect(message).toContain('E_OPTION_INVALID')
    expect(message).toContain(text)
    expect(message).not.toContain(one)
  })

  it('prevent startup if an environment variable is missing', async () => {
    const error = await TestApp.create({ ...options, providers: [] }).catch(
      (reason: unknown) => reason,
    )
    expect((error as Error).message).toContain('[E_ENV_INVALID] TOKEN_SECRET')
  })

  it('cannot be used without an application', async () => {
    const token = signTestToken({ sub: 'ada' }, one)
    const req = { headers: { authorization: `Bearer ${token}` }, rawHeaders: [] }
    await expect(guard.canActivate(req as never)).rejects.toThrow(
      'no application has prepared this guard',
    )
  })
})
