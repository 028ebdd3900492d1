import { TestApp, type TestClock } from 'blazon/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { TenantDirectory } from '../../../src/features/tenancy/tenant-directory.js'

let app: TestApp
let clock: TestClock
let asked: number
/** What the store says of the only tenant. */
let said: { status?: 'active' | 'suspended' } | null
let directory: TenantDirectory

const store = {
  find(id: string) {
    asked++
    return said === null ? null : { id, ...said }
  },
}

beforeEach(async () => {
  app = await TestApp.create()
  clock = app.clock
  await clock.advance('1s')
  asked = 0
  directory = new TenantDirectory(store, { positiveMs: 60_000, negativeMs: 5000 }, clock)
})
afterEach(() => app.close())

/** The verdict, and how often the store was asked for it. */
async function find(): Promise<[string, number]> {
  const before = asked
  const verdict = await directory.find('acme')
  return [verdict, asked - before]
}

describe('a tenant', () => {
  it('that is deleted is remembered as unknown for its short time, and asked about once', async () => {
    said = {}
    expect(await find()).toEqual(['active', 1])
    said = null
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

  it('that is made is known for its long time', async () => {
    said = null
    expect(await find()).toEqual(['unknown', 1])
    said = {}
    expect(await find()).toEqual(['unknown', 0])
    await clock.advance('5s')
    expect(await find()).toEqual(['active', 1])
    await clock.advance('59s')
    expect(await find()).toEqual(['active', 0])
    await clock.advance('1s')
    expect(await find()).toEqual(['active', 1])
  })

  it('that changes to and fro is always what the store has said last', async () => {
    const verdicts: string[] = []
    const changes = [{}, null, { status: 'suspended' }, null, { status: 'active' }, null] as const
    for (const each of changes) {
      said = each
      const [verdict, times] = await find()
      verdicts.push(verdict)
      expect(times).toBe(1)
      expect(await find()).toEqual([verdict, 0])
      await clock.advance('60s')
    }
    const expected = ['active', 'unknown', 'suspended', 'unknown', 'active', 'unknown']
    expect(verdicts).toEqual(expected)
  })

  it('is unknown where the store has found one that is spelt otherwise', async () => {
    for (const id of ['ACME', 'acme ', 'acme2', '']) {
      const find = () => ({ id })
      const other = new TenantDirectory({ find }, { positiveMs: 60_000, negativeMs: 5000 }, clock)
      expect(await other.find('acme')).toBe('unknown')
      expect(await other.find('acme')).toBe('unknown')
    }
  })

  it('is asked about once by all who ask at the same time, and again after a failure', async () => {
    said = {}
    const answers = await Promise.all([find(), find(), directory.find('acme')])
    expect(answers[2]).toBe('active')
    expect(asked).toBe(1)
    const failing = {
      find: () => {
        asked++
        throw new Error('no store')
      },
    }
    const other = new TenantDirectory(failing, { positiveMs: 60_000, negativeMs: 5000 }, clock)
    for (let i = 2; i < 5; i++) {
      await expect(other.find('acme')).rejects.toMatchObject({ status: 503 })
      expect(asked).toBe(i)
    }
  })
})
