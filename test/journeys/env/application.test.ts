import { App, Controller, defineControllers, env, Get, inject, secret } from 'blazon'
import { TestApp } from 'blazon/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { errorOf } from './support.js'

afterEach(() => void vi.unstubAllEnvs())

const Env = env(
  z.object({
    BLAZON_REGION: z.string(),
    BLAZON_LIMIT: z.coerce.number().default(10),
    BLAZON_KEY: secret(z.string().min(5)),
  }),
  { file: false },
)

class Billing {
  readonly config = inject(Env)
}

@Controller('region')
class RegionController {
  private readonly config = inject(Env)
  private readonly billing = inject(Billing)

  @Get()
  read() {
    const { BLAZON_REGION, BLAZON_LIMIT, BLAZON_KEY } = this.config
    const isSame = this.billing.config === this.config
    return { region: BLAZON_REGION, limit: BLAZON_LIMIT + 1, length: BLAZON_KEY.length, isSame }
  }
}

const options = { controllers: defineControllers(RegionController), providers: [Billing] }

describe('the result of inject(Env)', () => {
  it('provides the variables, which are read once at boot', async () => {
    vi.stubEnv('BLAZON_REGION', 'eu')
    vi.stubEnv('BLAZON_KEY', 'canary')
    const app = await TestApp.create(options)
    vi.stubEnv('BLAZON_REGION', 'us')
    const { body } = await app.request().get('/region')
    expect(body.data).toEqual({ region: 'eu', limit: 11, length: 6, isSame: true })
    const other = await TestApp.create(options)
    expect((await other.request().get('/region')).body.data.region).toBe('us')
    expect((await app.request().get('/region')).body.data.region).toBe('eu')
    await app.close()
    await other.close()
  })

  it('is replaced by testOverrides, so that no variable is read', async () => {
    vi.stubEnv('BLAZON_KEY', undefined)
    const useValue = { BLAZON_REGION: 'mars', BLAZON_LIMIT: 1, BLAZON_KEY: '123' }
    const testOverrides = [{ token: Env, useValue }]
    for (const providers of [[Billing], [Billing, Env.provider]]) {
      const app = await TestApp.create({ ...options, providers, testOverrides })
      expect((await app.request().get('/region')).body.data).toMatchObject({
        region: 'mars',
        length: 3,
      })
      await app.close()
    }
  })

  it('is a separate object for each env() in a process', async () => {
    vi.stubEnv('BLAZON_REGION', 'eu')
    vi.stubEnv('BLAZON_KEY', 'canary')
    const Small = env(z.object({ BLAZON_REGION: z.string().toUpperCase() }), { file: false })
    class Other {
      readonly config = inject(Small)
    }
    const [first, second] = [await App.create(options), await App.create({ providers: [Other] })]
    expect(first.get(Env).BLAZON_REGION).toBe('eu')
    expect(second.get(Other).config).toEqual({ BLAZON_REGION: 'EU' })
    await first.close()
    await second.close()
  })
})

describe('the boot of an application with environment variables', () => {
  it('reports every invalid variable once, together with the other problems of the application', async () => {
    vi.stubEnv('BLAZON_REGION', '')
    vi.stubEnv('BLAZON_LIMIT', 'many')
    vi.stubEnv('BLAZON_KEY', 'can')
    class Mailer {
      readonly transport = inject('transport')
    }
    const error = await errorOf(() => App.create({ ...options, providers: [Billing, Mailer] }))
    expect(error.problems.map(({ code, subject }) => [code, subject])).toEqual([
      ['E_ENV_INVALID', 'BLAZON_REGION'],
      ['E_ENV_INVALID', 'BLAZON_LIMIT'],
      ['E_ENV_INVALID', 'BLAZON_KEY'],
      ['E_PROVIDER_MISSING', "'transport'"],
    ])
    // Which classes inject the variables does not matter.
    const ofEnv = error.problems.filter(({ code }) => code === 'E_ENV_INVALID')
    for (const { cause } of ofEnv) expect(cause).not.toContain('Injected by')
  })

  it('fails if the provider of invalid variables is listed, even if no class injects them', async () => {
    vi.stubEnv('BLAZON_REGION', '')
    vi.stubEnv('BLAZON_KEY', '')
    await expect(App.create({}).then((app) => app.close())).resolves.toBeUndefined()
    const error = await errorOf(() => App.create({ providers: [Env.provider] }))
    expect(error.problems.map(({ subject }) => subject)).toEqual(['BLAZON_REGION', 'BLAZON_KEY'])
  })

  it('accepts a provider of the variables that is private to one module', async () => {
    vi.stubEnv('BLAZON_REGION', 'eu')
    vi.stubEnv('BLAZON_KEY', 'canary')
    const module = { name: 'm', providers: [Env.provider, Billing], exports: [Billing] }
    const app = await App.create({ modules: [module] })
    expect(app.get(Billing).config.BLAZON_REGION).toBe('eu')
    await app.close()
  })
})
