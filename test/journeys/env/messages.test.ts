import { join } from 'node:path'
import { inspect } from 'node:util'
import { App, env, secret } from 'blazon'
import { TestApp } from 'blazon/testing'
import * as v from 'valibot'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { errorOf, folderWith, problemsOf, workIn } from './support.js'

afterEach(() => void vi.unstubAllEnvs())

/** The cause of the only problem of a variable whose check has this message. */
async function causeOf(message: string, value: string): Promise<string | undefined> {
  const Env = env(z.object({ A: z.string().refine(() => false, message) }))
  const problems = await problemsOf(() => Env.read({ A: value }))
  expect(problems.map(({ subject }) => subject)).toEqual(['A'])
  return problems[0]?.cause
}

describe('the message of a check in a schema', () => {
  const refused = 'Its value in the given variables is refused.'

  it.each([
    ['is not good', `${refused} is not good.`],
    ['is it good?', `${refused} is it good?`],
    ['be good!', `${refused} be good!`],
    ['has abcd', `${refused} has abcd.`],
    ['has abcde', refused],
    ['has defgh in it', refused],
    ['x'.repeat(300), `${refused} ${'x'.repeat(300)}.`],
    ['x'.repeat(301), refused],
  ])(
    'is shown as a sentence, unless it may repeat five characters of the value: %s',
    async (message, cause) => {
      expect(await causeOf(message, 'abcdefgh')).toBe(cause)
    },
  )

  it('is not shown if it repeats a short value', async () => {
    expect(await causeOf('no xyz', 'xyz')).toBe(refused)
  })

  it('is shown for several variables only if it repeats no value', async () => {
    const causeFor = async (message: string) => {
      const schema = z.object({ A: z.string(), B: z.string().optional() })
      const Env = env(schema.refine(() => false, message))
      return (await problemsOf(() => Env.read({ A: 'abcdefgh', B: '' })))[0]?.cause
    }
    expect(await causeFor('A without B')).toBe('A without B.')
    expect(await causeFor('not abcdefgh')).toBe(
      'The schema refuses this combination of variables; its message is not shown, because it repeats a value.',
    )
  })

  it('is the first one if a variable has several', async () => {
    const A = z.string().min(9, 'too short').regex(/^z/, 'no z')
    const problems = await problemsOf(() => env(z.object({ A })).read({ A: 'abc' }))
    expect(problems.map(({ cause }) => cause)).toEqual([`${refused} too short.`])
  })
})

describe('the remedy for a variable', () => {
  it('contains no expected value if the schema does not describe it', async () => {
    const Env = env(
      z.object({
        A: z.any().refine(() => false, 'no'),
        B: z.custom((value) => value !== undefined),
      }),
    )
    const problems = await problemsOf(() => Env.read({ A: 'x' }))
    expect(problems.map(({ remedy }) => remedy)).toEqual(['Correct it.', 'Set it.'])
  })

  it('names the file that contains an invalid or empty value', async () => {
    workIn({ 'own.env': 'BLAZON_A=\nBLAZON_B=x\n' })
    const schema = z.object({ BLAZON_A: z.string(), BLAZON_B: z.coerce.number() })
    const problems = await problemsOf(() => env(schema, { file: 'own.env' }).read())
    expect(problems.map(({ cause }) => cause)).toEqual([
      'It is empty in own.env, which counts as not set.',
      expect.stringMatching(/^Its value in own\.env is refused\./),
    ])
  })

  it('names the file .env under NODE_ENV=test, but not for a variable that the file lacks', async () => {
    workIn({ '.env': 'BLAZON_A=canary\n' })
    vi.stubEnv('NODE_ENV', 'test')
    const schema = z.object({ BLAZON_A: z.string(), BLAZON_B: z.string() })
    const problems = await problemsOf(() => env(schema).read())
    expect(problems.map(({ remedy }) => remedy)).toEqual([
      'The file .env sets it, but is not read under NODE_ENV=test: set BLAZON_A in the environment, or start Node with --env-file=.env.',
      'Set it: text.',
    ])
    // A TestApp never reads the file.
    const tested = await problemsOf(() => TestApp.create({ providers: [env(schema).provider] }))
    expect(tested.map(({ remedy }) => remedy)).toEqual(['Set it: text.', 'Set it: text.'])
  })
})

