import { type } from 'arktype'
import { App, Auth, Controller, Get, HttpCode, type Plugin } from 'blazon'
import { Refusal, type RouteContract } from 'blazon/plugin'
import { TestApp } from 'blazon/testing'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { bootProblems } from '../../support.js'

@Controller('orders')
class Orders {
  @Get()
  list() {
    return []
  }

  @Auth()
  @HttpCode(200)
  @Get(':id')
  byId() {
    return {}
  }
}

const Blocked = z.object({ reason: z.string() }).meta({ id: 'Blocked' })

const contract: RouteContract = {
  errors: [451, 429],
  responses: [{ status: 410, description: 'It is gone.', schema: Blocked, raw: true }],
  headers: { 'X-Audit-Id': { description: 'Of the log.', schema: z.uuid() } },
  parameters: [
    {
      ...{ in: 'header', name: 'X-Reason', required: true, description: 'Why it is read.' },
      schema: z.string().min(3).describe('At least a word.'),
    },
    { in: 'query', name: 'dry', schema: z.boolean().describe('Whether nothing is changed.') },
  ],
  tags: ['Audited', 'Orders'],
  security: { ApiKey: { type: 'apiKey', in: 'header', name: 'X-Key' } },
}

const auditing: Plugin = {
  name: 'auditing',
  contract: (route) => (route.path.endsWith(':id') ? contract : null),
}

const guard = { canActivate: () => true }

const documentOf = (plugins: Plugin[]) =>
  new App({ controllers: [Orders], auth: { guard }, plugins, logger: false }).document

