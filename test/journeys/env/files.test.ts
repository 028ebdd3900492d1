import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { App, env, inject, secret } from 'blazon'
import { TestApp } from 'blazon/testing'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { errorOf, folderWith, problemsOf, workIn } from './support.js'

const Schema = z.object({ BLAZON_A: z.string().optional(), BLAZON_B: z.string().optional() })

describe('the .env file', () => {
  it('provides variables that the environment does not contain', () => {
    workIn({ '.env': '\uFEFF# comment\nBLAZON_A="from file" # comment\nBLAZON_B=file\nOTHER=x\n' })
    vi.stubEnv('BLAZON_B', 'environment')
    const before = { ...process.env }
    expect(env(Schema).read()).toEqual({ BLAZON_A: 'from file', BLAZON_B: 'environment' })
    expect({ ...process.env }).toEqual(before)
  })

  it('does not replace a variable that is set to an empty string', () => {
    workIn({ '.env': 'BLAZON_A=file\n' })
    vi.stubEnv('BLAZON_A', '')
    expect(env(Schema).read()).toEqual({})
  })

  it('is ignored if it is missing or a folder', () => {
    const folder = workIn({})
    expect(env(Schema).read()).toEqual({})
    mkdirSync(join(folder, '.env'))
    expect(env(Schema).read()).toEqual({})
  })

  it('is not read if the variables are passed to Env.read(), or with `file: false`', () => {
    workIn({ '.env': 'BLAZON_A=file\n' })
    expect(env(Schema).read({ BLAZON_B: 'b' })).toEqual({ BLAZON_B: 'b' })
    expect(env(Schema, { file: false }).read()).toEqual({})
  })

  it.each(['production', 'test'])(
    'is not read under NODE_ENV=%s without the option `file`',
    (mode) => {
      workIn({ '.env': 'BLAZON_A=file\n' })
      vi.stubEnv('NODE_ENV', mode)
      expect(env(Schema).read()).toEqual({})
      expect(env(Schema, { file: '.env' }).read()).toEqual({ BLAZON_A: 'file' })
    },
  )

  it('is mentioned in the error about a missing variable that it sets if production does not read it', async () => {
    workIn({ '.env': 'BLAZON_A=canary\n' })
    vi.stubEnv('NODE_ENV', 'production')
    const [problem] = await problemsOf(() => env(z.object({ BLAZON_A: z.string() })).read())
    expect(problem?.remedy).toBe(
      'The file .env sets it, but is not read under NODE_ENV=production: set BLAZON_A in the environment, or start Node with --env-file=.env.',
    )
  })

  describe('that production does not read', () => {
    /** Boots an application, and returns the codes and texts of its warnings. */
    async function warningsOf(options: object): Promise<[code: unknown, text: string][]> {
      const warnings: [unknown, string][] = []
      const warn = (facts: object, text: string) =>
        void warnings.push([(facts as { code?: unknown }).code, text])
      const app = await App.create({ logger: { info() {}, warn, error() {} }, ...options })
      await app.close()
      return warnings
    }

    // A warning waits for the next application of the process: take those of other tests.
    beforeEach(() => warningsOf({}).then(() => undefined))

    it('causes one warning with the names of the optional variables that it would set', async () => {
      workIn({ '.env': 'BLAZON_A=canary\nBLAZON_B_FILE=/run/b\nOTHER=x\n' })
      vi.stubEnv('NODE_ENV', 'production')
      const Env = env(Schema)
      Env.read()
      const warnings = await warningsOf({ providers: [Env.provider] })
      expect(warnings.map(([code]) => code)).toEqual(['W_ENV_FILE_UNREAD'])
      const [[, text = ''] = []] = warnings
      expect(text).toContain('It sets BLAZON_A, BLAZON_B_FILE, but is not read')
      expect(text).toContain('the environment does not set these variables.')
      expect(text).toContain('Set them in the environment, or start Node with --env-file=.env.')
      expect(text).not.toMatch(/canary|OTHER/)
      expect(await warningsOf({})).toEqual([])
    })

    it('causes a warning even if only Env.read() was called, and an error with `strict: true`', async () => {
      workIn({ '.env': 'BLAZON_A=canary\n' })
      vi.stubEnv('NODE_ENV', 'production')
      const Env = env(Schema)
      Env.read()
      const [[, text] = []] = await warningsOf({})
      expect(text).toContain(
        'It sets BLAZON_A, but is not read under NODE_ENV=production, and the environment does not set this variable.',
      )
      expect(text).toContain('Set BLAZON_A in the environment, or start Node')
      Env.read()
      expect(await warningsOf({})).toHaveLength(1)
      const problems = await problemsOf(() =>
        App.create({ providers: [Env.provider], strict: true }),
      )
      expect(problems.map(({ code }) => code)).toEqual(['W_ENV_FILE_UNREAD'])
    })

    it('causes no warning if it would set no variable, with `file: false`, or under NODE_ENV=test', async () => {
      workIn({ '.env': 'BLAZON_A=file\nBLAZON_B=file\nOTHER=x\n' })
      vi.stubEnv('NODE_ENV', 'production')
      vi.stubEnv('BLAZON_A', 'environment')
      vi.stubEnv('BLAZON_B', '')
      expect(await warningsOf({ providers: [env(Schema).provider] })).toEqual([])
      expect(await warningsOf({ providers: [env(Schema, { file: false }).provider] })).toEqual([])
      const Other = env(z.object({ BLAZON_C: z.string().optional() }))
      expect(await warningsOf({ providers: [Other.provider] })).toEqual([])
      vi.stubEnv('BLAZON_A', undefined)
      vi.stubEnv('NODE_ENV', 'test')
      expect(await warningsOf({ providers: [env(Schema).provider] })).toEqual([])
    })
  })

  it('is searched for misspelled names of variables', async () => {
    workIn({ '.env': 'BLAZON_DATABSE=x\n' })
    const Env = env(z.object({ BLAZON_DATABASE: z.string() }))
    const [problem] = await problemsOf(() => Env.read())
    expect(problem?.remedy).toContain('BLAZON_DATABSE is set, but is not used')
  })

  it('causes an error if the option names it and it does not exist', async () => {
    workIn({})
    expect(await problemsOf(() => env(Schema, { file: 'none.env' }).read())).toEqual([
      {
        code: 'E_ENV_INVALID',
        subject: 'none.env',
        cause: 'It cannot be read: ENOENT.',
        remedy: 'Create the file or make it readable, or change the option `file` of env().',
      },
    ])
  })

  it('is not read by a TestApp without the option `file`', async () => {
    workIn({ '.env': 'BLAZON_A=file\n' })
    const Named = env(Schema, { file: '.env' })
    const Usual = env(Schema)
    class Reader {
      readonly named = inject(Named)
      readonly usual = inject(Usual)
    }
    const app = await TestApp.create({ providers: [Reader, Usual.provider] })
    expect(app.get(Reader)).toEqual({ named: { BLAZON_A: 'file' }, usual: {} })
    await app.close()
    const real = await App.create({ providers: [Reader] })
    expect(real.get(Reader).usual).toEqual({ BLAZON_A: 'file' })
    await real.close()
  })
})

