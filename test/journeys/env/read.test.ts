import { type } from 'arktype'
import { App, env, secret } from 'blazon'
import Type from 'typebox'
import * as v from 'valibot'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import * as mini from 'zod/mini'
import { errorOf, problemsOf } from './support.js'

afterEach(() => void vi.unstubAllEnvs())

const Settings = z.object({
  PORT: z.coerce.number().int().min(1).max(65_535).default(3000),
  LOG_LEVEL: z.enum(['debug', 'info']).default('info'),
  DATABASE_URL: secret(z.url()),
})
const URL = 'postgres://app:hunter2@db/orders'

describe('the method Env.read()', () => {
  it('converts the variables by the schema, fills in defaults, and freezes the result', () => {
    const config = env(Settings).read({ PORT: '80', DATABASE_URL: URL, HOME: '/root' })
    expect(config.PORT).toBe(80)
    expect(config.LOG_LEVEL).toBe('info')
    expect(config.DATABASE_URL).toBe(URL)
    expect('HOME' in config).toBe(false)
    expect(Object.isFrozen(config)).toBe(true)
    expect(() => Object.assign(config, { PORT: 81 })).toThrow(TypeError)
  })

  it('freezes lists and objects that the schema creates', () => {
    const List = z.object({ HOSTS: z.string().transform((text) => text.split(',')) })
    const { HOSTS } = env(List).read({ HOSTS: 'a,b' })
    expect(HOSTS).toEqual(['a', 'b'])
    expect(() => (HOSTS as string[]).push('c')).toThrow(TypeError)
  })

  it('reads the environment of the process, but never changes it', () => {
    vi.stubEnv('BLAZON_TEST_NAME', 'x')
    const before = { ...process.env }
    const Env = env(
      z.object({ BLAZON_TEST_NAME: z.string(), BLAZON_TEST_N: z.string().default('d') }),
    )
    expect(Env.read()).toEqual({ BLAZON_TEST_NAME: 'x', BLAZON_TEST_N: 'd' })
    expect({ ...process.env }).toEqual(before)
    vi.stubEnv('BLAZON_TEST_NAME', 'y')
    expect(Env.read().BLAZON_TEST_NAME).toBe('y')
  })

  it('reports all invalid variables together, each with its cause and remedy', async () => {
    const Env = env(
      z.object({
        PORT: z.coerce.number().int().min(1).max(65_535),
        LOG_LEVEL: z.enum(['debug', 'info']),
        REGION: z.string(),
        DATABASE_URL: secret(z.url()),
        API_KEY: secret(z.string().min(20)),
      }),
    )
    const error = await errorOf(() =>
      Env.read({ PORT: 'http', LOG_LEVEL: 'loud', REGION: '', API_KEY: 'short-key' }),
    )
    expect(error.problems).toEqual([
      {
        code: 'E_ENV_INVALID',
        subject: 'PORT',
        cause:
          'Its value in the given variables is refused. Invalid input: expected number, received NaN.',
        remedy: 'Set it to a whole number, from 1 to 65535.',
      },
      {
        code: 'E_ENV_INVALID',
        subject: 'LOG_LEVEL',
        cause:
          'Its value in the given variables is refused. Invalid option: expected one of "debug"|"info".',
        remedy: 'Set it to debug or info.',
      },
      {
        code: 'E_ENV_INVALID',
        subject: 'REGION',
        cause: 'It is empty in the given variables, which counts as not set.',
        remedy: 'Set it: text.',
      },
      {
        code: 'E_ENV_INVALID',
        subject: 'DATABASE_URL',
        cause: 'It is not set.',
        remedy:
          'Set it: text of the format uri. Or set DATABASE_URL_FILE to the path of a file that contains it.',
      },
      {
        code: 'E_ENV_INVALID',
        subject: 'API_KEY',
        cause: 'Its value in the given variables is refused.',
        remedy: 'Set it to text, at least 20 characters.',
      },
    ])
    expect(error.message).toContain('5 problems')
    expect(error.stack?.split('\n    at ')[1]).toContain('read.test.ts')
  })

  it('suggests a new name for a variable with a misspelled name', async () => {
    const [problem] = await problemsOf(() => env(Settings).read({ DATABSE_URL: URL }))
    expect(problem).toEqual({
      code: 'E_ENV_INVALID',
      subject: 'DATABASE_URL',
      cause: 'It is not set.',
      remedy: 'DATABSE_URL is set, but is not used: rename it to DATABASE_URL.',
    })
    const [empty] = await problemsOf(() => env(Settings).read({ DATABSE_URL: '' }))
    expect(empty?.remedy).toMatch(/^Set it: /)
  })

  it('detects a misspelled name with a few extra letters', async () => {
    const Port = env(z.object({ LISTENS_ON_PORT: z.string() }))
    const [problem] = await problemsOf(() => Port.read({ LISTENS_ON_PORT_NUM: '80' }))
    expect(problem?.remedy).toContain('LISTENS_ON_PORT_NUM is set')
    const [other] = await problemsOf(() => Port.read({ LISTENS_ON_PORT: '', PATH: '/bin' }))
    expect(other?.remedy).toBe('Set it: text.')
  })

  it('treats an empty string as a variable that is not set', () => {
    const Env = env(
      z.object({ PORT: z.coerce.number().default(3000), NAME: z.string().optional() }),
    )
    expect(Env.read({ PORT: '', NAME: '' })).toEqual({ PORT: 3000 })
  })

  it('keeps the message of a check that compares several variables', async () => {
    const Env = env(
      z
        .object({ USER_NAME: z.string().optional(), TOKEN: z.string().optional() })
        .refine(({ USER_NAME, TOKEN }) => USER_NAME ?? TOKEN, 'Set USER_NAME or TOKEN'),
    )
    expect(await problemsOf(() => Env.read({}))).toEqual([
      {
        code: 'E_ENV_INVALID',
        subject: 'env()',
        cause: 'Set USER_NAME or TOKEN.',
        remedy: 'Correct the variables that the schema compares.',
      },
    ])
  })

  it('reads variables with the names of built-in object properties', async () => {
    const names = ['constructor', 'toString', 'hasOwnProperty'] as const
    const shape = Object.fromEntries(names.map((name) => [name, z.string().optional()]))
    expect(env(z.object(shape)).read({})).toEqual({})
    const set = Object.fromEntries(names.map((name) => [name, name]))
    expect({ ...env(z.object(shape)).read(set) }).toEqual(set)
    const needed = env(z.object({ constructor: z.string() }))
    expect((await problemsOf(() => needed.read({})))[0]?.cause).toBe('It is not set.')
    const Box = env(v.object({ ['__proto__']: v.string(), A: v.string() }))
    const own = JSON.parse('{"__proto__":"x","A":"a"}')
    expect(Object.getPrototypeOf(Box.read(own))).toBe(Object.prototype)
  })

  it('reads a value of one megabyte, and does not print it if it is refused', async () => {
    const long = 'x'.repeat(1_000_000)
    const Env = env(z.object({ TEXT: z.string() }))
    expect(Env.read({ TEXT: long }).TEXT).toHaveLength(1_000_000)
    const Refusing = env(type({ TEXT: 'string.url' }))
    expect((await errorOf(() => Refusing.read({ TEXT: long }))).message.length).toBeLessThan(1000)
  })
})

