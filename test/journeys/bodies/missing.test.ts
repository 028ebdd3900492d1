import { Body, Controller, githubWebhooks, type Middleware, Post, Webhook } from 'blazon'
import { TestApp } from 'blazon/testing'
import { expect, it } from 'vitest'

@Controller('in')
class InController {
  @Body({ type: 'bytes' }) @Post('bytes') bytes() {
    return 'in'
  }

  @Webhook(githubWebhooks('a secret')) @Post('hook') hook() {
    return 'in'
  }
}

const base = { controllers: [InController], contract: 'off' } as const

it('a missing body of bytes is refused with the status for invalid input', async () => {
  await using app = await TestApp.create({ ...base, errors: { status: { validation: 422 } } })
  const { status, body } = await app.request().post('/in/bytes')
  expect([status, body.errors]).toEqual([422, [{ in: 'body', path: '', message: 'is required' }]])
})

it('a webhook whose body a middleware has read without setting req.body results in a 500 response', async () => {
  const read: Middleware = (req, _res, next) => void req.resume().on('end', () => next())
  await using app = await TestApp.create({ ...base, middlewares: [read] })
  expect((await app.request().post('/in/hook').send({ a: 1 })).status).toBe(500)
  const errors = app.logs.map(({ facts }) => String((facts as { err?: unknown }).err))
  expect(errors.join()).toContain('a middleware has already read them')
})
