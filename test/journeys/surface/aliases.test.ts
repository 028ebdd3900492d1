import {
  ApiExclude,
  ApiHidden,
  ApiResponse,
  ApiResponseDoc,
  type AppOptions,
  Can,
  Controller,
  Get,
  Queries,
  QueryBudget,
  Requires,
} from 'blazon'
import { TestApp } from 'blazon/testing'
import { describe, expect, it } from 'vitest'
import { bootProblems, bootWarnings } from '../../support.js'

@Controller('notes')
class Named {
  @Get('write') @Requires('notes:write') @QueryBudget(3) @ApiResponse({ status: 404 }) write() {}
  @Get('hidden') @ApiExclude() hidden() {}
}

@Controller('notes')
class Notes {
  @Get('write') @Can('notes:write') @Queries(3) @ApiResponseDoc({ status: 404 }) write() {}
  @Get('hidden') @ApiHidden() hidden() {}
}

const guard = {
  canActivate: (req: { user?: object; headers: Record<string, unknown> }) => {
    req.user = { permissions: [req.headers['x-may']] }
    return true
  },
}

describe('an alias of a decorator', () => {
  it('produces the same document as the original decorator', async () => {
    await using named = await TestApp.create({ controllers: [Named], auth: { guard } })
    await using known = await TestApp.create({ controllers: [Notes], auth: { guard } })
    expect(Object.keys(named.document.paths)).toEqual(['/notes/write'])
    expect(JSON.stringify(named.document).replaceAll('Named', 'Notes')).toBe(
      JSON.stringify(known.document),
    )
  })

  it('requires the same abilities as the original decorator', async () => {
    await using app = await TestApp.create({ controllers: [Named], auth: { guard } })
    await app.request().get('/notes/write').expect(403)
    await app.request().get('/notes/write').set('x-may', 'notes:write').expect(204)
  })
})

describe('the `openapi` option', () => {
  const documented = (options: AppOptions) =>
    TestApp.create({ controllers: [Notes], auth: { guard }, ...options })

  it('has the same effect on the document as the `swagger` option', async () => {
    const options = { title: 'Notes', path: '/docs', openapi: '3.1' } as const
    await using openapi = await documented({ openapi: options })
    await using swagger = await documented({ swagger: options })
    expect(openapi.document).toEqual(swagger.document)
    expect(openapi.document.info.title).toBe('Notes')
    await openapi.request().get('/docs.json').expect(200)
  })

  it('can disable the document', async () => {
    await using app = await documented({ openapi: false })
    await app.request().get('/api-docs.json').expect(404)
  })

  it('is refused if `swagger` is also set', async () => {
    expect(await bootProblems({ openapi: { title: 'A' }, swagger: { title: 'A' } })).toMatchObject([
      {
        code: 'E_OPTION_INVALID',
        subject: 'openapi',
        cause: '`openapi` and `swagger` are names of the same option, but both are set.',
      },
    ])
  })

  it('appears under its own name in boot errors and warnings', async () => {
    expect(await bootProblems({ openapi: 7 as never })).toMatchObject([{ subject: 'openapi' }])
    expect(await bootProblems({ openapi: { title: 7 as never } })).toMatchObject([
      { subject: 'openapi.title' },
    ])
    const warnings = await bootWarnings({ openapi: { tittle: 'A' } as never })
    expect(warnings).toMatchObject([
      { code: 'W_OPTION_UNKNOWN', text: expect.stringContaining('openapi.tittle') },
    ])
  })
})
