import {
  type AppOptions,
  Cache,
  Clock,
  Controller,
  defineOption,
  Get,
  Post,
  RateLimit,
  runWithTenant,
  tenantScoped,
} from 'blazon'
import { jwt, signTestToken } from 'blazon/jwt'
import { apiKeys } from 'blazon/keys'
import { otel } from 'blazon/otel'
import { TestApp } from 'blazon/testing'
import { describe, expect, it } from 'vitest'
import { bootProblems, usable } from '../../support.js'

/** Whatever reads its result gets a promise. */
const late = async (): Promise<never> => {
  throw new Error('late')
}
const secret = 'a secret of thirty-two characters'
const canActivate = () => true

/** Functions of the application whose results are used at once. */
const OPTIONS: readonly (readonly [subject: string, options: object])[] = [
  ['logs.level', { logs: { level: late } }],
  ['logs.fields', { logs: { fields: late } }],
  ['swagger.include', { swagger: { include: late } }],
  ['swagger.converters.other', { swagger: { converters: { other: late } } }],
  ['tenant.strategies', { tenant: { strategies: [() => 'a', late] } }],
  ['rateLimit.by', { rateLimit: { limit: 1, window: 1, by: late } }],
  ['envelope.schema', { envelope: { success: () => ({}), schema: async () => ({}) } }],
  ['auth.guard.carries', { auth: { guard: { canActivate, carries: late } } }],
  ['auth.guard.tenantOf', { auth: { guard: { canActivate, tenantOf: late } } }],
  ['auth.guards.a.scopes', { auth: { guards: { a: { canActivate, scopes: late } } } }],
  ["plugin 'p', explain", { plugins: [{ name: 'p', explain: late }] }],
  ["plugin 'p', routes", { plugins: [{ name: 'p', routes: late }] }],
]

const DECORATORS: readonly (readonly [subject: string, decorator: unknown])[] = [
  ['@Cache key', Cache({ ttl: 1, key: late as never })],
  ['@Cache tags', Cache({ ttl: 1, shared: true, tags: late as never })],
  ['@RateLimit by', RateLimit({ limit: 1, window: 1, by: late as never })],
]

const CALLS: readonly (readonly [subject: string, call: () => unknown])[] = [
  ["defineOption('A'): check", () => defineOption('A', { check: late as never })],
  ['jwt: roles', () => jwt({ keys: secret, roles: late as never })],
  ['jwt: tenant', () => jwt({ keys: secret, tenant: late as never })],
  ['apiKeys(): user', () => apiKeys({ prefix: 'a', find: () => null, user: late as never })],
  ['otel(): ignore', () => otel({ ignore: late as never })],
  ['otel(): attributes', () => otel({ attributes: late as never })],
]

describe('an asynchronous function whose result is needed immediately', () => {
  it.each(OPTIONS)('is refused as %s', async (subject, options) => {
    const problems = await bootProblems(options as AppOptions)
    expect(problems).toContainEqual(
      expect.objectContaining({
        code: 'E_OPTION_INVALID',
        subject,
        cause: expect.stringMatching(/asynchronous|a promise/),
      }),
    )
  })

  it.each(DECORATORS)('is refused as %s', async (subject, decorator) => {
    class C {
      method() {}
    }
    const property = { value: C.prototype.method }
    for (const each of [decorator, /@Webhook/.test(subject) ? Post('a') : Get('a')]) {
      ;(each as (...args: unknown[]) => void)(C.prototype, 'method', property)
    }
    ;(Controller() as (...args: unknown[]) => void)(C)
    const problems = await bootProblems({ controllers: [C] } as AppOptions)
    expect(problems).toContainEqual(
      expect.objectContaining({ subject: `C.method ${subject}`, code: 'E_OPTION_INVALID' }),
    )
  })

  it.each(CALLS)('is refused as %s', (subject, call) => {
    expect(() => usable(call())).toThrow(subject)
    expect(() => usable(call())).toThrow('asynchronous')
  })

  it('is refused in tenantScoped(), even if only its result is a promise', async () => {
    class Store {}
    expect(() => tenantScoped(Store, late)).toThrow('asynchronous')
    const provider = tenantScoped(Store, () => late())
    const make = provider.useFactory as (...args: unknown[]) => object
    await using app = await TestApp.create({ providers: [] })
    const store = make(app.get(Clock))
    expect(() => runWithTenant('acme', () => (store as { name?: unknown }).name)).toThrow(
      'asynchronous',
    )
  })

  it('results in a 401 response if it is `roles` of jwt() and only its result is a promise', async () => {
    @Controller('me')
    class MeController {
      @Get() me() {
        return {}
      }
    }
    const guard = jwt({ keys: secret, roles: () => late() as never })
    await using app = await TestApp.create({
      controllers: [MeController],
      auth: { guard, default: 'protected' },
    })
    const token = signTestToken({ sub: 'ada' }, secret, { clock: app.clock })
    const response = await app.fetch('/me', { headers: { authorization: `Bearer ${token}` } })
    expect(response.status).toBe(401)
    expect(JSON.stringify(app.logs.map(({ facts }) => String(facts['err'])))).toContain(
      'a function that reads claims returned a promise',
    )
  })
})
