import {
  ApiBody,
  ApiOperation,
  ApiResponseDoc,
  App,
  type AppOptions,
  Body,
  Cache,
  Controller,
  csv,
  cursor,
  defineOption,
  defineParameter,
  file,
  Get,
  githubWebhooks,
  InjectionToken,
  JsonLines,
  Limits,
  memoryCache,
  memoryRateLimit,
  Post,
  page,
  policy,
  RateLimit,
  Sse,
  stripeWebhooks,
  tenantRouter,
  tenantScoped,
  Upload,
  Webhook,
} from 'blazon'
import { jwt, jwtMetadata, signTestToken } from 'blazon/jwt'
import { apiKeys, generateApiKey } from 'blazon/keys'
import { otel } from 'blazon/otel'
import { refuseUnknown } from 'blazon/plugin'
import {
  apiKeysTable,
  migrate,
  postgres,
  postgresSessions,
  protectTable,
  sessionTable,
  tenantTable,
} from 'blazon/postgres'
import { redisCache, redisLimits, redisSessions } from 'blazon/redis'
import { memorySessions, sessions } from 'blazon/sessions'
import { TestApp } from 'blazon/testing'
import express from 'express'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { bootProblems, bootWarnings, usable } from '../../support.js'

/** The subject of the message: the path of the misspelt name, and the name that is meant. */
type Row = readonly [subject: string, meant: string, options: object]

const Item = z.object({ id: z.string() })
const secret = 'a secret of thirty-two characters'
const guard = jwt({ keys: secret, resource: 'https://api.example.com' })

const WARNED: readonly Row[] = [
  ['plugin', 'plugins', { plugin: [] }],
  ['modules[0].provider', 'providers', { modules: [{ provider: [] }] }],
  ['modules[0].imports[1].export', 'exports', { modules: [{ imports: [{}, { export: [] }] }] }],
  [
    'modules[0].providers[0].injekt',
    'inject',
    { modules: [{ providers: [{ token: 'a', useFactory: () => 1, injekt: [] }] }] },
  ],
  ['providers[0].injects', 'inject', { providers: [{ token: 'a', useValue: 1, injects: [] }] }],
  ['security.helmt', 'helmet', { security: { helmt: false } }],
  ['security.helmet.frameGuard', 'frameguard', { security: { helmet: { frameGuard: false } } }],
  ['swagger.titel', 'title', { swagger: { titel: 'Orders' } }],
  ['swagger.contact.mail', 'email', { swagger: { contact: { mail: 'a@b.example' } } }],
  ['swagger.license.nam', 'name', { swagger: { license: { name: 'MIT', nam: 'MIT' } } }],
  ['swagger.servers[0].uri', 'url', { swagger: { servers: [{ url: '/', uri: '/' }] } }],
  ['swagger.tags[0].sumary', 'summary', { swagger: { tags: [{ name: 'a', sumary: '' }] } }],
  ['rateLimit.widnow', 'window', { rateLimit: { limit: 1, window: 1, widnow: 2 } }],
  [
    'rateLimit.policies[0] limits',
    'limit',
    { rateLimit: { policies: [{ limit: 1, window: 1, limits: 2 }] } },
  ],
  ['cache.ttl', 'defaultTtl', { cache: { defaulttl: 1, ttl: 1 } }],
  ['limits.boddy', 'body', { limits: { boddy: '1mb' } }],
  ['timeouts.handlers', 'handler', { timeouts: { handlers: '1s' } }],
]

const REFUSED: readonly Row[] = [
  ['auth.gaurd', 'guard', { auth: { gaurd: {} } }],
  ['security.cors.orgin', 'origin', { security: { cors: { orgin: 'https://a.example' } } }],
  ['tenant.headers', 'header', { tenant: { headers: 'x-org' } }],
  ['cookies.key', 'keys', { cookies: { key: [] } }],
  ['validation.message', 'messages', { validation: { message: 'generic' } }],
  [
    'envelope.sucess',
    'success',
    { envelope: { success: () => ({}), schema: () => ({}), sucess: () => ({}) } },
  ],
  [
    'envelope.error.formats',
    'format',
    {
      envelope: {
        success: () => ({}),
        schema: () => ({}),
        error: { format: () => ({}), schema: Item, formats: 1 },
      },
    },
  ],
  ['errors.status.valdation', 'validation', { errors: { status: { valdation: 422 } } }],
  ['responses.field', 'fields', { responses: { field: 'strip' } }],
  ['health.check', 'checks', { health: { check: {} } }],
  [
    'health.checks.store.requird',
    'required',
    { health: { checks: { store: { check: () => {}, requird: false } } } },
  ],
  ['health.paths.lives', 'live', { health: { paths: { lives: '/up' } } }],
  ['metrics.gaurd', 'guard', { metrics: { gaurd: {} } }],
  ['metrics.tenants.maxx', 'max', { metrics: { tenants: { max: 1, maxx: 2 } } }],
  ['capacity.queues', 'queue', { capacity: { concurrent: 1, queues: 1 } }],
  ['records.keeps', 'keep', { records: { keeps: 1 } }],
  ['records.capsules.foldr', 'folder', { records: { capsules: { foldr: 'a' } } }],
  ['logs.levels', 'level', { logs: { levels: () => 'info' } }],
  ['logger.redacts', 'redact', { logger: { redacts: [] } }],
]

