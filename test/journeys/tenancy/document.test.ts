import {
  App,
  type AppOptions,
  Controller,
  Get,
  Headers,
  type OpenApiDocument,
  Tenant,
  type TenantOptions,
} from 'blazon'
import { TestApp } from 'blazon/testing'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'

@Tenant()
@Controller('orders')
class OrdersController {
  @Get()
  list() {
    return []
  }

  @Tenant({ optional: true })
  @Get('optional')
  optional() {
    return []
  }

  @Get('own')
  @Headers(z.object({ 'X-Tenant-Id': z.string().describe('My words') }))
  own() {
    return []
  }
}

@Controller('health')
class HealthController {
  @Get()
  get() {
    return 'ok'
  }
}

const controllers = [OrdersController, HealthController]

function document(tenant?: TenantOptions, more: AppOptions = {}): OpenApiDocument {
  const options = tenant === undefined ? {} : { tenant }
  return new App({ controllers, logger: false, ...options, ...more }).document
}

// biome-ignore lint/suspicious/noExplicitAny: read like a client of the document
const operation = (doc: OpenApiDocument, path: string) => (doc.paths[path] as any).get
const parameters = (doc: OpenApiDocument, path: string) => operation(doc, path).parameters
const statuses = (doc: OpenApiDocument, path: string) => Object.keys(operation(doc, path).responses)

describe('the document of an application with tenants', () => {
  it('contains the tenant header and a 400 response for routes with @Tenant', () => {
    const doc = document({})
    expect(parameters(doc, '/orders')).toEqual([
      {
        name: 'x-tenant-id',
        in: 'header',
        description: 'The tenant of the request.',
        required: true,
        schema: { type: 'string', pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$' },
      },
    ])
    expect(statuses(doc, '/orders')).toContain('400')
    expect(parameters(doc, '/health')).toBeUndefined()
  })

  it('contains the configured header name, and a pattern for the whole ID', () => {
    const [header] = parameters(document({ header: 'X-Org', pattern: /[a-z]+|\d+/ }), '/orders')
    expect(header).toMatchObject({ name: 'x-org', schema: { pattern: '^(?:[a-z]+|\\d+)$' } })
    const [loose] = parameters(document({ pattern: /^[a-z]+$/i }), '/orders')
    expect(loose.schema).toEqual({ type: 'string' })
  })

  it.each([
    [/^[a-z]+$/, '^[a-z]+$'],
    [/[a-z]+/, '^(?:[a-z]+)$'],
    [/^[a-z]+/, '^(?:^[a-z]+)$'],
    [/[a-z]+$/, '^(?:[a-z]+$)$'],
    // Without the group, each anchor would belong to one branch.
    [/^a|b$/, '^(?:^a|b$)$'],
    [/^a$|b/, '^(?:^a$|b)$'],
    [/a|^b$/, '^(?:a|^b$)$'],
    [/^a\|b$/, '^a\\|b$'],
    // The last character is a dollar, and not the end.
    [/^a\$/, '^(?:^a\\$)$'],
    [/^a\\$/, '^a\\\\$'],
    [/^a$/gm, '^a$'],
  ])(
    'contains a pattern that matches the same IDs as `tenant.pattern`: %s',
    (pattern, expected) => {
      const [header] = parameters(document({ pattern }), '/orders')
      expect(header.schema.pattern).toBe(expected)
    },
  )

  it('does not require the header if another source exists or the tenant is optional', () => {
    expect(parameters(document({ jwtClaim: 'org' }), '/orders')[0].required).toBeUndefined()
    const strategies = [() => undefined]
    expect(parameters(document({ strategies }), '/orders')[0].required).toBeUndefined()
    expect(parameters(document({}), '/orders/optional')[0].required).toBeUndefined()
  })

  it('contains the header for every route if `tenant.required` is true', () => {
    const doc = document({ required: true })
    expect(parameters(doc, '/health')[0]).toMatchObject({ name: 'x-tenant-id', required: true })
    expect(parameters(doc, '/orders/optional')[0].required).toBeUndefined()
  })

  it('contains no tenant header if the application does not read one', () => {
    expect(parameters(document({ header: false, jwtClaim: 'org' }), '/orders')).toBeUndefined()
    expect(parameters(document(), '/orders')).toBeUndefined()
    expect(statuses(document(), '/orders')).toContain('400')
  })

  it('keeps the description of the header from @Headers', () => {
    expect(parameters(document({}), '/orders/own')).toEqual([
      {
        name: 'X-Tenant-Id',
        in: 'header',
        description: 'My words',
        required: true,
        schema: { type: 'string' },
      },
    ])
  })

  it('contains the error statuses of the tenant checks for the routes that they protect', () => {
    const store = { find: (id: string) => ({ id }) }
    expect(statuses(document({ store }), '/health')).toEqual(
      expect.arrayContaining(['400', '403', '404', '503']),
    )
    const authorize = () => true
    expect(statuses(document({ authorize }), '/orders')).toContain('403')
    expect(statuses(document({ authorize }), '/health')).not.toContain('403')
    expect(statuses(document({ authorize, required: true }), '/health')).toContain('403')
    expect(statuses(document({ onMismatch: 'reject', jwtClaim: 'x' }), '/health')).toContain('403')
    expect(statuses(document({}), '/health')).not.toContain('403')
  })

  it('differs between applications with the same controllers and different tenant headers', () => {
    const [first] = parameters(document({ header: 'x-first' }), '/orders')
    const [second] = parameters(document({ header: 'x-second' }), '/orders')
    expect([first.name, second.name]).toEqual(['x-first', 'x-second'])
  })
})

describe('the contract check with tenants', () => {
  it('accepts the refusals of tenant checks', async () => {
    const app = await TestApp.create({
      controllers,
      contract: 'throw',
      tenant: { store: { find: (id) => (id === 'acme' ? { id } : null) }, authorize: () => false },
    })
    await app.request().get('/orders').expect(400)
    await app.asTenant('a b').request().get('/health').expect(400)
    await app.asTenant('zeta').request().get('/health').expect(404)
    await app.asTenant('acme').request().get('/health').expect(200)
    await app.asTenant('acme').request().get('/orders').expect(403)
    expect(app.contractReport()).toEqual([])
    await app.close()
  })

  it('accepts the responses to generated requests', async () => {
    const app = await TestApp.create({ controllers, tenant: {} })
    // The schema in @Headers accepts more values than the application does.
    await app.fuzz({ seed: 5, runs: 60, skip: ['Orders_own'] })
    expect(app.contractReport()).toEqual([])
    await app.close()
  }, 60_000)
})
