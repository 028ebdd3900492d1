import {
  Auth,
  type AuthGuard,
  Can,
  Controller,
  Get,
  RateLimit,
  type Request,
  schemeOf,
} from 'blazon'
import { type ApiKeyRecord, apiKeys, generateApiKey } from 'blazon/keys'
import { keyIdOf, keySchemeOf } from 'blazon/plugin'
import { TestApp } from 'blazon/testing'
import { describe, expect, it, onTestFinished } from 'vitest'

/** A guard for the keys of one table, whose ids begin at 1 as those of every table. */
function keyTable(header: string, permissions: string[] = []) {
  const { key, hash } = generateApiKey({ prefix: 'acme_live' })
  const record: ApiKeyRecord = { id: '1', hash, permissions }
  const find = (wanted: string) => (wanted === hash ? record : undefined)
  return { key, guard: apiKeys({ prefix: 'acme_live', header, find }) }
}

@Auth('partner', 'staff')
@Controller('orders')
class OrdersController {
  @Get()
  list(req: Request) {
    return { by: schemeOf(req) }
  }

  @RateLimit({ limit: 1, window: '1h', by: 'key' })
  @Get('limited')
  limited(req: Request) {
    return { by: schemeOf(req) }
  }

  @Get('key')
  key(req: Request) {
    return { by: `${keySchemeOf(req)}:${keyIdOf(req)}` }
  }

  @Auth('staff')
  @Get('staff')
  staff(req: Request) {
    return { by: schemeOf(req) }
  }

  @Auth('partner', 'staff')
  @Can('orders:write')
  @Get('write')
  write(req: Request) {
    return { by: schemeOf(req) }
  }
}

async function startTables() {
  const partner = keyTable('X-Partner-Key')
  const staff = keyTable('X-Staff-Key', ['orders:write'])
  const guards: Record<string, AuthGuard> = { partner: partner.guard, staff: staff.guard }
  const app = await TestApp.create({
    controllers: [OrdersController],
    auth: { guards },
    rateLimit: true,
    contract: 'throw',
  })
  onTestFinished(() => app.close())
  const ask = async (path: string, headers: Record<string, string>) => {
    const { status, body } = await app.request().get(path).set(headers)
    return status === 200 ? body.data.by : status
  }
  return { ask, partner: partner.key, staff: staff.key }
}

describe('the keys of two tables', () => {
  it('are not accepted by the guard of the other table', async () => {
    const { ask, partner, staff } = await startTables()
    expect(await ask('/orders', { 'x-partner-key': partner })).toBe('partner')
    expect(await ask('/orders', { 'x-partner-key': staff })).toBe(401)
    expect(await ask('/orders', { 'x-staff-key': partner })).toBe(401)
    expect(await ask('/orders/staff', { 'x-partner-key': partner })).toBe(401)
    expect(await ask('/orders/staff', { 'x-staff-key': staff })).toBe('staff')
  })

  it('must both be valid if both are sent, and only the first one grants abilities', async () => {
    const { ask, partner, staff } = await startTables()
    const both = { 'x-partner-key': partner, 'x-staff-key': staff }
    expect(await ask('/orders', both)).toBe('partner')
    expect(await ask('/orders/write', both)).toBe(403)
    expect(await ask('/orders', { ...both, 'x-staff-key': 'wrong' })).toBe(401)
    expect(await ask('/orders', { ...both, 'x-staff-key': '' })).toBe(401)
    expect(await ask('/orders', { ...both, 'x-partner-key': `${partner}, ${partner}` })).toBe(401)
  })

  it('can be distinguished with keySchemeOf()', async () => {
    const { ask, partner, staff } = await startTables()
    expect(await ask('/orders/key', { 'x-partner-key': partner })).toBe('partner:1')
    expect(await ask('/orders/key', { 'x-staff-key': staff })).toBe('staff:1')
  })

  it('do not use up the rate limit of a key with the same ID in the other table', async () => {
    const { ask, partner, staff } = await startTables()
    expect(await ask('/orders/limited', { 'x-partner-key': partner })).toBe('partner')
    expect(await ask('/orders/limited', { 'x-partner-key': partner })).toBe(429)
    expect(await ask('/orders/limited', { 'x-staff-key': staff })).toBe('staff')
  })

  it('count toward the limit of the admitted caller, whatever other credentials are sent', async () => {
    const { ask, partner, staff } = await startTables()
    const both = { 'x-partner-key': partner, 'x-staff-key': staff }
    expect(await ask('/orders/limited', both)).toBe('partner')
    // The key that decides `req.user` is used up; a second key beside it gives no second quota.
    expect(await ask('/orders/limited', { 'x-partner-key': partner })).toBe(429)
    // And the staff's own quota was not used by a request of the partner.
    expect(await ask('/orders/limited', { 'x-staff-key': staff })).toBe('staff')
  })
})
