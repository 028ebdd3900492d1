import type { TenantStore } from 'blazon'
import { TestApp, type TestClock } from 'blazon/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { TenantDirectory } from '../../../src/features/tenancy/tenant-directory.js'

let app: TestApp
let clock: TestClock
let queries: number
/** The record of the only tenant in the store. */
let stored: { status?: 'active' | 'suspended' } | null
let directory: TenantDirectory

const store = {
  find(id: string) {
    queries++
    return stored === null ? null : { id, ...stored }
  },
}

beforeEach(async () => {
  app = await TestApp.create()
  clock = app.clock
  await clock.advance('1s')
  queries = 0
  directory = new TenantDirectory(store, { positiveMs: 60_000, negativeMs: 5000 }, clock)
})
afterEach(() => app.close())

/** The verdict, and the number of queries to the store for it. */
async function find(): Promise<[string, number]> {
  const before = queries
  const verdict = await directory.find('acme')
  return [verdict, queries - before]
}

describe('a tenant in the directory', () => {
  it('becomes unknown at most positiveMs after its deletion, with one query to the store', async () => {
    stored = {}
    expect(await find()).toEqual(['active', 1])
    stored = null
    await clock.advance('59s')
    expect(await find()).toEqual(['active', 0])
    await clock.advance('1s')
    expect(await find()).toEqual(['unknown', 1])
    expect(await find()).toEqual(['unknown', 0])
    await clock.advance('4s')
    expect(await find()).toEqual(['unknown', 0])
    await clock.advance('1s')
    expect(await find()).toEqual(['unknown', 1])
  })

  it('becomes active at most negativeMs after its creation, with one query to the store', async () => {
    stored = null
    expect(await find()).toEqual(['unknown', 1])
    stored = {}
    expect(await find()).toEqual(['unknown', 0])
    await clock.advance('5s')
    expect(await find()).toEqual(['active', 1])
    await clock.advance('59s')
    expect(await find()).toEqual(['active', 0])
    await clock.advance('1s')
    expect(await find()).toEqual(['active', 1])
  })

  it('has the newest status from the store after several changes', async () => {
    const verdicts: string[] = []
    const changes = [{}, null, { status: 'suspended' }, null, { status: 'active' }, null] as const
    for (const each of changes) {
      stored = each
      const [verdict, times] = await find()
      verdicts.push(verdict)
      expect(times).toBe(1)
      expect(await find()).toEqual([verdict, 0])
      await clock.advance('60s')
    }
    const expected = ['active', 'unknown', 'suspended', 'unknown', 'active', 'unknown']
    expect(verdicts).toEqual(expected)
  })

  it('has the status of the newest query, even if an older query responds after its timeout', async () => {
    const responses: ((info: object) => void)[] = []
    const slow = { find: () => new Promise<object>((resolve) => responses.push(resolve)) }
    const times = { positiveMs: 60_000, negativeMs: 5000 }
    const other = new TenantDirectory(slow as TenantStore, times, clock)
    const late = expect(other.find('acme')).rejects.toMatchObject({ status: 503 })
    await clock.advance('5s')
    await late
    const found = other.find('acme')
    responses[1]?.({ id: 'acme', status: 'suspended' })
    expect(await found).toBe('suspended')
    responses[0]?.({ id: 'acme', status: 'active' })
    await clock.advance('1s')
    expect(await other.find('acme')).toBe('suspended')
    expect(responses).toHaveLength(2)
  })

  it('is unknown if the store returns a different spelling of its id', async () => {
    for (const id of ['ACME', 'acme ', 'acme2', '']) {
      const find = () => ({ id })
      const other = new TenantDirectory({ find }, { positiveMs: 60_000, negativeMs: 5000 }, clock)
      expect(await other.find('acme')).toBe('unknown')
      expect(await other.find('acme')).toBe('unknown')
    }
  })

  it('is looked up once for simultaneous requests, and again after a failure', async () => {
    stored = {}
    const answers = await Promise.all([find(), find(), directory.find('acme')])
    expect(answers[2]).toBe('active')
    expect(queries).toBe(1)
    const failing = {
      find: () => {
        queries++
        throw new Error('no store')
      },
    }
    const other = new TenantDirectory(failing, { positiveMs: 60_000, negativeMs: 5000 }, clock)
    for (let i = 2; i < 5; i++) {
      await expect(other.find('acme')).rejects.toMatchObject({ status: 503 })
      expect(queries).toBe(i)
    }
  })
})
