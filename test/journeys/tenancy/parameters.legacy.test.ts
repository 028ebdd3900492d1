import { Controller, Get, Tenant, TenantId } from 'blazon'
import { TestApp } from 'blazon/testing'
import { describe, expect, it } from 'vitest'

@Controller('notes')
class NotesController {
  @Get()
  list(@TenantId() tenant: string | undefined) {
    return { tenant: tenant ?? null }
  }

  @Tenant()
  @Get('own')
  own(@TenantId() tenant: string) {
    return { tenant }
  }
}

describe('the @TenantId() decorator', () => {
  it('passes the tenant to a parameter', async () => {
    const app = await TestApp.create({ controllers: [NotesController], tenant: {} })
    const ask = async (path: string) => (await app.asTenant('acme').request().get(path)).body.data
    expect(await ask('/notes')).toEqual({ tenant: 'acme' })
    expect(await ask('/notes/own')).toEqual({ tenant: 'acme' })
    expect((await app.request().get('/notes')).body.data).toEqual({ tenant: null })
    await app.close()
  })

  it('is refused without parentheses', () => {
    const bare = TenantId as unknown as ParameterDecorator
    expect(() => {
      class Bare {
        get(@bare tenant: string) {
          return tenant
        }
      }
      return Bare
    }).toThrow(/@TenantId/)
  })
})