describe('a NAME_FILE variable', () => {
  const Secret = env(z.object({ KEY: secret(z.string().min(5)), NAME: z.string().optional() }))

  it.each([
    ['canary-key\n', 'canary-key'],
    ['canary-key\r\n', 'canary-key'],
    ['canary-key\n\n', 'canary-key\n'],
    ['  canary key', '  canary key'],
  ])('provides the content of its file without one final line break: %j', (text, key) => {
    const folder = folderWith({ key: text, name: 'n' })
    const set = { KEY_FILE: join(folder, 'key'), NAME_FILE: join(folder, 'name') }
    const config = Secret.read(set)
    expect(config.KEY).toBe(key)
    expect(config.NAME).toBe('n')
  })

  it('conflicts with the variable NAME, unless one of the two is empty', async () => {
    const folder = folderWith({ key: 'canary-key' })
    const KEY_FILE = join(folder, 'key')
    expect(Secret.read({ KEY: '', KEY_FILE }).KEY).toBe('canary-key')
    expect(Secret.read({ KEY: 'canary', KEY_FILE: '' }).KEY).toBe('canary')
    expect(await problemsOf(() => Secret.read({ KEY: 'canary', KEY_FILE }))).toEqual([
      {
        code: 'E_ENV_INVALID',
        subject: 'KEY',
        cause: 'KEY and KEY_FILE are both set in the given variables.',
        remedy: 'Remove one of them.',
      },
    ])
  })

  it('replaces the variable NAME of the .env file if it is set in the environment', () => {
    const folder = workIn({ '.env': 'KEY=from-env-file\n', key: 'from-mounted' })
    vi.stubEnv('KEY_FILE', join(folder, 'key'))
    expect(Secret.read().KEY).toBe('from-mounted')
  })

  it('causes an error with the path and the reason if the file cannot be read', async () => {
    const folder = folderWith({ large: 'x'.repeat(1_048_577), empty: '\n' })
    const causeOf = async (KEY_FILE: string) =>
      (await problemsOf(() => Secret.read({ KEY_FILE }))).map(({ subject, cause }) => [
        subject,
        cause,
      ])
    const none = join(folder, 'none')
    expect(await causeOf(none)).toEqual([
      ['KEY_FILE', `${none} cannot be read: there is no such file.`],
    ])
    expect(await causeOf(folder)).toEqual([
      ['KEY_FILE', `${folder} cannot be read: it is not a regular file.`],
    ])
    expect(await causeOf('/dev/zero')).toEqual([
      ['KEY_FILE', '/dev/zero cannot be read: it is not a regular file.'],
    ])
    const large = join(folder, 'large')
    expect(await causeOf(large)).toEqual([['KEY_FILE', `${large} is larger than 1048576 bytes.`]])
    const empty = join(folder, 'empty')
    expect(await causeOf(empty)).toEqual([
      ['KEY', `It is empty in ${empty}, which counts as not set.`],
    ])
  })

  it.each([
    'postgres://app:canary@db/orders',
    'canary\0',
    'canary\nkey',
    `${'canary'.repeat(999)}`,
  ])('is not printed if its value is not a path', async (KEY_FILE) => {
    const error = await errorOf(() => Secret.read({ KEY_FILE }))
    expect(error.problems[0]?.cause).toBe('Its value is not the path of a file.')
    expect(error.message).not.toContain('canary')
  })

  it.each(['./none', '../none', 'C:\\none', 'c:/none', '\\none', '/none'])(
    'is printed if it looks like a path: %s',
    async (KEY_FILE) => {
      const { problems } = await errorOf(() => Secret.read({ KEY_FILE }))
      expect(problems[0]?.cause).toBe(`${KEY_FILE} cannot be read: there is no such file.`)
    },
  )

  it.each(['canary', 'canary/with+a/slash==', 'sk_live_canary', 'ab:/canary'])(
    'is not printed if its value may be the secret itself: %s',
    async (KEY_FILE) => {
      const error = await errorOf(() => Secret.read({ KEY_FILE }))
      expect(error.problems[0]?.cause).toBe(
        'The file at this path cannot be read: there is no such file.',
      )
      expect(error.message).not.toContain('canary')
    },
  )

  it('is an ordinary variable if the schema contains it', () => {
    const Both = env(z.object({ LOG: z.string().optional(), LOG_FILE: z.string() }))
    expect(Both.read({ LOG_FILE: '/var/log/none.log' })).toEqual({ LOG_FILE: '/var/log/none.log' })
  })

  it('causes an error that is reported together with the errors of other variables', async () => {
    const Env = env(z.object({ KEY: z.string(), PORT: z.coerce.number() }))
    const problems = await problemsOf(() => Env.read({ KEY_FILE: '/none', PORT: 'x' }))
    expect(problems.map(({ subject }) => subject)).toEqual(['KEY_FILE', 'PORT'])
  })

  it('is read again at each call of Env.read()', () => {
    const folder = folderWith({ key: 'first' })
    const set = { KEY_FILE: join(folder, 'key') }
    expect(Secret.read(set).KEY).toBe('first')
    writeFileSync(join(folder, 'key'), 'second')
    expect(Secret.read(set).KEY).toBe('second')
  })
})
