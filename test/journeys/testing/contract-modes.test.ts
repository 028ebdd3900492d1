import { Controller, Get, type Req, type Response } from 'blazon'
import { ContractError, TestApp, type TestOptions } from 'blazon/testing'
import { describe, expect, it, vi } from 'vitest'
import {
  app,
  controllers,
  documented,
  messageOf,
  reply,
  start,
  use,
  useContractApp,
} from './contract-app.js'

useContractApp()

describe('the contract mode "throw"', () => {
  it('reports a failed expectation of the test first', async () => {
    await start()
    const sent = app.request().get('/users/missing').expect(200)
    await expect(Promise.resolve(sent)).rejects.toThrow('expected 200 "OK", got 404')
  })

  it('passes a ContractError with the violations to the callback of expect()', async () => {
    await start()
    reply.data = { id: 1, name: 'Ada', extra: true }
    const error = await new Promise<Error>((resolve) => {
      app
        .request()
        .get('/users/one')
        .expect(200, (failure) => resolve(failure as Error))
    })
    expect(error).toBeInstanceOf(ContractError)
    expect((error as ContractError).violations).toEqual([
      expect.objectContaining({ kind: 'body', path: 'data.extra', expected: null, got: 'true' }),
    ])
  })

  it('also checks the response that follows a redirect', async () => {
    await start()
    reply.data = { id: 1, name: 'Ada', extra: true }
    await expect(app.fetch('/users/moved')).rejects.toThrow('GET /users/one')
    const followed = app.request().get('/users/moved').redirects(1)
    await expect(Promise.resolve(followed)).rejects.toThrow('GET /users/one')
  })

  it('accepts a redirect without a body for a client that accepts neither HTML nor text', async () => {
    await start()
    const moved = (accept: string) =>
      app.fetch('/users/moved', { redirect: 'manual', headers: { accept } })
    expect((await moved('application/json')).headers.get('content-type')).toBeNull()
    expect((await moved('text/html')).headers.get('content-type')).toMatch('text/html')
  })

  it('adds a thrown violation to contractReport() only once', async () => {
    await start()
    reply.data = { id: 1, name: 'Ada', extra: true }
    await messageOf('/users/one')
    expect(app.contractReport()).toHaveLength(1)
  })
})

describe('the contract mode "warn"', () => {
  const listen = () => vi.spyOn(process.stderr, 'write').mockReturnValue(true)

  it('is the default, and prints one message for each operation and kind of violation', async () => {
    use(await TestApp.create({ controllers }))
    const write = listen()
    reply.data = { id: 1, name: 'Ada', extra: true }
    await app.request().get('/users/one').expect(200)
    await app.request().get('/users/one').expect(200)
    reply.data = { id: 'other', name: 'Ada' }
    await app.request().get('/users/one').expect(200)
    expect(write).toHaveBeenCalledTimes(1)
    expect(write.mock.calls[0]?.[0]).toContain('data.extra is not documented')
    await app.request().get('/users/missing').expect(404)
    expect(write).toHaveBeenCalledTimes(2)
    expect(app.contractReport().map(({ kind, path }) => [kind, path])).toEqual([
      ['body', 'data.extra'],
      ['body', 'data.id'],
      ['status', ''],
    ])
    await app.close()
    const again = await TestApp.create({ controllers })
    await again.request().get('/users/one').expect(200)
    expect(write).toHaveBeenCalledTimes(2)
    await again.close()
  })

  it('prints its messages for each application, even if their operations have the same names', async () => {
    const create = () => {
      @Controller('twins')
      class TwinsController {
        @Get()
        @documented(200)
        get(_: Req, res: Response) {
          res.send('not JSON')
        }
      }
      return TestApp.create({ controllers: [TwinsController] })
    }
    use(await create())
    const other = await create()
    const write = listen()
    await app.request().get('/twins').expect(200)
    await other.request().get('/twins').expect(200)
    expect(write).toHaveBeenCalledTimes(2)
    await other.close()
  })

  it('is not used if `contract` is off', async () => {
    await start({ contract: 'off' })
    const write = listen()
    reply.data = { lie: true }
    await app.request().get('/users/one').expect(200)
    expect(write).not.toHaveBeenCalled()
    expect(app.contractReport()).toEqual([])
  })

  it('is not used for an invalid value of `contract`, which is refused', async () => {
    await start()
    const options = { contract: 'loud', coverage: 80 } as unknown as TestOptions
    await expect(TestApp.create(options)).rejects.toThrow(/"loud"[\s\S]*80/)
  })
})

describe('a document that cannot be generated', () => {
  const swagger = {
    enabled: false,
    include: () => {
      throw new Error('undecided')
    },
  }

  it('makes every request fail, however it is sent', async () => {
    await start({ swagger })
    expect(await messageOf('/open')).toMatch(
      /The response to GET \/open cannot be compared with the document: [\s\S]*undecided/,
    )
  })

  it('causes only one message if `contract` is warn', async () => {
    await start({ swagger, contract: 'warn' })
    const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    await app.request().get('/open').expect(200)
    await app.fetch('/open')
    expect(write).toHaveBeenCalledTimes(1)
    expect(write.mock.calls[0]?.[0]).toContain('undecided')
  })
})

describe('the documents for a contract check', () => {
  it('are applied to routes that at least one of them contains', async () => {
    const isOpen = (route: { path: string }) => route.path.startsWith('/open')
    await start({
      swagger: [
        { path: '/a', include: (route) => isOpen(route) },
        { path: '/b', include: (route) => route.path === '/users/one' },
      ],
    })
    reply.data = { lie: true }
    expect(await messageOf('/users/one')).toContain('data.lie')
    expect(await messageOf('/users/list')).toBe('')
    expect(await messageOf('/open/hidden')).toBe('')
  })

  it('are applied even if `swagger` is false', async () => {
    await start({ swagger: false })
    reply.data = { lie: true }
    expect(await messageOf('/users/one')).toContain('data.lie')
  })
})
