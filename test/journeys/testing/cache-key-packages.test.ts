import { join } from 'node:path'
import { runInThisContext } from 'node:vm'
import { Cache, Controller, Get, type Request, type Response } from 'blazon'
import { ContractError, TestApp } from 'blazon/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

/** The code of a package that reads a request, such as a logger. No code of the user calls it. */
const readInPackage: (req: Request) => unknown = runInThisContext('(req) => req.query.sort', {
  filename: join(process.cwd(), 'node_modules/logger/index.js'),
})

function respond(res: Response, data: object): void {
  res.json({ statusCode: 'success', status: 200, message: 'Fine', data })
}

@Controller('lists')
class ListsController {
  @Get('logged')
  @Cache({ ttl: 60, key: () => 'all' })
  logged(req: Request, res: Response) {
    setImmediate(readInPackage, req)
    setImmediate(() => respond(res, {}))
  }

  @Get('read')
  @Cache({ ttl: 60, key: () => 'all' })
  read(req: Request, res: Response) {
    setImmediate(readInPackage, req)
    setImmediate(() => respond(res, { sort: req.query['sort'] ?? 'none' }))
  }
}

describe('a value that a package reads before the response is sent', () => {
  let app: TestApp
  beforeEach(async () => {
    app = await TestApp.create({ controllers: [ListsController], contract: 'throw' })
  })
  afterEach(() => app.close())

  it('can be missing from the cache key', async () => {
    expect((await app.fetch('/lists/logged?sort=a')).status).toBe(200)
    expect(app.contractReport()).toEqual([])
  })

  it('must be in the cache key if the handler also reads it', async () => {
    const failure = await app.fetch('/lists/read?sort=a').catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(ContractError)
    expect((failure as ContractError).violations).toMatchObject([
      { kind: 'cache-key', path: 'query.sort' },
    ])
  })
})
