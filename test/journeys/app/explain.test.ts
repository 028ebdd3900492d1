import {
  Body,
  ConflictError,
  Controller,
  Get,
  HttpError,
  NotFoundError,
  type Plugin,
  Post,
  type Request,
} from 'blazon'
import { TestApp } from 'blazon/testing'
import express, { type ErrorRequestHandler } from 'express'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'

class TakenError extends Error {
  readonly secret = 'nobody sees it'
}

@Controller('seats')
class SeatsController {
  @Get('taken')
  taken() {
    throw new TakenError('by Ada')
  }

  @Get('missing')
  missing() {
    throw new NotFoundError('There is none')
  }

  @Get('other')
  other() {
    throw new Error('unknown')
  }

  @Post()
  @Body(z.record(z.string(), z.string()))
  take(_req: Request) {
    throw new TakenError('by Ada')
  }
}

const booking: Plugin = {
  name: 'booking',
  explain(error, req) {
    if (!(error instanceof TakenError)) return undefined
    const errors = Object.keys(req.body ?? {}).map(
      (path) => ({ in: 'body', path, message: 'is taken' }) as const,
    )
    return new ConflictError('The seat is taken', { code: 'SEAT_TAKEN', errors, cause: error })
  },
}

describe('the explain method of a plugin', () => {
  let app: TestApp
  afterEach(() => app.close())
  const logged: unknown[] = []
  const start = async (options: object = {}) => {
    logged.length = 0
    app = await TestApp.create({
      controllers: [SeatsController],
      plugins: [booking],
      logger: { info() {}, warn() {}, error: (facts: object) => void logged.push(facts) },
      ...options,
    })
    return app.request()
  }

  it('turns errors of routes and middlewares into an HttpError', async () => {
    const fails = (req: Request) => {
      if (req.path === '/door') throw new TakenError('by Ada')
    }
    const request = await start({
      middlewares: [
        (req: Request, _res: unknown, next: () => void) => {
          fails(req)
          next()
        },
      ],
    })
    for (const path of ['/seats/taken', '/door']) {
      const { body } = await request.get(path)
      expect(body).toMatchObject({ status: 409, code: 'SEAT_TAKEN', message: 'The seat is taken' })
    }
    expect((await request.head('/seats/taken')).status).toBe(409)
    expect(logged).toEqual([])
  })

  it('is not called for an HttpError, and leaves an error unchanged if it returns undefined', async () => {
    const asked: unknown[] = []
    const observer: Plugin = {
      name: 'observer',
      explain: (error) => void asked.push(error) as undefined,
    }
    const request = await start({ plugins: [observer, booking] })
    expect((await request.get('/seats/missing')).status).toBe(404)
    expect((await request.get('/nowhere')).status).toBe(404)
    expect(asked).toEqual([])
    expect((await request.get('/seats/other')).status).toBe(500)
    expect((await request.get('/seats/taken')).status).toBe(409)
    expect(asked).toHaveLength(2)
  })

  it('is ignored if it throws or returns something other than an HttpError', async () => {
    const broken: Plugin = {
      name: 'broken',
      explain() {
        throw new Error('no')
      },
    }
    const vague: Plugin = { name: 'vague', explain: () => new Error('no HttpError') }
    const request = await start({ plugins: [broken, vague] })
    expect((await request.get('/seats/taken')).status).toBe(500)
    expect(logged).toMatchObject([{ err: { message: 'by Ada' } }])
  })

  it('converts errors of an Express router, and generic messages hide the paths of its inputs', async () => {
    const router = express.Router()
    router.get('/of/:express', (_req, _res, next) => next(new TakenError('by Ada')))
    const named: Plugin = {
      name: 'named',
      explain: () =>
        new ConflictError('Taken', { errors: [{ in: 'params', path: 'express', message: 'no' }] }),
    }
    const options = { plugins: [named], middlewares: [router] }
    const plain = await start(options)
    expect((await plain.get('/of/one')).body).toMatchObject({ status: 409, message: 'Taken' })
    await app.close()
    const request = await start({ ...options, validation: { messages: 'generic' } })
    const { body } = await request.get('/of/one')
    expect(body).toMatchObject({ status: 409, errors: [{ in: 'params', path: '*' }] })
  })

  it('is ignored if its HttpError cannot be sent, and the next plugin is called', async () => {
    const errors = 'none' as never
    const odd: Plugin = { name: 'odd', explain: () => new ConflictError('Taken', { errors }) }
    const request = await start({ plugins: [odd, booking] })
    expect((await request.get('/seats/taken')).body).toMatchObject({ code: 'SEAT_TAKEN' })
  })

  it('runs before error middlewares, which receive the original error as `error.cause`', async () => {
    const seen: unknown[] = []
    const note: ErrorRequestHandler = (error, _req, _res, next) => {
      seen.push([HttpError.is(error), error.cause])
      next(error)
    }
    const request = await start({ middlewares: [note] })
    expect((await request.get('/seats/taken')).status).toBe(409)
    expect(seen).toEqual([[true, expect.any(TakenError)]])
  })

  it('does not reveal request input in `errors` if validation.messages is generic', async () => {
    const sent = { 'my password': 'x' }
    const plain = await start()
    expect((await plain.post('/seats').send(sent)).body.errors).toEqual([
      { in: 'body', path: 'my password', message: 'is taken' },
    ])
    await app.close()
    const request = await start({ validation: { messages: 'generic' } })
    const { body } = await request.post('/seats').send(sent)
    expect(body).toMatchObject({ status: 409, code: 'SEAT_TAKEN' })
    expect(body.errors).toEqual([{ in: 'body', path: '*', message: 'is not valid' }])
  })

  it('determines status, code and headers, and errors.status.validation applies to its HttpError', async () => {
    const errors = [{ in: 'body', path: 'seat', message: 'is taken' } as const]
    const meanings: [HttpError, number][] = [
      [new HttpError(400, 'Bad seat', { code: 'SEAT_BAD', errors }), 400],
      [new HttpError(400, 'No seat', { code: 'VALIDATION_FAILED', errors }), 422],
      [new HttpError(409, 'Taken', { code: 'VALIDATION_FAILED', errors }), 409],
      [new HttpError(400, 'No list', { code: 'VALIDATION_FAILED' }), 400],
    ]
    for (const [meaning, status] of meanings) {
      const headers = { 'X-Seat': meaning.message }
      const { message, code, errors: fields } = meaning
      const explained = new HttpError(meaning.status, message, {
        ...(code && { code }),
        ...(fields && { errors: fields }),
        headers,
      })
      const request = await start({
        plugins: [{ name: 'meaning', explain: () => explained }],
        errors: { status: { validation: 422 } },
        contract: 'off',
      })
      const response = await request.get('/seats/taken')
      expect([response.status, response.body.code]).toEqual([status, code])
      expect(response.headers['x-seat']).toBe(message)
      await app.close()
    }
  })

  it('is called for each plugin in order until one plugin converts the error', async () => {
    const asked: string[] = []
    const silent = (name: string): Plugin => ({
      name,
      explain: () => void asked.push(name) as undefined,
    })
    const request = await start({ plugins: [silent('a'), silent('b'), booking, silent('c')] })
    for (let round = 0; round < 2; round++) {
      expect((await request.get('/seats/taken')).status).toBe(409)
    }
    expect(asked).toEqual(['a', 'b', 'a', 'b'])
  })
})
