import { join } from 'node:path'
import { secret } from 'blazon'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { describeVariables } from '../../src/features/env/expected.js'
import { reportEnv } from '../../src/features/env/report-env.js'
import { folderWith, workIn } from '../journeys/env/support.js'

afterEach(() => void vi.unstubAllEnvs())

const described = (json: object, name = 'A') =>
  describeVariables({ type: 'object', properties: { A: json } } as never)(name)

describe('the expected value of a variable', () => {
  it.each<[object, string | undefined]>([
    [{ type: 'string' }, 'text'],
    [{ type: 'string', format: 'uri', pattern: '^h' }, 'text of the format uri'],
    [{ type: 'string', pattern: '^h' }, 'text that matches /^h/'],
    [{ type: 'string', minLength: 2 }, 'text, at least 2 characters'],
    [{ type: 'string', maxLength: 9 }, 'text, at most 9 characters'],
    [{ type: 'string', minLength: 2, maxLength: 9 }, 'text, from 2 to 9 characters'],
    [{ type: 'integer', minimum: 0 }, 'a whole number, at least 0'],
    [
      { type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
      'a whole number',
    ],
    [{ type: 'number', maximum: 1.5 }, 'a number, at most 1.5'],
    [{ type: 'boolean' }, '`true` or `false`'],
    [{ const: 'a' }, 'a'],
    [{ const: 0, enum: ['b'] }, '0'],
    [{ enum: ['a', 'b', 3] }, 'a, b or 3'],
    [{ enum: [] }, 'nothing'],
    [{ anyOf: [{ type: 'integer' }, { const: 'auto' }] }, 'a whole number or auto'],
    [{ anyOf: [{ type: 'integer' }, { type: 'object' }] }, undefined],
    [{ type: 'object' }, undefined],
  ])('of %j is %j', (json, expected) => {
    expect(described(json).expected).toBe(expected)
  })

  it('includes the description and the default, and whether the variable is required', () => {
    const schema = {
      type: 'object',
      properties: {
        A: { type: 'string', description: 'The key' },
        B: { type: 'integer', default: 0 },
        C: { type: 'string' },
        D: { type: 'string', default: 'd' },
      },
      required: ['A', 'B'],
    }
    const of = describeVariables(schema as never)
    expect(['A', 'B', 'C', 'D'].map(of)).toEqual([
      { description: 'The key', fallback: undefined, expected: 'text', isRequired: true },
      { description: undefined, fallback: '0', expected: 'a whole number', isRequired: false },
      { description: undefined, fallback: undefined, expected: 'text', isRequired: false },
      { description: undefined, fallback: 'd', expected: 'text', isRequired: false },
    ])
  })

  it('is unknown for other names, also for those of every object', () => {
    const unknown = {
      ...{ description: undefined, fallback: undefined },
      ...{ expected: undefined, isRequired: undefined },
    }
    for (const name of ['B', 'constructor']) expect(described({}, name)).toEqual(unknown)
  })
})

describe('the report about variables', () => {
  const Schema = z.object({
    BLAZON_PORT: z.coerce.number().int().default(3000).describe('The port'),
    BLAZON_HOST: z.string(),
    BLAZON_KEY: secret(z.string().default('canary-default')),
    BLAZON_TOKEN: secret(z.string()).optional(),
    BLAZON_LIST: z.string().optional(),
  })
  const reported = async (options: object = {}) => {
    const { variables, ...others } = await reportEnv({ schema: Schema, options })
    return { ...others, variables: Object.fromEntries(variables.map((each) => [each.name, each])) }
  }

  it('contains the value and the source of each variable, but no secret', async () => {
    const folder = folderWith({ token: 'canary-token' })
    workIn({ '.env': 'BLAZON_LIST=a,b\n' })
    vi.stubEnv('BLAZON_HOST', 'db')
    vi.stubEnv('BLAZON_TOKEN_FILE', join(folder, 'token'))
    const report = await reported()
    expect(report.problems).toEqual([])
    expect(JSON.stringify(report)).not.toContain('canary')
    expect(report.variables).toEqual({
      BLAZON_PORT: {
        ...{ name: 'BLAZON_PORT', value: '3000', isSecret: false, from: 'default' },
        ...{ isRequired: false, description: 'The port' },
        ...{ expected: 'a whole number', fallback: '3000' },
      },
      BLAZON_HOST: {
        ...{ name: 'BLAZON_HOST', value: 'db', isSecret: false, from: 'the environment' },
        ...{ isRequired: true, description: null, expected: 'text', fallback: null },
      },
      BLAZON_KEY: {
        ...{ name: 'BLAZON_KEY', value: '••••', isSecret: true, from: 'default' },
        ...{ isRequired: false, description: null, expected: 'text', fallback: null },
      },
      BLAZON_TOKEN: {
        ...{ name: 'BLAZON_TOKEN', value: '••••', isSecret: true, from: join(folder, 'token') },
        ...{ isRequired: false, description: null, expected: 'text', fallback: null },
      },
      BLAZON_LIST: {
        ...{ name: 'BLAZON_LIST', value: 'a,b', isSecret: false, from: '.env' },
        ...{ isRequired: false, description: null, expected: 'text', fallback: null },
      },
    })
  })

  it('contains the texts of variables that are refused, and names that are probably misspelt', async () => {
    workIn({})
    vi.stubEnv('BLAZON_PORT', 'http')
    vi.stubEnv('BLAZON_HOTS', 'db')
    vi.stubEnv('BLAZON_KEY', 'canary')
    const { problems, misspelt, variables } = await reported()
    expect(problems.map(({ subject }) => subject)).toEqual(['BLAZON_PORT', 'BLAZON_HOST'])
    expect(misspelt).toEqual([{ name: 'BLAZON_HOTS', meant: 'BLAZON_HOST' }])
    expect(Object.values(variables).map(({ value, from }) => [value, from])).toEqual([
      ['http', 'the environment'],
      [null, null],
      ['••••', 'the environment'],
      [null, null],
      [null, null],
    ])
  })

  it('names no misspelt variable if the meant one is set', async () => {
    workIn({})
    for (const name of ['BLAZON_HOTS', 'BLAZON_HOST', 'BLAZON_PORT', 'BLAZON_LIST'])
      vi.stubEnv(name, '1')
    expect((await reported()).misspelt).toEqual([])
  })

  it('contains only the problems of an invalid declaration', async () => {
    expect(await reported({ secrets: ['OTHER'] })).toMatchObject({
      variables: {},
      problems: [{ code: 'E_OPTION_INVALID', subject: 'env.secrets' }],
      misspelt: [],
    })
  })

  it('shows values of every kind', async () => {
    const made = { BLAZON_A: 1n, BLAZON_B: [1], BLAZON_C: () => 1, BLAZON_D: 'text' }
    const any = z.any().optional()
    const schema = z
      .object({ BLAZON_A: any, BLAZON_B: any, BLAZON_C: any, BLAZON_D: any })
      .transform(() => made)
    workIn({})
    const { variables } = await reportEnv({ schema, options: {} })
    expect(variables.map(({ value }) => value)).toEqual(['1', '[1]', '() => 1', 'text'])
  })
})
