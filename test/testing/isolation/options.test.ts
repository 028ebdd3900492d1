import { ConfigError, Controller, Get } from 'blazon'
import { type IsolationOptions, TestApp, type TestOptions } from 'blazon/testing'
import { expect, it } from 'vitest'

@Controller('things')
class ThingsController {
  @Get()
  list() {}
}

async function refusal(options: object, more: TestOptions = {}) {
  await using app = await TestApp.create({ controllers: [ThingsController], tenant: {}, ...more })
  return app.proveIsolation(options as IsolationOptions).then(
    () => [],
    (error) => (error instanceof ConfigError ? error.problems : Promise.reject(error)),
  )
}

it.each([
  ['tenants', 'acme'],
  ['tenants', ['acme']],
  ['tenants', ['acme', 'acme']],
  ['tenants', ['acme', '']],
  ['tenants', { acme: {} }],
  ['tenants', { acme: {}, globex: 'globex' }],
  ['seed', 1.5],
  ['seed', 2 ** 31],
  ['rounds', 0],
  ['rounds', '2'],
  ['as', 'carla'],
  ['as', { acme: { id: 1 } }],
  ['headers', 'a: b'],
  ['skip', 'Things_list'],
  ['skip', ['Things_none']],
  ['operations', 'Things_list'],
  ['requests', '/rows'],
  ['requests', ['rows']],
  ['requests', ['get /rows']],
])('proveIsolation() refuses %s: %j', async (name, value) => {
  const problems = await refusal({ seed: 1, [name]: value })
  expect(problems).toMatchObject([
    { code: 'E_OPTION_INVALID', subject: `proveIsolation({ ${name} })` },
  ])
})

it('proveIsolation() refuses unknown option names, including those in the description of a tenant', async () => {
  const tenants = { acme: { header: {} }, globex: {} }
  expect(await refusal({ seed: 1, round: 50, tenants })).toMatchObject([
    { subject: 'proveIsolation(): round', remedy: expect.stringContaining('mean rounds?') },
    { subject: 'proveIsolation(): tenants.acme.header' },
  ])
})

it('proveIsolation() refuses `as` without a user for each tenant', async () => {
  const as = { acme: { id: 1 } }
  const [problem] = await refusal({ tenants: ['acme', 'globex'], as })
  expect(problem?.remedy).toBe('Pass a user for each of the tenants, acme and globex.')
})

it('proveIsolation() refuses a list of tenant ids if the application reads no tenant header', async () => {
  const tenant = { header: false, jwtClaim: 'tenant' } as const
  const [problem] = await refusal({ tenants: ['acme', 'globex'] }, { tenant })
  expect(problem?.cause).toContain('`tenant.header` is false')
  const callers = { acme: {}, globex: { headers: { 'x-any': '1' } } }
  expect(await refusal({ tenants: callers, seed: 1 }, { tenant })).toEqual([])
})