class Thing {}
const at = 'C.method'

/** Decorators of a method that warn, or refuse, with the application. */
const DECORATED: readonly (readonly [subject: string, meant: string, decorator: unknown])[] = [
  [`${at} @Cache tttl`, 'ttl', Cache({ ttl: 60, shared: true, tttl: 60 } as never)],
  [`${at} @RateLimit limits`, 'limit', RateLimit({ limit: 1, window: 1, limits: 1 } as never)],
  [`${at} @Limits timeuot`, 'timeout', Limits({ timeuot: '1s' } as never)],
  [`${at} @Body limits`, 'limit', Body(Item, { type: 'json', limits: '1mb' } as never)],
  [
    `${at} @Upload 'avatar' maxsize`,
    'maxSize',
    Upload({ avatar: file({ maxsize: '1mb' } as never) }),
  ],
  [`${at} @Sse heartbeet`, 'heartbeat', Sse(Item, { heartbeet: '1s' } as never)],
  [`${at} @JsonLines maxage`, 'maxAge', JsonLines(Item, { maxage: '1s' } as never)],
  [`${at} @ApiOperation sumary`, 'summary', ApiOperation({ sumary: '' } as never)],
  [`${at} @ApiBody require`, 'required', ApiBody({ schema: Item, require: true } as never)],
  [
    `${at} @ApiResponseDoc contentTyp`,
    'contentType',
    ApiResponseDoc({ status: 404, contentTyp: '' } as never),
  ],
  [
    `${at} @Webhook tolerence`,
    'tolerance',
    Webhook(stripeWebhooks('whsec_a', { tolerence: '5m' } as never)),
  ],
  [`${at} @Webhook replay`, 'replays', Webhook(githubWebhooks('a', { replay: {} } as never))],
]

/** Functions that cannot warn, so they refuse. */
const CALLS: readonly (readonly [subject: string, meant: string, call: () => unknown])[] = [
  ['memoryCache(): maxentries', 'maxEntries', () => memoryCache({ maxentries: 1 } as never)],
  ['memoryRateLimit(): maxkey', 'maxKeys', () => memoryRateLimit({ maxkey: 1 } as never)],
  ['csv(): column', 'columns', () => csv({ column: ['id'] } as never)],
  ['page(): pagesize', 'pageSize', () => page(Item, { pagesize: 1 } as never)],
  ['cursor(): limits', 'limit', () => cursor(Item, { order: ['id'], limits: 1 } as never)],
  ['policy(): anonymus', 'anonymous', () => policy('a', {}, { anonymus: true } as never)],
  ['tenantScoped(): maxx', 'max', () => tenantScoped(Thing, () => ({}), { maxx: 1 } as never)],
  ['tenantRouter(): paths', 'path', () => tenantRouter(express.Router(), { paths: '/' } as never)],
  [
    "InjectionToken 'a': useFactor",
    'useFactory',
    () => new InjectionToken('a', { useFactor: () => 1 } as never),
  ],
  ["defineOption('A'): merges", 'merge', () => defineOption('A', { merges: 'list' } as never)],
  ['defineParameter(): nam', 'name', () => defineParameter(() => 1, { nam: 'a' } as never)],
  ['jwt: audiences', 'audience', () => jwt({ keys: secret, audiences: 'a' } as never)],
  ['jwt: keys[0].kidd', 'kid', () => jwt({ keys: { secret, kidd: 'a' } as never })],
  ['jwtMetadata(): scope', 'scopes', () => jwtMetadata(guard, { scope: [] } as never)],
  ['signTestToken(): clok', 'clock', () => signTestToken({}, secret, { clok: 1 } as never)],
  [
    'apiKeys(): headers',
    'header',
    () => apiKeys({ prefix: 'a', find: () => null, headers: 'x' } as never),
  ],
  ['generateApiKey(): prefx', 'prefix', () => generateApiKey({ prefix: 'a', prefx: 'b' } as never)],
  ['sessions(): idel', 'idle', () => sessions({ idel: '1h' } as never)],
  [
    'sessions(): cookie.samesite',
    'sameSite',
    () => sessions({ cookie: { samesite: 'strict' } } as never),
  ],
  ['memorySessions(): maxSession', 'maxSessions', () => memorySessions({ maxSession: 1 } as never)],
  ['otel(): step', 'steps', () => otel({ step: false } as never)],
  [
    'postgres(): connection',
    'connections',
    () => postgres({ url: 'postgres://a/b', connection: 1 } as never),
  ],
  [
    'postgres(): timeouts.aquire',
    'acquire',
    () => postgres({ url: 'postgres://a/b', timeouts: { aquire: 1 } } as never),
  ],
  ['postgresSessions(): tabel', 'table', () => postgresSessions({ tabel: 'a' } as never)],
  ['sessionTable(): rol', 'role', () => sessionTable({ rol: 'a' } as never)],
  ['tenantTable(): uniqe', 'unique', () => tenantTable('a', { columns: [], uniqe: [] } as never)],
  [
    'tenantTable(): references.b.ondelete',
    'onDelete',
    () =>
      tenantTable('a', { columns: [], references: { b: { table: 'b', ondelete: '' } } } as never),
  ],
  ['protectTable(): shema', 'schema', () => protectTable('a', { shema: 'b' } as never)],
  ['apiKeysTable(): logins', 'login', () => apiKeysTable({ logins: 'a' } as never)],
  ['migrate(): role', 'roles', () => migrate({ url: 'postgres://a/b' }, { role: true } as never)],
  ['redisCache(): prefx', 'prefix', () => redisCache({ prefx: 'a' } as never)],
  ['redisLimits(): fallbak', 'fallback', () => redisLimits({ fallbak: {} } as never)],
  ['redisSessions(): timout', 'timeout', () => redisSessions({ timout: 1 } as never)],
  ['listen(): signal', 'signals', () => new App({}).listen(0, { signal: true } as never)],
  [
    'coverage.tresholds',
    'threshold',
    () => TestApp.create({ coverage: { tresholds: 1 } } as never),
  ],
  [
    'coverage.threshold.operation',
    'operations',
    () => TestApp.create({ coverage: { threshold: { operation: 1 } } } as never),
  ],
  ['queries.repeat', 'repeats', () => TestApp.create({ queries: { repeat: 1 } } as never)],
  [
    'statements[0].row',
    'rows',
    () => TestApp.create({ statements: [{ text: 'select 1', row: [] }] } as never),
  ],
]

