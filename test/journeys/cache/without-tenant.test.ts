import { CacheManager, Controller, Get, inject, runWithoutTenant, runWithTenant } from 'blazon'
import { TestApp } from 'blazon/testing'
import { describe, expect, it } from 'vitest'

@Controller('read')
class ReadController {
  private readonly cache = inject(CacheManager)

  @Get()
  async read() {
    return { value: (await this.cache.get('acme:rate')) ?? null }
  }

  @Get('all')
  async readAll() {
    const value = await runWithoutTenant('a report', () => this.cache.get('acme:rate'))
    return { value: value ?? null }
  }
}

describe('a cached value of a tenant', () => {
  it('cannot be read under its full key by a request of another tenant or without a tenant', async () => {
    await using app = await TestApp.create({ controllers: [ReadController], tenant: {} })
    const cache = app.get(CacheManager)
    await runWithTenant('acme', () => cache.forTenant('acme').set('rate', 7))
    const valueFor = async (tenant?: string, path = '/read') => {
      const caller = tenant === undefined ? app : app.asTenant(tenant)
      return (await caller.request().get(path)).body.data.value
    }
    expect(await valueFor('acme')).toBe(7)
    expect(await valueFor('zeta')).toBeNull()
    expect(await valueFor()).toBeNull()
    expect(await valueFor(undefined, '/read/all')).toBe(7)
    expect(await valueFor('zeta', '/read/all')).toBe(7)
    expect(await cache.get('acme:rate')).toBe(7)
    expect(await runWithTenant('zeta', () => cache.get('acme:rate'))).toBeUndefined()
  })
})
