import assert from 'node:assert'
import { Console } from 'node:console'
import { PassThrough } from 'node:stream'
import { format, inspect } from 'node:util'
import { deserialize, serialize } from 'node:v8'
import { type } from 'arktype'
import {
  App,
  type ConfigError,
  Controller,
  defineControllers,
  env,
  Get,
  inject,
  secret,
} from 'blazon'
import { TestApp } from 'blazon/testing'
import * as v from 'valibot'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { errorOf } from './support.js'

afterEach(() => void vi.unstubAllEnvs())

const CANARY = 'c4n4ry-of-a-"secret"'
const Env = env(z.object({ BLAZON_PORT: z.coerce.number(), BLAZON_KEY: secret(z.string()) }), {
  file: false,
})
const config = Env.read({ BLAZON_PORT: '80', BLAZON_KEY: CANARY })

/** The start of the canary, which no quoting changes. */
const PART = 'c4n4ry'

describe('a secret variable', () => {
  it('is a plain string for the code that reads it', () => {
    const { BLAZON_KEY } = config
    expect(BLAZON_KEY).toBe(CANARY)
    expect('BLAZON_KEY' in config).toBe(true)
    expect(Object.getOwnPropertyNames(config)).toContain('BLAZON_KEY')
  })

  it.each<[string, () => unknown]>([
    ['inspect', () => inspect(config)],
    ['inspect of an object around it', () => inspect({ a: [config] }, { depth: null })],
    ['inspect with showHidden', () => inspect(config, { showHidden: true })],
    ['inspect without customInspect', () => inspect(config, { customInspect: false })],
    [
      'inspect with showHidden and without customInspect',
      () => inspect(config, { showHidden: true, customInspect: false }),
    ],
    ['format with %o, %O, %j and %s', () => format('%o %O %j %s', config, config, config, config)],
    ['JSON.stringify', () => JSON.stringify({ config })],
    ['structuredClone', () => structuredCloneOf(config)],
    ['v8.serialize', () => deserialize(serialize({ ...config }))],
    ['a copy by spreading', () => inspect({ ...config })],
    ['a copy by Object.assign', () => inspect(Object.assign({}, config))],
    ['its keys, values and entries', () => inspect([Object.keys(config), Object.entries(config)])],
    ['console.table, dir and log', () => printed()],
    ['String()', () => `${String(config)}${Object.prototype.toString.call(config)}`],
    ['URLSearchParams', () => String(new URLSearchParams(config as never))],
    ['an error of assert', () => messageOf(() => assert.deepStrictEqual(config, { a: 1 }))],
    ['an error of expect', () => messageOf(() => expect(config).toEqual({ a: 1 }))],
    ['for … in', () => namesIn(config)],
    ['inspect of the token', () => inspect(Env, { showHidden: true, depth: 9 })],
  ])('does not appear in %s', (_, show) => {
    const shown = show()
    expect(typeof shown === 'string' ? shown : JSON.stringify(shown)).not.toContain(PART)
  })

  it('is masked when the variables are printed', () => {
    expect(inspect(config)).toBe("{ BLAZON_PORT: 80, BLAZON_KEY: '••••' }")
    expect(JSON.stringify(config)).toBe('{"BLAZON_PORT":80,"BLAZON_KEY":"••••"}')
  })

  it('is masked in values that the schema derives from it', () => {
    const Made = env(
      z
        .object({ HOST: z.string(), PASSWORD: secret(z.string()) })
        .transform(({ HOST, PASSWORD }) => ({
          HOST,
          url: `redis://:${PASSWORD}@${HOST}`,
          nested: { list: [PASSWORD] },
        })),
    )
    const made = Made.read({ HOST: 'db', PASSWORD: CANARY })
    expect(made.url).toBe(`redis://:${CANARY}@db`)
    expect(inspect(made, { depth: null })).toBe("{ HOST: 'db', url: '••••', nested: '••••' }")
  })

  it('is masked in the fields of a later object in a pipe', () => {
    const fields = { KEY: secret(z.string()) }
    const Zod = z
      .object(fields)
      .transform(({ KEY }) => ({ url: KEY }))
      .pipe(z.object({ url: z.string() }))
    const Valibot = v.pipe(
      v.object({ KEY: secret(v.string()) }),
      v.transform(({ KEY }) => ({ url: KEY })),
      v.object({ url: v.string() }),
    )
    for (const schema of [Zod, Valibot]) {
      expect(inspect(env(schema).read({ KEY: CANARY }))).toBe("{ url: '••••' }")
    }
  })

  it.each([
    ['zod', z.object({ KEY: secret(z.string()).describe('a key').min(90) })],
    ['zod, marked inside', z.object({ KEY: secret(z.string().min(90)).optional().default('d') })],
    ['zod, marked before a pipe', z.object({ KEY: secret(z.string()).pipe(z.url()) })],
    ['zod with meta', z.object({ KEY: z.url().meta({ secret: true, description: 'a key' }) })],
    [
      'zod, with the value in its own message',
      z.object({
        KEY: secret(
          z.string().superRefine((value, context) => context.addIssue(`refused ${value}`)),
        ),
      }),
    ],
    ['valibot', v.object({ KEY: secret(v.pipe(v.string(), v.url())) })],
    ['valibot, marked before a pipe', v.object({ KEY: v.pipe(secret(v.string()), v.url()) })],
    ['valibot, optional', v.object({ KEY: v.optional(secret(v.pipe(v.string(), v.url()))) })],
    [
      'valibot with metadata',
      v.object({ KEY: v.pipe(v.string(), v.metadata({ secret: true }), v.url()) }),
    ],
    [
      'zod, after a preprocess step',
      z.object({ KEY: z.preprocess((value) => value, secret(z.url())) }),
    ],
    ['zod, at the end of a pipe', z.object({ KEY: z.string().pipe(secret(z.url())) })],
    [
      'zod, in a preprocessed object',
      z.preprocess((value) => value, z.object({ KEY: secret(z.url()) })),
    ],
    [
      'valibot, at the end of a pipe',
      v.object({ KEY: v.pipe(v.string(), secret(v.pipe(v.string(), v.url()))) }),
    ],
    ['zod, a strict object', z.strictObject({ KEY: secret(z.url()) })],
    ['arktype', type({ KEY: secret(type('string.url')) })],
    ['arktype, a union', type({ KEY: secret(type('string.url')).or('null') })],
    ['arktype, a morph', type({ KEY: secret(type('string.url')).pipe((text) => text.length) })],
    [
      'zod, refused as a whole',
      z.object({ KEY: secret(z.string()) }).refine(() => false, {
        error: ({ input }) => `refused ${JSON.stringify(input)}`,
      }),
    ],
    [
      'zod, with a transform that throws',
      z.object({
        KEY: secret(z.string()).transform((value) => {
          throw new Error(`thrown ${value}`)
        }),
      }),
    ],
    [
      'zod, with JSON.parse in a transform',
      z.object({ KEY: secret(z.string()).transform((t) => JSON.parse(t)) }),
    ],
  ])('does not appear in an error of %s', async (_, schema) => {
    const error = await errorOf(() => env(schema).read({ KEY: CANARY }))
    expect(error.problems).toHaveLength(1)
    expect(error.cause).toBeUndefined()
    expect(everythingOf(error)).not.toContain(PART)
  })

  it.each([
    ['valibot', v.object({ A: v.pipe(v.string(), v.url()), KEY: secret(v.string()) })],
    ['arktype', type({ A: 'string.url', KEY: secret(type('string')) })],
  ])('is hidden together with other values in an error of %s', async (_, schema) => {
    const error = await errorOf(() => env(schema).read({ A: CANARY, KEY: CANARY }))
    expect(error.problems.map(({ subject }) => subject)).toEqual(['A'])
    expect(everythingOf(error)).not.toContain(PART)
  })

  it('does not appear in the message of another variable', async () => {
    const schema = z
      .object({ PORT: z.string(), KEY: secret(z.string()) })
      .superRefine(({ KEY }, context) =>
        context.addIssue({ code: 'custom', path: ['PORT'], message: `not with ${KEY}` }),
      )
    const error = await errorOf(() => env(schema).read({ PORT: '80', KEY: CANARY }))
    expect(error.problems.map(({ subject }) => subject)).toEqual(['PORT'])
    expect(everythingOf(error)).not.toContain(PART)
  })

  it('can be marked by the option `secrets`', async () => {
    const schema = z.object({ KEY: z.url(), PORT: z.string() })
    const Named = env(schema, { secrets: ['KEY'] })
    expect(inspect(Named.read({ KEY: 'https://x', PORT: '1' }))).toBe("{ KEY: '••••', PORT: '1' }")
    expect(everythingOf(await errorOf(() => Named.read({ KEY: CANARY, PORT: '1' })))).not.toContain(
      PART,
    )
  })

  it('cannot be marked in a schema of an unsupported library', () => {
    const validate = (value: unknown) => ({ value })
    const schema = { '~standard': { version: 1 as const, vendor: 'mine', validate } }
    expect(() => secret(schema)).toThrow(
      "secret() cannot mark a schema of the library 'mine'. List the variable instead: env(schema, { secrets: ['NAME'] }).",
    )
    for (const nothing of [undefined, null, 'text']) {
      expect(() => secret(nothing as never)).toThrow('secret(): the argument is not a schema.')
    }
  })

  it('is marked in a copy of the schema, and the original remains unchanged', () => {
    const [a, b] = [z.string(), v.string()]
    secret(a)
    secret(b)
    secret(type('string'))
    const Plain = env(z.object({ A: a }))
    expect({ ...Plain.read({ A: 'a' }) }).toEqual({ A: 'a' })
    expect({ ...env(v.object({ A: b })).read({ A: 'a' }) }).toEqual({ A: 'a' })
    expect({ ...env(type({ A: 'string' })).read({ A: 'a' }) }).toEqual({ A: 'a' })
  })
})

