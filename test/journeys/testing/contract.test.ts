import { NotFoundError } from 'blazon'
import compression from 'compression'
import { describe, expect, it } from 'vitest'
import { app, messageOf, reply, start, useContractApp } from './contract-app.js'

useContractApp()

describe('a response that matches the document', () => {
  it.each([
    ['/users/one', { id: 1, name: 'Ada' }],
    ['/users/one', { id: 1, name: 'Ada', address: { city: 'Wien' } }],
    ['/users/list', []],
    ['/users/pet', { kind: 'dog', tricks: ['sit'] }],
    ['/users/pet', null],
    ['/users/merged', { a: 1, b: 2 }],
    ['/users/free', { a: 1, whatever: [] }],
    ['/users/forbidden', null],
    ['/users/page', null],
    ['/users/notes', 'text/csv'],
    ['/users/moved', null],
    ['/users/failing', null],
    ['/open', { anything: 'goes' }],
    ['/open', undefined],
    ['/open', new NotFoundError('as open as its successes')],
    ['/open/guarded', null],
    ['/open/versioned', null],
    ['/open/elsewhere', null],
    ['/users/nobody-here', null],
    ['/api-docs.json', null],
  ])('passes the contract check at %s', async (path, data) => {
    await start()
    reply.data = data
    expect(await messageOf(path)).toBe('')
    expect(app.contractReport()).toEqual([])
  })

  it('can be a response to HEAD or OPTIONS, a 400 or a 405', async () => {
    await start()
    reply.data = { id: 1, name: 'Ada' }
    await app.request().head('/users/one').expect(200)
    await app.request().options('/users/one').expect(200)
    await app.request().put('/users/one').expect(405)
    await app.request().post('/users').send({ name: 'Ada' }).expect(201)
    await app.request().post('/users').send({}).expect(400)
  })

  it('can be a compressed response, a problem document or a 304', async () => {
    await start({ middlewares: [compression({ threshold: 0 })], etag: true })
    reply.data = { id: 1, name: 'Ada' }
    const { headers } = await app.request().get('/users/one').expect('content-encoding', 'gzip')
    await app
      .request()
      .get('/users/one')
      .set('If-None-Match', headers['etag'] as string)
      .expect(304)
    await app
      .request()
      .get('/users/forbidden')
      .set('Accept', 'application/problem+json')
      .expect(403)
  })

  it('can be a stream that the test cancels before its end', async () => {
    await start()
    const response = await app.fetch('/users/events')
    await response.body?.cancel()
  })
})

describe('the contract check of a response', () => {
  it('fails if a field is not documented', async () => {
    await start()
    reply.data = { id: 1, name: 'Ada', passwordHash: 'x' }
    expect(await messageOf('/users/one')).toBe(
      [
        'ContractError: GET /users/one responded 200, but its document differs (Users_one, UsersController.one):',
        '  body data.passwordHash is not documented; got "x"',
        '  → Correct the handler, or its description: @ApiResponseDoc({ status: 200, … }).',
      ].join('\n'),
    )
  })

  it.each([
    ['/users/one', { id: '1', name: 'Ada' }, 'body data.id: expected integer, got "1"'],
    ['/users/one', { id: 1 }, 'body data.name: expected to be present, got nothing'],
    [
      '/users/one',
      { id: 1, name: 'Ada', address: { city: 1 } },
      'data.address.city: expected string, got 1',
    ],
    [
      '/users/one',
      { id: 1, name: 'Ada', address: { city: '', zip: 1 } },
      'data.address.zip is not documented',
    ],
    ['/users/one', undefined, 'body data: expected to be present'],
    ['/users/list', [{ id: 1, name: 'a' }, { id: 2 }], 'body data[1].name: expected to be present'],
    ['/users/pet', { kind: 'dog', tricks: [1] }, 'body data.tricks[0]: expected string, got 1'],
    ['/users/pet', { kind: 'cat', lives: 9, tricks: [] }, 'body data.tricks is not documented'],
    ['/users/pet', 7, 'body data: expected one of its alternatives, got 7'],
    ['/users/merged', { a: 1, b: 2, c: 3 }, 'body data.c is not documented; got 3'],
    ['/users/free', { a: 'x' }, 'body data.a: expected number, got "x"'],
    ['/users/text', null, 'content-type: expected application/json, got text/html'],
    ['/users/notes', 'image/png', 'content-type: expected text/*, got image/png'],
    ['/users/moved', 'no location', 'header Location: expected to be present'],
    ['/users/missing', null, 'status: expected one of 200, 400, 500, 503, got 404'],
    ['/users/missing', null, '@ApiResponseDoc({ status: 404, description'],
  ])('fails at %s with the data %j', async (path, data, message) => {
    await start()
    reply.data = data
    expect(await messageOf(path)).toContain(message)
  })

  it('fails if the body is not JSON', async () => {
    await start()
    const message = 'body: expected JSON, got "{\\"statusCode\\":"'
    await expect(app.fetch('/users/broken')).rejects.toThrow(message)
  })

  it('fails if the status is not documented', async () => {
    await start()
    reply.data = { id: 1, name: 'Ada' }
    reply.status = 202
    expect(await messageOf('/users/one')).toContain('got 202')
  })

  it('fails if the success status differs from the status of @HttpCode', async () => {
    await start()
    reply.data = 'empty'
    const sent = app.request().post('/users').send({ name: 'Ada' })
    await expect(Promise.resolve(sent)).rejects.toThrow(
      'expected one of 201, 400, 413, 415, 500, 503, got 204',
    )
  })

  it('fails if the body has no valid envelope and the operation declares no schema', async () => {
    await start()
    reply.data = [1]
    expect(await messageOf('/open?raw=yes')).toContain(
      'body: expected the success envelope, got [1]',
    )
    reply.status = 404
    reply.data = { error: 'home-made' }
    expect(await messageOf('/open?raw=yes')).toContain(
      'envelope: expected the error envelope, got {"error":"home-made"}',
    )
    reply.data = { statusCode: 'error', status: 404, message: 1, code: 'X' }
    expect(await messageOf('/open?raw=yes')).toContain('envelope message: expected string, got 1')
  })

  it('fails if the status in the envelope differs from the status of the response', async () => {
    await start()
    reply.data = { statusCode: 'success', status: 201, message: 'Created', data: {} }
    expect(await messageOf('/open?raw=yes')).toContain(
      'body status: expected 200, the status of the response, got 201',
    )
    reply.data = { statusCode: 'error', status: 404, message: 'No', code: 'NO' }
    for (const other of [400, 409]) {
      reply.status = other
      expect(await messageOf('/open?raw=yes')).toMatch(
        new RegExp(`status: expected ${other}, the status of the response, got 404`),
      )
    }
  })

  it('fails if a middleware sends an error response without the envelope', async () => {
    await start({ middlewares: [(_req, res) => void res.status(429).send('slow down')] })
    const message = await messageOf('/users/one')
    expect(message).toContain('status: expected one of 200, 400, 500, 503, got 429')
    expect(message).toContain('envelope: expected JSON, got text/html')
  })

  it('fails for HEAD if the content type is not documented', async () => {
    await start()
    reply.data = null
    await expect(app.fetch('/users/text', { method: 'HEAD' })).rejects.toThrow('text/html')
  })

  it('also fails if the invalid body is compressed', async () => {
    await start({ middlewares: [compression({ threshold: 0 })] })
    reply.data = { id: 'x', name: 'Ada' }
    expect(await messageOf('/users/one')).toContain('expected integer, got "x"')
  })
})