describe('a schema that fails', () => {
  const thrown = (name: string) =>
    `Its schema threw a ${name}. The message is not shown, because it may repeat a value.`

  it.each<[string, unknown, string]>([
    ['an error', new RangeError('canary'), 'RangeError'],
    ['a text', 'canary', 'string'],
  ])('is reported without the message: %s', async (_, error, name) => {
    const fail = () => {
      throw error
    }
    const Now = env(v.object({ A: v.pipe(v.string(), v.transform(fail)) }))
    expect((await problemsOf(() => Now.read({ A: 'a' })))[0]?.cause).toBe(thrown(name))
    vi.stubEnv('BLAZON_A', 'a')
    const later = v.objectAsync({
      BLAZON_A: v.pipeAsync(
        v.string(),
        v.transformAsync(async () => fail()),
      ),
    })
    const Later = env(later, { file: false })
    const [problem] = await problemsOf(() => App.create({ providers: [Later.provider] }))
    expect(problem?.cause).toBe(thrown(name))
  })

  it('is reported if it is a JSON Schema that does not compile', async () => {
    const schema = { type: 'object', properties: { A: { type: 'nonsense' } } } as const
    const Env = env(schema as never, { file: false })
    const [problem] = await problemsOf(() => App.create({ providers: [Env.provider] }))
    expect(problem).toMatchObject({ code: 'E_SCHEMA_INVALID', subject: 'env()' })
    expect(problem?.cause).toMatch(/^Its JSON Schema does not compile: .+\.$/)
  })
})

describe('the options of env()', () => {
  const A = z.object({ A: z.string() })

  it.each<[object, string, string]>([
    [{ file: '' }, 'env.file', "Pass a path such as '.env.local', or `false`."],
    [{ file: true }, 'env.file', "Pass a path such as '.env.local', or `false`."],
    [{ secrets: ['A', 1] }, 'env.secrets', "Pass a list such as ['DATABASE_URL']."],
    [{ secrets: ['A', 'B'] }, 'env.secrets', 'Correct the name, or remove it.'],
  ])('are refused with a remedy: %j', async (options, subject, remedy) => {
    const problems = await problemsOf(() => env(A, options).read({ A: 'a' }))
    expect(problems).toMatchObject([{ code: 'E_OPTION_INVALID', subject, remedy }])
  })
})

describe('a NAME_FILE variable', () => {
  const Key = env(z.object({ KEY: secret(z.string()) }))
  const causeFor = async (KEY_FILE: string) =>
    (await errorOf(() => Key.read({ KEY_FILE }))).problems[0]?.cause

  it('can name a file of exactly one mebibyte', () => {
    const folder = folderWith({ key: 'x'.repeat(1_048_576) })
    expect(Key.read({ KEY_FILE: join(folder, 'key') }).KEY).toHaveLength(1_048_576)
  })

  it('is refused with the reason if a part of its path is a file', async () => {
    const path = join(folderWith({ key: 'x' }), 'key', 'inner')
    expect(await causeFor(path)).toBe(`${path} cannot be read: a part of the path is not a folder.`)
  })

  it('has at most 1,024 characters', async () => {
    const path = (length: number) => `/none/${'x'.repeat(length - 6)}`
    expect(await causeFor(path(1024))).toMatch(/^\/none\/x+ cannot be read: /)
    expect(await causeFor(path(1025))).toBe('Its value is not the path of a file.')
  })
})

describe('the result of env()', () => {
  it('is frozen with its lists and plain objects, but not with instances of classes', () => {
    class Pool {
      size = 1
    }
    const made = { A: { list: [{ a: 1 }] }, B: new Pool(), C: Object.create(null) }
    const { A, B, C } = env(z.object({ A: z.string() }).transform(() => made)).read({ A: 'a' })
    for (const value of [A, A.list, A.list[0], C]) expect(Object.isFrozen(value)).toBe(true)
    B.size = 2
    expect(B.size).toBe(2)
  })

  it('keeps a variable with the name toJSON', () => {
    const config = env(z.object({ toJSON: z.string(), KEY: secret(z.string()) })).read({
      toJSON: 'text',
      KEY: 'canary',
    })
    expect(config.toJSON).toBe('text')
    expect(inspect(config)).toBe("{ toJSON: 'text', KEY: '••••' }")
  })
})
