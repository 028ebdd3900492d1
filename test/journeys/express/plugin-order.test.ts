import {
  type AppOptions,
  Controller,
  defineControllers,
  type ErrorRequestHandler,
  Get,
  getTenantId,
  type Middleware,
  type Plugin,
  type RequestHandler,
} from 'blazon'
import { describe, expect, it } from 'vitest'
import { bootProblems, bootWarnings } from '../../support.js'
import { appsOfTest } from './support.js'

let seen: string[] = []

@Controller()
class SeenController {
  @Get()
  get() {
    seen.push('route')
    return 'ok'
  }

  @Get('fail')
  fail() {
    throw new Error('failed')
  }
}

const controllers = defineControllers(SeenController)
const apps = appsOfTest('off')
const log = { info() {}, warn() {}, error() {} }

const note =
  (name: string): RequestHandler =>
  (_req, _res, next) => {
    seen.push(name)
    next()
  }
const noteError =
  (name: string): ErrorRequestHandler =>
  (error, _req, _res, next) => {
    seen.push(name)
    next(error)
  }

async function order(options: AppOptions, path = '/'): Promise<string[]> {
  seen = []
  const app = await apps.inProcess({ controllers, logger: log, ...options })
  await app.request().get(path)
  return seen
}

const both: Plugin = {
  name: 'both',
  middlewares: { first: [note('both first'), [note('nested')]], last: [note('both last')] },
}
const early: Plugin = { name: 'early', middlewares: { first: [note('early')] } }
const list: Plugin = { name: 'list', middlewares: [note('list')] }

describe('the middlewares of plugins', () => {
  it('run after the middlewares of the application, or before them if they are in `first`', async () => {
    expect(await order({ middlewares: [note('own')], plugins: [list, both, early] })).toEqual([
      'both first',
      'nested',
      'early',
      'own',
      'list',
      'both last',
      'route',
    ])
  })

  it('run in the order of `plugins` if the application has no middlewares', async () => {
    expect(await order({ plugins: [early, both] })).toEqual([
      'early',
      'both first',
      'nested',
      'both last',
      'route',
    ])
  })

  it('can be error middlewares in `first` and in `last`', async () => {
    const errors: Plugin = {
      name: 'errors',
      middlewares: { first: [noteError('first')], last: [noteError('last')] },
    }
    const options = { middlewares: [noteError('own')], plugins: [errors] }
    expect(await order(options, '/fail')).toEqual(['first', 'own', 'last'])
  })

  it('can handle an error of a later middleware and continue the request', async () => {
    const failing: RequestHandler = (_req, _res, next) => next(new Error('own'))
    const goOn: ErrorRequestHandler = (_error, _req, _res, next) => {
      seen.push('first')
      next()
    }
    const plugin: Plugin = { name: 'errors', middlewares: { first: [goOn as Middleware] } }
    expect(await order({ middlewares: [failing], plugins: [plugin, list] })).toEqual([
      'first',
      'list',
      'route',
    ])
  })

  it('run after the security headers are set, in the tenant context of the request', async () => {
    const plugin: Plugin = {
      name: 'tenants',
      middlewares: {
        first: [
          (_req, res, next) => {
            seen.push(String(getTenantId()), String(res.hasHeader('Content-Security-Policy')))
            next()
          },
        ],
      },
    }
    seen = []
    const security = { helmet: true }
    const app = await apps.inProcess({ controllers, tenant: {}, security, plugins: [plugin] })
    await app.asTenant('acme').request().get('/')
    expect(seen).toEqual(['acme', 'true', 'route'])
  })

  it.each([
    [{ first: [(_req: unknown, res: { end(): void }) => res.end()] }, 'middlewares.first[0]'],
    [{ last: [[], (_req: unknown, res: { end(): void }) => res.end()] }, 'middlewares.last[1]'],
  ])('are identified by their place in warnings: %o', async (middlewares, name) => {
    const plugins = [{ name: 'spa', middlewares: middlewares as Plugin['middlewares'] } as Plugin]
    const [warning] = await bootWarnings({ controllers, plugins })
    expect(warning?.code).toBe('W_MIDDLEWARE_DEAD_END')
    expect(warning?.text).toContain(`plugin 'spa', ${name}`)
  })

  it.each([
    ['a function', () => {}, 'middlewares'],
    ['null', null, 'middlewares'],
    ['a string', 'first', 'middlewares'],
    ['a function as `first`', { first: () => {} }, 'middlewares.first'],
    ['an object as `last`', { last: {} }, 'middlewares.last'],
    ['an unknown place', { frist: [] }, 'middlewares.frist'],
    ['an entry that is not a function', { first: [undefined] }, 'middlewares.first[0]'],
  ])('are refused at boot if they are or contain %s', async (_, middlewares, place) => {
    const plugins = [{ name: 'p', middlewares } as unknown as Plugin]
    expect(await bootProblems({ plugins })).toMatchObject([
      { code: 'E_OPTION_INVALID', subject: `plugin 'p', ${place}` },
    ])
  })
})