async function problemOf(call: () => unknown) {
  const error = await (async () => usable(await call()))().then(
    () => undefined,
    (thrown) => thrown,
  )
  return error?.problems?.[0]
}

describe('an unknown option name', () => {
  it.each(WARNED)(
    'causes a warning with the subject %s and the suggestion %s',
    async (subject, meant, options) => {
      const warnings = await bootWarnings(options as AppOptions)
      const found = warnings.filter(({ code }) => code === 'W_OPTION_UNKNOWN')
      expect(found.map(({ text }) => text).join('\n')).toContain(`[W_OPTION_UNKNOWN] ${subject}\n`)
      expect(found.map(({ text }) => text).join('\n')).toContain(meant)
    },
  )

  it.each(REFUSED)(
    'causes a boot error with the subject %s and the suggestion %s',
    async (subject, meant, options) => {
      const problems = await bootProblems(options as AppOptions)
      const remedy = expect.stringContaining(`Did you mean ${meant}?`)
      expect(problems).toContainEqual(expect.objectContaining({ subject, remedy }))
    },
  )

  it.each(DECORATED)(
    'in a decorator causes a problem with the subject %s and the suggestion %s',
    async (...row) => {
      const [subject, meant, decorator] = row
      class C {
        method(): unknown {
          return []
        }
      }
      const decorate = (each: unknown) =>
        (each as (...args: unknown[]) => void)(C.prototype, 'method', {
          value: C.prototype.method,
        })
      decorate(decorator)
      decorate(/@(?:Cache|Sse|JsonLines|RateLimit|Limits)/.test(subject) ? Get('a') : Post('a'))
      ;(Controller() as (...args: unknown[]) => void)(C)
      const options = { controllers: [C] } as AppOptions
      const problems = await bootProblems({ ...options, strict: true })
      const remedy = expect.stringContaining(`Did you mean ${meant}?`)
      expect(problems).toContainEqual(expect.objectContaining({ subject, remedy }))
    },
  )

  it.each(CALLS)(
    'in a call causes an error with the subject %s and the suggestion %s',
    async (subject, meant, call) => {
      expect(await problemOf(call)).toMatchObject({
        code: 'E_OPTION_INVALID',
        subject,
        remedy: expect.stringContaining(`Did you mean ${meant}?`),
      })
    },
  )

  it('is refused if a third-party plugin calls refuseUnknown()', async () => {
    const names = { from: true, retries: { count: true } }
    const call = () => refuseUnknown('mails()', { from: 'a', retries: { conut: 2 } }, names)
    expect(await problemOf(call)).toMatchObject({ subject: 'mails(): retries.conut' })
  })

  it('is accepted in OpenAPI objects if it begins with x-', async () => {
    const contact = { name: 'A', 'x-team': 'orders' }
    expect(await bootWarnings({ swagger: { contact } })).toEqual([])
  })
})