describe('an application with a secret variable', () => {
  @Controller('broken')
  class BrokenController {
    readonly config = inject(Env)

    @Get()
    fail(): never {
      throw Object.assign(new Error('broken'), { config: this.config, controller: this })
    }

    @Get('variables')
    variables() {
      return { config: this.config }
    }
  }

  it('does not show it in log lines, responses and inspection output', async () => {
    vi.stubEnv('BLAZON_PORT', '80')
    vi.stubEnv('BLAZON_KEY', CANARY)
    const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    const out = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
    const app = await App.create({ controllers: defineControllers(BrokenController) })
    const { port } = await app.listen(0, '127.0.0.1')
    const texts = await Promise.all(
      ['broken', 'broken/variables', 'api-docs.json'].map(async (path) =>
        (await fetch(`http://127.0.0.1:${port}/${path}`)).text(),
      ),
    )
    const lines = [...written.mock.calls, ...out.mock.calls].map(([text]) => String(text))
    await app.close()
    written.mockRestore()
    out.mockRestore()
    expect(lines.join('')).toContain('broken')
    expect(texts[1]).toContain('••••')
    const shown = inspect(app, { depth: null, showHidden: true })
    expect([...lines, ...texts, shown].join('')).not.toContain(PART)
  })

  it('does not show it in boot errors', async () => {
    vi.stubEnv('BLAZON_PORT', 'x')
    vi.stubEnv('BLAZON_KEY', CANARY)
    const errors = [
      await errorOf(() => App.create({ controllers: [BrokenController] })),
      await errorOf(() => TestApp.create({ controllers: [BrokenController] })),
    ]
    for (const error of errors) expect(everythingOf(error)).not.toContain(PART)
  })
})

function structuredCloneOf(value: object): unknown {
  // Functions cannot be cloned, and are not enumerable either.
  return structuredClone(value)
}

function namesIn(value: object): string {
  const names: string[] = []
  for (const name in value) names.push(`${name}=${(value as Record<string, unknown>)[name]}`)
  return names.join()
}

function printed(): string {
  const stream = new PassThrough()
  const console = new Console(stream)
  console.log(config, [config])
  console.dir(config, { showHidden: true })
  console.table(config)
  console.table([config])
  return String(stream.read())
}

function messageOf(run: () => void): string {
  try {
    run()
  } catch (error) {
    return inspect(error, { depth: null })
  }
  throw new Error('It did not throw.')
}

function everythingOf(error: ConfigError): string {
  const shown = inspect(error, { depth: null, showHidden: true })
  return [shown, error.message, error.stack, JSON.stringify(error.problems)].join('\n')
}
