import { AsyncLocalStorage } from 'node:async_hooks'
import { TestApp, type TestClock } from 'blazon/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { TenantDirectory } from '../../../src/features/tenancy/tenant-directory.js'

let app: TestApp
let clock: TestClock
let queried: string[]
let directory: TenantDirectory

const store = {
  find(id: string) {
    queried.push(id)
    return id.startsWith('made-up') ? null : { id }
  },
}

beforeEach(async () => {
  app = await TestApp.create()
  clock = app.clock
  queried = []
  directory = new TenantDirectory(store, { positiveMs: 60_000, negativeMs: 5000 }, clock)
})
afterEach(() => app.close())

const countOf = (id: string) => queried.filter((each) => each === id).length

describe('the cache of the tenant directory', () => {
  it('is bounded, and unknown tenants displace no existing tenant', async () => {
    await clock.advance('1s')
    await directory.find('acme')
    for (let index = 0; index <= 10_000; index++) await directory.find(`made-up-${index}`)
    for (const id of ['made-up-10000', 'made-up-0', 'acme']) await directory.find(id)
    expect(countOf('made-up-10000')).toBe(1)
    expect(countOf('made-up-0')).toBe(2)
    expect(countOf('acme')).toBe(1)
  })

  it('has room for exactly 10,000 tenants', async () => {
    await clock.advance('1s')
    for (let index = 0; index < 10_000; index++) await directory.find(`tenant-${index}`)
    await directory.find('tenant-0')
    expect(countOf('tenant-0')).toBe(1)
    await directory.find('tenant-10000')
    await directory.find('tenant-0')
    expect(countOf('tenant-0')).toBe(2)
  })

  it('is also bounded for existing tenants', async () => {
    await clock.advance('1s')
    for (let index = 0; index <= 10_000; index++) await directory.find(`tenant-${index}`)
    for (const id of ['tenant-10000', 'tenant-0']) await directory.find(id)
    expect(countOf('tenant-10000')).toBe(1)
    expect(countOf('tenant-0')).toBe(2)
  })
})

describe('the tenant store', () => {
  it('is queried outside the async context of the request', async () => {
    const request = new AsyncLocalStorage<string>()
    let seen: string | undefined = 'not queried'
    const find = (id: string) => {
      seen = request.getStore()
      return { id }
    }
    const other = new TenantDirectory({ find }, { positiveMs: 0, negativeMs: 0 }, clock)
    await request.run('first', () => other.find('acme'))
    expect(seen).toBeUndefined()
  })
})