describe.each([
  [
    'zod',
    () =>
      env(
        z.object({
          PORT: z.coerce.number().default(3000),
          NAME: z.string(),
          KEY: secret(z.string().min(8)).optional(),
        }),
      ),
  ],
  [
    'zod/mini',
    () =>
      env(
        mini.object({
          PORT: mini._default(mini.coerce.number(), 3000),
          NAME: mini.string(),
          KEY: mini.optional(secret(mini.string().check(mini.minLength(8)))),
        }),
      ),
  ],
  [
    'valibot',
    () =>
      env(
        v.object({
          PORT: v.optional(v.pipe(v.string(), v.transform(Number), v.number()), '3000'),
          NAME: v.string(),
          KEY: v.optional(secret(v.pipe(v.string(), v.minLength(8)))),
        }),
      ),
  ],
  [
    'arktype',
    () =>
      env(
        type({
          PORT: type('string.integer.parse').default('3000'),
          NAME: 'string',
          'KEY?': secret(type('string >= 8')),
        }),
      ),
  ],
])('a schema of %s', (_, make) => {
  it('defines the variables and which of them are secret', async () => {
    const config = make().read({ NAME: 'a', KEY: 'canary-of-a-key', PATH: '/bin' })
    expect({ ...config }).toEqual({ PORT: 3000, NAME: 'a' })
    expect(config.KEY).toBe('canary-of-a-key')
    expect(JSON.parse(JSON.stringify(config))).toEqual({ PORT: 3000, NAME: 'a', KEY: '••••' })
    const problems = await problemsOf(() => make().read({ PORT: 'x', KEY: 'canary' }))
    expect(problems.map(({ subject }) => subject).sort()).toEqual(['KEY', 'NAME', 'PORT'])
    expect(JSON.stringify(problems)).not.toContain('canary')
  })
})

