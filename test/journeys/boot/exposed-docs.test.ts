import { App, type AppOptions, Auth, Controller, Get } from 'blazon'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { bootProblems, bootWarnings } from '../../support.js'

@Controller('items')
class ItemsController {
  @Get()
  list() {
    return []
  }

  @Auth()
  @Get('mine')
  mine() {
    return []
  }
}

@Controller('open')
class OpenController {
  @Get()
  list() {
    return []
  }
}

const guard = { canActivate: () => true }
const options: AppOptions = { controllers: [ItemsController], auth: { guard } }
const codes = async (more: AppOptions) =>
  (await bootWarnings({ ...options, ...more })).map(({ code }) => code)

describe('the documentation of protected routes', () => {
  const before = process.env['NODE_ENV']
  beforeEach(() => {
    process.env['NODE_ENV'] = 'production'
  })
  afterEach(() => {
    process.env['NODE_ENV'] = before
  })

  it.each<[string, AppOptions]>([
    ['by default', {}],
    ['with a title', { swagger: { title: 'Shop' } }],
    ['for one document of two', { swagger: [{ enabled: false }, { path: '/other' }] }],
    [
      'if all routes are protected by default',
      { controllers: [OpenController], auth: { guard, default: 'protected' } },
    ],
  ])('causes a warning in production %s', async (_, more) => {
    expect(await codes(more)).toEqual(['W_DOCS_EXPOSED'])
  })

  it.each<[string, AppOptions]>([
    ['swagger.enabled is true', { swagger: { enabled: true } }],
    ['swagger.enabled is false', { swagger: { enabled: false } }],
    ['swagger is false', { swagger: false }],
    ['no route is protected', { controllers: [OpenController] }],
  ])('causes no warning in production if %s', async (_, more) => {
    expect(await codes(more)).toEqual([])
  })

  it('causes no warning outside production', async () => {
    process.env['NODE_ENV'] = 'development'
    expect(await codes({})).toEqual([])
  })

  it('prevents the start of a strict application in production', async () => {
    const problems = await bootProblems({ ...options, strict: true })
    expect(problems).toMatchObject([
      {
        code: 'W_DOCS_EXPOSED',
        cause: expect.stringContaining('protected routes at /api-docs: ItemsController.mine.'),
        remedy: expect.stringContaining('`enabled: true` in `openapi` (or `swagger`)'),
      },
    ])
    const app = await App.create({ ...options, strict: true, swagger: { enabled: true } })
    await app.close()
  })

  it('is listed with all documents, its first protected route and the number of the others', async () => {
    const swagger = [{ path: '/one' }, { path: '/two', enabled: true }, { path: '/three' }]
    const [warning] = await bootWarnings({
      ...{ controllers: [ItemsController, OpenController], swagger },
      auth: { guard, default: 'protected' },
    })
    expect(warning?.text).toContain(
      'protected routes at /one, /three: ItemsController.list and 2 more.',
    )
  })
})
