import {
  ApiResponseDoc,
  Body,
  Controller,
  Delete,
  expectedVersion,
  Get,
  NotFoundError,
  Patch,
  Post,
  PreconditionFailedError,
  Put,
  type Req,
  type Request,
  Sse,
  Versioned,
} from 'blazon'
import { TestApp } from 'blazon/testing'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { emitClient } from '../../../src/cli/client/emit-client.js'
import { importClient } from '../../cli/import-client.js'
import { bootProblems } from '../../support.js'

interface Row {
  text: string
  version: number
}
const Text = z.object({ text: z.string().max(50) })
const Shown = z.object({ text: z.string(), version: z.int() })
let rows: Map<string, Row>
/** Called between the check and the statement of a handler. */
let meanwhile: () => void

@Versioned()
@Controller('notes')
class Notes {
  @Get() list() {
    return [...rows.values()]
  }

  @Get(':id')
  @ApiResponseDoc({ status: 200, schema: Shown })
  @ApiResponseDoc({ status: 404 })
  read(req: Request) {
    const row = rows.get(req.params['id'] as string)
    if (row === undefined) throw new NotFoundError()
    return row
  }

  @Versioned({ creates: true })
  @Put(':id')
  @Body(Text)
  @ApiResponseDoc({ status: 200, schema: Shown })
  put(req: Req<{ body: typeof Text }>) {
    return change(req, req.body.text)
  }

  @Patch(':id')
  @Body(Text)
  @ApiResponseDoc({ status: 200, schema: Shown })
  patch(req: Req<{ body: typeof Text }>) {
    return change(req, req.body.text)
  }

  @Delete(':id')
  @ApiResponseDoc({ status: 204 })
  remove(req: Request) {
    rows.delete(req.params['id'] as string)
  }

  @Versioned(false)
  @Post(':id/touch')
  touch() {}
}

function change(req: Request, text: string): Row {
  meanwhile()
  const id = req.params['id'] as string
  const row = rows.get(id) ?? { text: '', version: 0 }
  const version = expectedVersion(req)
  if (version !== null && version !== row.version) throw new PreconditionFailedError()
  const changed = { text, version: row.version + 1 }
  rows.set(id, changed)
  return changed
}

beforeEach(() => {
  rows = new Map([['7', { text: 'milk', version: 1 }]])
  meanwhile = () => {}
})

async function start(more: object = {}) {
  const app = await TestApp.create({ controllers: [Notes], contract: 'throw', ...more })
  onTestFinished(() => app.close())
  const send = (method: 'put' | 'patch' | 'delete', headers: object, id = '7') => {
    const request = app
      .request()
      [method](`/notes/${id}`)
      .set(headers as Record<string, string>)
    return method === 'delete' ? request : request.send({ text: method })
  }
  return { app, send }
}