describe('the contract of a plugin', () => {
  it('exposes its response headers to scripts of other origins, each only once', async () => {
    const app = await TestApp.create({
      controllers: [Orders],
      plugins: [auditing],
      security: { cors: { origin: 'https://shop.example' } },
    })
    const { headers } = await app.request().get('/orders').set('Origin', 'https://shop.example')
    expect(headers['access-control-expose-headers']).toBe('X-Audit-Id')
    await app.close()
  })

  it('also exposes its response headers if it belongs to a guard', async () => {
    const header = { description: 'When the session ends.', schema: { type: 'string' } } as const
    const documented = { ...guard, contract: () => ({ headers: { 'X-Session-End': header } }) }
    const app = await TestApp.create({
      controllers: [Orders],
      auth: { guard: documented, default: 'protected' },
      security: { cors: { origin: 'https://shop.example' } },
    })
    const { headers } = await app.request().get('/orders').set('Origin', 'https://shop.example')
    expect(headers['access-control-expose-headers']).toBe('X-Session-End')
    await app.close()
  })

  it('appears in the documented operations of its routes', () => {
    const { paths, components, tags } = documentOf([auditing])
    const operation = paths['/orders/{id}']?.get
    expect(operation?.tags).toEqual(['Orders', 'Audited'])
    expect(tags).toEqual([{ name: 'Orders' }, { name: 'Audited' }])
    expect(operation?.security).toEqual([{ BearerAuth: [], ApiKey: [] }])
    expect(components?.securitySchemes?.['ApiKey']).toEqual(contract.security?.['ApiKey'])
    expect(operation?.parameters).toEqual([
      { in: 'path', name: 'id', required: true, schema: { type: 'string' } },
      {
        ...{ in: 'header', name: 'X-Reason', required: true, description: 'Why it is read.' },
        schema: { type: 'string', minLength: 3 },
      },
      {
        in: 'query',
        name: 'dry',
        description: 'Whether nothing is changed.',
        schema: { type: 'boolean' },
      },
    ])
    const responses = operation?.responses ?? {}
    expect(Object.keys(responses)).toEqual(['200', '400', '401', '410', '429', '451', '500', '503'])
    const name = 'UnavailableForLegalReasons'
    expect(responses['451']).toEqual({ $ref: `#/components/responses/${name}` })
    expect(components?.responses?.[name]).toMatchObject({
      description: 'Unavailable For Legal Reasons',
      content: { 'application/json': { schema: { $ref: '#/components/schemas/ErrorEnvelope' } } },
    })
    expect(responses['429']).toEqual({ $ref: '#/components/responses/TooManyRequests' })
    expect(responses['410']).toEqual({
      description: 'It is gone.',
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Blocked' } } },
    })
    expect(responses['200']).toMatchObject({
      headers: { 'X-Audit-Id': { description: 'Of the log.', schema: { format: 'uuid' } } },
    })
    expect(components?.schemas).toHaveProperty('Blocked')
  })

  it('changes nothing in the operations of other routes', () => {
    const [extended, without] = [documentOf([auditing]), documentOf([])]
    expect(extended.paths['/orders']).toEqual(without.paths['/orders'])
    expect(without.paths['/orders/{id}']?.get?.responses).not.toHaveProperty('451')
  })

  it.each<[unknown, string]>([
    [{ error: [451] }, '.error'],
    [{ errors: ['451'] }, '.errors'],
    [{ errors: [200] }, '.errors'],
    [{ errors: [399] }, '.errors'],
    [{ errors: [600] }, '.errors'],
    [{ errors: [400.5] }, '.errors'],
    [{ responses: [{ status: 99, description: 'x' }] }, '.responses'],
    [{ tags: ['a', 1] }, '.tags'],
    [{ deprecated: 'yes' }, '.deprecated'],
    [{ parameters: [{ in: 'query', schema: { type: 'string' } }] }, '.parameters'],
    [{ security: [] }, '.security'],
    [{ security: { Key: { type: 1 } } }, '.security'],
    [{ headers: { 'X-A': 'text' } }, '.headers'],
    [{ parameters: [{ name: 'a', in: 'cookie', schema: {} }] }, '.parameters'],
    [{ tags: 'a' }, '.tags'],
    [{ security: { Key: null } }, '.security'],
    [{ responses: [{ description: 'x' }] }, '.responses'],
    [{ responses: [{ status: 410, contentType: 'text/\r\nplain' }] }, '.responses'],
    [{ responses: [{ status: 410, schema: 'text' }] }, '.responses'],
    [{ headers: { 'X-A': { schema: null } } }, '.headers'],
    [{ headers: { 'X-A': { schema: [] } } }, '.headers'],
    [{ headers: [] }, '.headers'],
    [{ parameters: [{ name: 'a', in: 'path', schema: { type: 'string' } }] }, '.parameters'],
    ['all', ''],
    [Promise.resolve({ errors: [451] }), ''],
  ])('is refused at boot if it is invalid: %j', async (wrong, field) => {
    const plugin = { name: 'wrong', contract: () => wrong } as unknown as Plugin
    const problems = await bootProblems({ controllers: [Orders], plugins: [plugin] })
    expect(problems).toMatchObject([
      {
        code: 'E_OPTION_INVALID',
        subject: `plugin 'wrong' contract(Orders.list)${field}`,
      },
    ])
  })

  it('can contain the smallest and the largest status, a path parameter, and undefined fields', () => {
    const id = { in: 'path', name: 'id', schema: z.string().describe('The number.') } as const
    const contract: RouteContract = {
      errors: [400, 599],
      responses: [{ status: 100, description: 'Go on' }],
      deprecated: true,
      ...({ tags: undefined } as object),
    }
    const parameters = (path: string) => (path.endsWith(':id') ? [id] : [])
    const plugin: Plugin = {
      name: 'own',
      contract: ({ path }) => ({ ...contract, parameters: parameters(path) }),
    }
    const { paths } = documentOf([plugin])
    const operation = paths['/orders']?.get
    expect(operation?.deprecated).toBe(true)
    expect(Object.keys(operation?.responses ?? {})).toEqual(
      expect.arrayContaining(['100', '400', '599']),
    )
    expect(paths['/orders/{id}']?.get?.parameters).toMatchObject([{ in: 'path', name: 'id' }])
  })

  it.each<[string, object, object]>([
    [
      'another header',
      { type: 'apiKey', in: 'header', name: 'X-Key' },
      { type: 'apiKey', in: 'header', name: 'X-Other' },
    ],
    ['another type', { type: 'http', scheme: 'basic' }, { type: 'http', scheme: 'bearer' }],
  ])(
    'is refused if another plugin describes its security scheme differently: %s',
    async (_, a, b) => {
      const naming = (name: string, Key: object) =>
        ({ name, contract: () => ({ security: { Key } }) }) as unknown as Plugin
      const boot = (plugins: Plugin[]) => bootProblems({ controllers: [Orders], plugins })
      expect(await boot([naming('a', a), naming('b', b)])).toMatchObject([
        {
          code: 'E_OPTION_INVALID',
          subject: "plugin 'b' contract(Orders.list).security",
          cause: expect.stringMatching(/^Its scheme 'Key' differs from .+ of plugin 'a'/),
        },
      ])
      const equal = [naming('a', a), naming('b', { ...a })]
      expect(documentOf(equal).components.securitySchemes).toHaveProperty('Key', a)
    },
  )

  it('is refused if it describes the scheme BearerAuth differently from the guard', async () => {
    const naming = (BearerAuth: object) =>
      ({ name: 'a', contract: () => ({ security: { BearerAuth } }) }) as unknown as Plugin
    const boot = (plugin: Plugin, auth = {}) =>
      bootProblems({ controllers: [Orders], plugins: [plugin], auth })
    const basic = naming({ type: 'http', scheme: 'basic' })
    expect(await boot(basic, { guard })).toMatchObject([
      {
        cause: expect.stringContaining('the guard'),
        subject: expect.stringContaining("plugin 'a'"),
      },
    ])
    const { document } = new App({ controllers: [Orders], plugins: [basic], logger: false })
    expect(document.components.securitySchemes).toEqual({
      BearerAuth: { type: 'http', scheme: 'basic' },
    })
    const same = { type: 'http', scheme: 'bearer' }
    expect(documentOf([naming(same)]).components.securitySchemes).toEqual({ BearerAuth: same })
  })

  it('accepts schemas that are functions, such as arktype schemas', () => {
    const headers = { 'X-A': { schema: type('string.uuid') } }
    const { paths } = documentOf([{ name: 'own', contract: () => ({ headers }) }])
    expect(JSON.stringify(paths['/orders']?.get?.responses)).toContain('"X-A":{"schema"')
  })

  it('adds a parameter to the document only once if two plugins declare it', () => {
    const reading = (name: string): Plugin => ({
      name,
      contract: () => ({ parameters: [{ in: 'header', name, schema: z.string() }] }),
    })
    const { paths } = documentOf([reading('X-Org'), reading('x-org'), reading('X-Other')])
    const names = paths['/orders']?.get?.parameters?.map(({ name }) => name)
    expect(names).toEqual(['X-Org', 'X-Other'])
  })

  it('is used by the contract check of responses in tests', async () => {
    const refusing = (status: number): Plugin => ({
      ...auditing,
      steps: () => ({ afterGuard: () => () => Refusal.of(status) }),
    })
    const options = { controllers: [Orders], auth: { guard }, logger: false } as const
    const ask = async (status: number) => {
      const plugins = [refusing(status)]
      await using app = await TestApp.create({ ...options, plugins, contract: 'throw' })
      return await app.request().get('/orders/1').set('X-Reason', 'because')
    }
    expect((await ask(451)).status).toBe(451)
    await expect(ask(418)).rejects.toThrow('418')
  })
})
