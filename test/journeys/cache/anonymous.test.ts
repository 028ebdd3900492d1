import { Cache, CacheManager, Controller, Get, inject, Post, runWithoutTenant } from 'blazon'
import { TestApp } from 'blazon/testing'
import { afterEach, beforeEach, expect, it } from 'vitest'

@Controller('notes')
class NotesController {
  private readonly cache = inject(CacheManager)

  @Get()
  list() {
    return this.cache.getOrSet('notes', () => 'loaded')
  }

  @Get('kept')
  async kept() {
    return { notes: await this.cache.get('notes') }
  }

  @Get('all')
  all() {
    return runWithoutTenant('report', () => this.kept())
  }

  @Post()
  async write() {
    await this.cache.set('notes', 'a secret of acme')
  }

  @Cache({ ttl: 60, tags: ['note:1'] })
  @Get('tagged')
  tagged() {
    return []
  }

  @Post('forget')
  async forget() {
    await this.cache.invalidateTags(['1'])
  }
}

let app: TestApp
beforeEach(async () => {
  app = await TestApp.create({ controllers: [NotesController], tenant: {} })
})
afterEach(() => app.close())

const read = async (path: string) => (await app.request().get(path)).body.data

it('a request without a tenant cannot read cached values of a tenant', async () => {
  await app.asTenant('acme').request().post('/notes')
  expect(await read('/notes/kept')).toEqual({})
  expect(await read('/notes')).toBe('loaded')
})

it('runWithoutTenant() and code outside requests can read the cached values of all tenants', async () => {
  await app.asTenant('acme').request().post('/notes')
  expect(await read('/notes/all')).toEqual({ notes: 'a secret of acme' })
  expect(await app.get(CacheManager).get('notes')).toBe('a secret of acme')
})

it('a tenant cannot invalidate a tag of another tenant, even if the combined names are equal', async () => {
  const state = async () =>
    (await app.asTenant('acme').request().get('/notes/tagged')).headers['x-cache']
  expect([await state(), await state()]).toEqual(['MISS', 'HIT'])
  // Tenant and tag are `note:1` together, like the tag of the tenant acme.
  await app.asTenant('note').request().post('/notes/forget')
  expect(await state()).toBe('HIT')
})