describe('a route with @Versioned()', () => {
  it('sends the version as a strong ETag, and a 304 to a client that has it', async () => {
    const { app } = await start()
    const { headers, body } = await app.request().get('/notes/7').expect(200)
    expect([headers['etag'], body.data]).toEqual(['"1"', { text: 'milk', version: 1 }])
    for (const none of ['"1"', 'W/"1"', '"0", "1"', '*']) {
      const same = await app.request().get('/notes/7').set('If-None-Match', none)
      expect([none, same.status, same.text, same.headers['etag']]).toEqual([none, 304, '', '"1"'])
    }
    await app.request().get('/notes/7').set('If-None-Match', '"2"').expect(200)
    expect((await app.request().head('/notes/7')).headers['etag']).toBe('"1"')
    expect((await app.request().get('/notes').expect(200)).headers['etag']).toBeUndefined()
  })

  it.each(['put', 'patch', 'delete'] as const)(
    'requires a valid and matching If-Match header: %s',
    async (method) => {
      const { send } = await start()
      const missing = await send(method, {})
      expect([missing.status, missing.body.code]).toEqual([428, 'PRECONDITION_REQUIRED'])
      const bad = ['', '1', '"1', '*, "1"', '"1", *', '"1" "2"', 'w/"1"', '"a b"', ',']
      for (const match of bad) {
        const { status, body } = await send(method, { 'If-Match': match })
        expect([match, status, body.code]).toEqual([match, 400, 'PRECONDITION_INVALID'])
      }
      for (const match of ['"2"', 'W/"1"', '"2", W/"1"', '""']) {
        const { status, body, headers } = await send(method, { 'If-Match': match })
        expect([match, status, body.code, headers['etag']]).toEqual([
          match,
          412,
          'PRECONDITION_FAILED',
          '"1"',
        ])
        expect(body.message).toBe('The current version is "1"')
      }
      expect(rows.get('7')).toEqual({ text: 'milk', version: 1 })
    },
  )

  it('accepts any version with `If-Match: *`, even one that changes meanwhile', async () => {
    const { send } = await start()
    meanwhile = () => void rows.set('7', { text: 'cheese', version: 5 })
    expect((await send('put', { 'If-Match': '*' })).status).toBe(200)
    expect((await send('put', { 'If-Match': '"6"' })).status).toBe(412)
  })

  it.each(['"1"', '*', '"0" , "1"', ' "1" '])(
    'allows a write with a matching If-Match: %s',
    async (match) => {
      const { send } = await start()
      const { status, headers, body } = await send('put', { 'If-Match': match })
      expect([status, headers['etag'], body.data]).toEqual([
        200,
        '"2"',
        { text: 'put', version: 2 },
      ])
      expect((await send('patch', { 'If-Match': '"2"' })).headers['etag']).toBe('"3"')
      expect((await send('delete', { 'If-Match': '"3"' })).status).toBe(204)
    },
  )

  it('creates a row by PUT only if it does not exist', async () => {
    const { send } = await start()
    expect((await send('put', { 'If-None-Match': '*' })).status).toBe(412)
    expect((await send('put', { 'If-None-Match': '"1"' })).status).toBe(400)
    for (const match of ['"1"', '*'])
      expect((await send('put', { 'If-Match': match }, '8')).status).toBe(412)
    const made = await send('put', { 'If-None-Match': '*' }, '8')
    expect([made.status, made.headers['etag']]).toEqual([200, '"1"'])
    expect((await send('put', { 'If-None-Match': '*' }, '8')).status).toBe(412)
    expect((await send('patch', { 'If-None-Match': '*' })).status).toBe(428)
  })

  it('responds with 404 to a write to a missing row if the route cannot create one', async () => {
    const { send } = await start()
    for (const method of ['patch', 'delete'] as const)
      expect((await send(method, { 'If-Match': '"1"' }, '9')).status).toBe(404)
  })

  it('sends the newer version with 412 if another write occurs between the check and the statement', async () => {
    const { send } = await start()
    meanwhile = () => rows.set('7', { text: 'other', version: 5 })
    const { status, headers, body } = await send('put', { 'If-Match': '"1"' })
    expect([status, headers['etag'], body.message]).toEqual([
      412,
      '"5"',
      'The current version is "5"',
    ])
    expect(rows.get('7')).toEqual({ text: 'other', version: 5 })
    meanwhile = () => {}
    expect((await send('put', { 'If-Match': '*' })).status).toBe(200)
    meanwhile = () => rows.delete('7')
    const gone = await send('patch', { 'If-Match': '"6"' })
    expect([gone.status, gone.body.code]).toEqual([404, 'NOT_FOUND'])
  })

  it('exposes the ETag to scripts of other origins', async () => {
    const { app } = await start({ security: { cors: { origin: 'https://a.example' } } })
    const { headers } = await app.request().get('/notes/7').set('Origin', 'https://a.example')
    expect(headers['access-control-expose-headers']).toMatch(/\bETag\b/)
  })

  it('supports dates as versions, and rows that `current` returns', async () => {
    const at = new Date('2030-01-02T03:04:05.678Z')
    @Controller('dated')
    class Dated {
      readonly row = { updatedAt: at, id: 1 }
      @Versioned<Dated>({ by: 'updatedAt', current: (_req, dated) => dated.row })
      @Put(':id')
      put(req: Request) {
        return { same: expectedVersion(req) === at, updatedAt: at }
      }
    }
    const { app } = await start({ controllers: [Dated], contract: 'off' })
    const put = (tag: string) => app.request().put('/dated/1').set('If-Match', tag)
    const { status, body, headers } = await put(`"${at.toISOString()}"`)
    expect([status, body.data.same, headers['etag']]).toEqual([200, true, `"${at.toISOString()}"`])
    expect((await put('"2030"')).status).toBe(412)
  })

  it('results in a 500 response if the version is invalid, and so does expectedVersion() elsewhere', async () => {
    @Controller('bad')
    class Bad {
      @Get(':id') read() {
        return { version: 'a b' }
      }
      @Versioned() @Put(':id') put() {}
      @Post() post(req: Request) {
        return expectedVersion(req)
      }
    }
    const { app } = await start({ controllers: [Bad], contract: 'off' })
    await app.request().put('/bad/1').set('If-Match', '"1"').expect(500)
    await app.request().post('/bad').expect(500)
    const errors = app.logs.map(({ facts }) => String(facts['err'])).join()
    expect(errors).toMatch(
      /'version' of its row is not a valid version.*expectedVersion\(\): the request has no/,
    )
  })
})

