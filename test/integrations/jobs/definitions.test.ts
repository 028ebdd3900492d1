import { ConfigError } from 'blazon'
import { defineJob } from 'blazon/jobs'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { checkInput, readEnvelope } from '../../../src/integrations/jobs/job.js'
import { resolveOptions } from '../../../src/integrations/jobs/jobs-options.js'

function subjectsOf(run: () => unknown): string[] {
  try {
    run()
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.problems.map(({ subject }) => subject)
    throw error
  }
}

describe('defineJob()', () => {
  it('uses defaults, with durations in seconds, and cannot be changed', () => {
    const job = defineJob('print')
    expect(job).toEqual({
      ...{ name: 'print', input: null, retries: 3, retryDelay: 5, timeout: 30 },
      ...{ concurrency: 2, perTenant: 1, tenant: true, policy: 'standard', keep: 7 * 86_400 },
    })
    expect(Object.isFrozen(job)).toBe(true)
  })

  it('uses the defaults of options that are undefined', () => {
    const names = ['input', 'retries', 'concurrency', 'perTenant', 'tenant', 'policy']
    names.push('timeout', 'retryDelay', 'keep')
    const options = Object.fromEntries(names.map((name) => [name, undefined]))
    expect(defineJob('print', options)).toEqual(defineJob('print'))
  })

  it('lets a tenant use half of the concurrent runs, and at least one', () => {
    const of = (concurrency: number) => defineJob('print', { concurrency }).perTenant
    expect([1, 2, 3, 5, 10].map(of)).toEqual([1, 1, 1, 2, 5])
  })

  it('rounds durations up to whole seconds', () => {
    const job = defineJob('print', { timeout: '1500ms', retryDelay: '1ms', keep: '61s' })
    expect([job.timeout, job.retryDelay, job.keep]).toEqual([2, 1, 61])
  })

  it.each<[object, string[]]>([
    [{ retries: 0, concurrency: 1, perTenant: 1, timeout: '1s', retryDelay: 0, keep: '1s' }, []],
    [{ retries: 1000, concurrency: 1000, perTenant: 1000, timeout: '23h', retryDelay: '23h' }, []],
    [{ retries: 1001 }, ['retries']],
    [{ concurrency: 1001 }, ['concurrency']],
    [{ concurrency: 0 }, ['concurrency', 'perTenant']],
    [{ perTenant: 0 }, ['perTenant']],
    [{ timeout: 0 }, ['timeout']],
    [{ timeout: 23 * 3600 + 1 }, ['timeout']],
    [{ retryDelay: 23 * 3600 + 1 }, ['retryDelay']],
    [{ tenant: 'no' }, ['tenant']],
    [{ policy: 'exclusive' }, []],
    [{ policy: 'stately' }, []],
    [{ policy: 'singleton' }, []],
  ])('checks %o', (options, names) => {
    expect(subjectsOf(() => defineJob('print', options as never))).toEqual(
      names.map((name) => `defineJob('print'): ${name}`),
    )
  })

  it.each<[string, boolean]>([
    ['a', true],
    ['A-b_c.9', true],
    ['x'.repeat(100), true],
    ['x'.repeat(101), false],
    ['', false],
    ['a/b', false],
    ['é', false],
  ])('accepts or refuses the name %s', (name, isValid) => {
    expect(subjectsOf(() => defineJob(name))).toHaveLength(isValid ? 0 : 1)
  })

  it('names the values that an option can have', () => {
    const run = () =>
      defineJob('print', { policy: 'x', retries: -1, perTenant: 9, timeout: 0 } as never)
    expect(run).toThrow('Pass one of short, singleton, stately, exclusive.')
    expect(run).toThrow('Pass a whole number from 0 to 1000.')
    expect(run).toThrow('Pass a whole number from 1 to 2.')
    expect(run).toThrow("Pass a duration from '1s' to '23h'.")
  })
})

describe('the input of a job', () => {
  const check = (input: unknown, value: unknown) => {
    const options = input === null ? {} : { input }
    return checkInput(defineJob('print', options as object), value, TypeError)
  }

  it('is the result of its schema, and is undefined without a schema', async () => {
    expect(await check(z.object({ n: z.coerce.number() }), { n: '7' })).toEqual({ n: 7 })
    expect(await check(z.string().optional(), undefined)).toBeUndefined()
    expect(await check(null, null)).toBeUndefined()
    expect(await check(null, undefined)).toBeUndefined()
  })

  it('is refused with the places and the reasons', async () => {
    await expect(check(null, 0)).rejects.toThrow(
      'The input of the job print does not match its schema: the job accepts no input',
    )
    const list = z.object({ a: z.array(z.object({ b: z.number('No.') })), c: z.string('Never.') })
    await expect(check(list, { a: [{ b: 1 }, { b: '' }] })).rejects.toThrow(
      /schema: a\.1\.b: No\.; c: Never\.$/,
    )
    await expect(check(z.string('Never.'), 1)).rejects.toThrow(/schema: Never\.$/)
    const keyed = {
      '~standard': {
        ...{ version: 1, vendor: 'own' },
        validate: () => ({ issues: [{ message: 'No.', path: [{ key: 'a' }, 0] }] }),
      },
    }
    await expect(check(keyed, 1)).rejects.toThrow(/schema: a\.0: No\.$/)
  })

  it('is in an envelope that only this package sends', () => {
    const ours = { tenant: null, sender: {} }
    expect(readEnvelope(ours)).toBe(ours)
    expect(readEnvelope({ ...ours, tenant: 'a' })).toEqual({ ...ours, tenant: 'a' })
    for (const data of [
      null,
      undefined,
      {},
      { tenant: 'a' },
      { sender: {} },
      { tenant: 1, sender: {} },
    ])
      expect(readEnvelope(data)).toBeNull()
  })
})

describe('the options of jobs()', () => {
  afterEach(() => void vi.unstubAllEnvs())

  it('have defaults, and work in a process of blazon start --jobs', () => {
    const given = { workers: [] }
    const defaults = {
      workers: [],
      work: false,
      schema: 'blazon_jobs',
      migrate: true,
      documented: [],
    }
    expect(resolveOptions(given)).toEqual(defaults)
    expect(resolveOptions({ ...given, concurrency: 3, work: true })).toEqual({
      ...{ ...defaults, concurrency: 3, work: true },
    })
    vi.stubEnv('BLAZON_JOBS', 'work')
    expect(resolveOptions(given).work).toBe(true)
    expect(resolveOptions({ ...given, work: false }).work).toBe(true)
    vi.stubEnv('BLAZON_JOBS', 'send')
    expect(resolveOptions(given).work).toBe(false)
  })

  it.each<[object, string[]]>([
    [{ schema: '_a9' }, []],
    [{ schema: 'x'.repeat(50) }, []],
    [{ schema: 'x'.repeat(51) }, ['schema']],
    [{ schema: '9a' }, ['schema']],
    [{ schema: '' }, ['schema']],
    [{ concurrency: 1 }, []],
    [{ concurrency: 1000 }, []],
    [{ concurrency: 1001 }, ['concurrency']],
    [{ work: 'yes' }, ['work']],
    [{ migrate: 1 }, ['migrate']],
    [{ workers: [{}] }, ['workers']],
    [{ workers: 'x' }, ['workers']],
  ])('are checked: %o', (options, names) => {
    const run = () => resolveOptions({ workers: [], ...options } as never)
    expect(subjectsOf(run)).toEqual(names.map((name) => `jobs(): ${name}`))
  })
})