describe('a schema that cannot be read synchronously', () => {
  const Box = Type.Object({
    PORT: Type.Integer({ default: 3000 }),
    NAME: Type.String(),
    KEY: secret(Type.String({ minLength: 8 })),
  })
  const Later = z.object({ NAME: z.string().refine(async (name) => name === 'a') })

  it.each([
    ['an asynchronous schema', env(Later), { NAME: 'a' }],
    ['an asynchronous schema that refuses', env(Later), { NAME: 'b' }],
    ['a JSON Schema', env(Box), { NAME: 'a', KEY: 'long enough' }],
  ])('is refused by Env.read(): %s', async (_, Env, variables) => {
    const [problem] = await problemsOf(() => Env.read(variables))
    expect(problem?.code).toBe('E_ENV_INVALID')
    expect(problem?.remedy).toContain('providers: [Env.provider]')
  })

  it('is awaited at boot when its provider is listed', async () => {
    vi.stubEnv('PORT', '')
    vi.stubEnv('NAME', 'a')
    vi.stubEnv('KEY', 'canary-of-a-key')
    const [Async, Json] = [env(Later, { file: false }), env(Box, { file: false })]
    const app = await App.create({ providers: [Async.provider, Json.provider] })
    expect(app.get(Async)).toEqual({ NAME: 'a' })
    expect({ ...app.get(Json) }).toEqual({ PORT: 3000, NAME: 'a' })
    expect(app.get(Json).KEY).toBe('canary-of-a-key')
    await app.close()
    vi.stubEnv('NAME', '')
    vi.stubEnv('KEY', 'canary')
    const error = await errorOf(() => App.create({ providers: [Json.provider] }))
    expect(error.problems.map(({ subject }) => subject).sort()).toEqual(['KEY', 'NAME'])
    expect(error.message).not.toContain('canary')
  })
})

describe('the function env()', () => {
  it.each([
    ['a schema of text', z.string()],
    ['a schema of a record', z.record(z.string(), z.string())],
    ['a valibot schema of text', v.string()],
    ['an arktype schema of a list', type('string[]')],
    ['a JSON Schema of a list', { type: 'array' }],
    ['undefined', undefined as never],
  ])('refuses %s instead of the schema of an object', async (_, schema) => {
    const [problem] = await problemsOf(() => env(schema).read({}))
    expect(problem).toMatchObject({ code: 'E_SCHEMA_INVALID', subject: 'env()' })
  })

  it('refuses a schema that does not produce an object', async () => {
    const Env = env(z.object({ A: z.string() }).transform(({ A }) => A))
    const [problem] = await problemsOf(() => Env.read({ A: 'canary' }))
    expect(problem?.cause).toBe('Its schema produces a value that is not a plain object.')
  })

  it('refuses unknown options, and secrets that the schema does not contain', async () => {
    const A = z.object({ A: z.string() })
    const wrong = { file: 7, secret: ['A'], secrets: 'A' } as never
    const problems = await problemsOf(() => env(A, wrong).read({}))
    expect(problems.map(({ code, subject }) => [code, subject])).toEqual([
      ['E_OPTION_INVALID', 'env.secret'],
      ['E_OPTION_INVALID', 'env.file'],
      ['E_OPTION_INVALID', 'env.secrets'],
    ])
    const [unknown] = await problemsOf(() => env(A, { secrets: ['B'] }).read({ A: 'a' }))
    expect(unknown).toMatchObject({ code: 'E_OPTION_INVALID', subject: 'env.secrets' })
  })

  it('accepts unions, and schemas that wrap other schemas', () => {
    const Either = z.union([
      z.object({ STORE: z.literal('memory') }),
      z.object({ STORE: z.literal('redis'), REDIS_URL: secret(z.url()) }),
    ])
    const set = { STORE: 'redis', REDIS_URL: 'redis://canary', OTHER: 'x' }
    const config = env(Either.readonly()).read(set)
    expect({ ...config }).toEqual({ STORE: 'redis' })
    expect(config).toHaveProperty('REDIS_URL', 'redis://canary')
    const Both = v.intersect([v.object({ A: v.string() }), v.object({ B: secret(v.string()) })])
    expect({ ...env(Both).read({ A: 'a', B: 'b' }) }).toEqual({ A: 'a' })
  })
})