describe('the boot of an application with @Versioned()', () => {
  it('refuses @Versioned() if no route returns the version', async () => {
    class Routes {
      @Versioned() @Put('a') noRead() {}
      @Get('b') usesMore(_req: unknown, _res: unknown) {}
      @Versioned() @Put('b') read() {}
      @Versioned() @Get('c') @Sse(z.string()) async *stream() {
        yield 'a'
      }
    }
    Controller('wrong')(Routes as never, undefined as never)
    const problems = await bootProblems({ controllers: [Routes] })
    const found = problems.filter(({ code }) => code === 'E_VERSIONED_ROUTE')
    expect(found.map(({ subject }) => subject.split(' ')[0])).toEqual(
      ['noRead', 'read', 'stream'].map((name) => `Routes.${name}`),
    )
  })

  it.each([{ by: '' }, { by: 7 }, { creates: 1 }, { current: 'row' }, { form: 'x' }, null])(
    'refuses the options %j',
    async (options) => {
      class Routes {
        @Get() read() {}
        @Versioned(options as never) @Put() write() {}
      }
      Controller('wrong')(Routes as never, undefined as never)
      const problems = await bootProblems({ controllers: [Routes] })
      expect(problems.map(({ code }) => code)).toContain('E_OPTION_INVALID')
    },
  )
})

describe('the conditions of @Versioned()', () => {
  it('appear in the document, in fuzz tests and in the generated client', async () => {
    const { app } = await start()
    const path = app.document.paths['/notes/{id}']
    expect(Object.keys(path?.get?.responses ?? {})).toEqual(expect.arrayContaining(['200', '304']))
    for (const method of ['put', 'patch', 'delete'] as const)
      expect(Object.keys(path?.[method]?.responses ?? {})).toEqual(
        expect.arrayContaining(['400', '412', '428']),
      )
    await app.fuzz({ seed: 5, runs: 30 })

    rows = new Map([['7', { text: 'milk', version: 1 }]])
    const { createClient } = await importClient('versioned', emitClient(app.document))
    const { notes } = createClient({
      baseUrl: 'http://app',
      fetch: (url, init) => app.fetch(url, init),
    })
    const read = await notes?.['read']?.({ params: { id: '7' } })
    const ifMatch = read.response.headers.get('ETag')
    const put = (text: string) => notes?.['put']?.({ params: { id: '7' }, ifMatch, body: { text } })
    expect(await put('tea')).toMatchObject({ ok: true, data: { text: 'tea' } })
    expect(await put('rum')).toMatchObject({ ok: false, status: 412 })
  })
})
